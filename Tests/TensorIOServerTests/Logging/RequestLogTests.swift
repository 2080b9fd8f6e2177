import Synchronization
import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct RequestLogTests {
  private static let summary = CompletedRequest(
    id: "id\u{1B}[1m", method: "GET", path: "/a\n\u{2028}b", routePattern: "", status: 404, requestBytes: 5,
    responseBytes: 7, duration: .microseconds(1500), queueDuration: .microseconds(20))

  private func lines(
    _ form: AccessLog.Format, onlyFailures: Bool = false, _ summaries: [CompletedRequest] = [summary]
  ) -> [String] {
    let written = Written()
    let log = AccessLog(form, onlyServerErrors: onlyFailures) { written.add($0) }
    let observers = CompositeRequestObserver([log])
    summaries.forEach(observers.requestCompleted)
    return written.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `a program reads an object on each line`() throws {
    let lines = lines(.json, [Self.summary, Self.summary])
    #expect(lines.count == 3 && lines[2].isEmpty)
    let tree = try JSONTree(lines[0])
    #expect(tree["path"]?.string == "/a\n\u{2028}b")
    #expect(tree["status"]?.number == 404)
    #expect(tree["ms"]?.number == 1.5)
    #expect(tree["wait_ms"]?.number == 0.02)
    let time = try #require(tree["time"]?.string)
    #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
  }

  @Test func `a person reads a short line, which no request breaks`() {
    let lines = lines(.text)
    #expect(lines.count == 2)
    #expect(lines[0].hasSuffix(" GET /a\u{FFFD}\u{FFFD}b 404 1.5 ms 7 bytes id\u{FFFD}[1m"))
  }

  @Test func `a quiet log tells what the server has failed in`() {
    var failed = Self.summary
    failed.status = 500
    #expect(lines(.text, onlyFailures: true, [Self.summary, failed]).count == 2)
    #expect(lines(.text, onlyFailures: true) == [""])
  }
}

private final class Written: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
}
