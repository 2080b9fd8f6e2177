import Foundation
import TensorIOTestSupport
import Testing

/// The outcome of the bytes that a client sends.
struct Outcome: Equatable, CustomStringConvertible {
  var statuses: [Int] = []
  /// Whether the connection closes after the last response.
  var closes = false
  /// The number of requests that reached a handler.
  var calls = 0

  var description: String {
    (statuses.map(String.init) + (closes ? ["close"] : [])).joined(separator: "-")
      + ", \(calls) calls"
  }
}

/// A fixture with a client's bytes, whose name is the expected outcome: `NAME.200-404-close.http`.
struct FramingCase: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let outcome: Outcome

  static let all = ProjectFiles.entries(of: "Tests/Fixtures/Server/Framing", suffix: ".http")
    .compactMap(FramingCase.init)

  init?(_ path: String) {
    let parts = URL(filePath: path).lastPathComponent.split(separator: ".")
    guard parts.count == 3, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      return nil
    }
    name = String(parts[0])
    bytes = EscapedBytes.decode(text)
    let responses = parts[1].split(separator: "-")
    outcome = Outcome(
      statuses: responses.compactMap { Int($0) }, closes: responses.last == "close",
      calls: responses.filter { $0 == "200" }.count)
  }

  var testDescription: String { name }

  /// The bytes, followed by a request that must not be parsed if the connection closes.
  var bytesWithSmuggledRequest: [UInt8] {
    guard outcome.closes else { return bytes }
    return bytes + "GET /here?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8
  }
}
