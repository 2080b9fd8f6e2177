import Foundation
import TensorIOTestSupport
import Testing

/// What becomes of what a client sends.
struct Outcome: Equatable, CustomStringConvertible {
  var statuses: [Int] = []
  /// Whether the connection ends with the last answer.
  var closes = false
  /// How many requests came as far as a handler.
  var calls = 0

  var description: String {
    (statuses.map(String.init) + (closes ? ["close"] : [])).joined(separator: "-")
      + ", \(calls) calls"
  }
}

/// A file with the bytes of a client, whose name says what becomes of them: `NAME.200-404-close.http`.
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
    bytes = EscapedBytes.read(text)
    let answers = parts[1].split(separator: "-")
    outcome = Outcome(
      statuses: answers.compactMap { Int($0) }, closes: answers.last == "close",
      calls: answers.filter { $0 == "200" }.count)
  }

  var testDescription: String { name }

  /// The bytes, and a request behind them that nobody may see when the connection ends.
  var bytesAndMore: [UInt8] {
    guard outcome.closes else { return bytes }
    return bytes + "GET /here?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8
  }
}
