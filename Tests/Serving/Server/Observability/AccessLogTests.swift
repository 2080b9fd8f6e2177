import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct AccessLogTests {
  private static let summary = CompletedRequest(
    id: "id\u{1B}[1m", method: "GET", path: "/a\n\u{2028}b", routePattern: "", status: 404,
    requestBytes: 5,
    responseBytes: 7, duration: .microseconds(1500), queueDuration: .microseconds(20),
    client: "10.0.0.7")

  private func lines(
    _ format: AccessLog.Format, onlyServerErrors: Bool = false,
    _ summaries: [CompletedRequest] = [summary]
  ) -> [String] {
    let written = WrittenBytes()
    let log = AccessLog(format, onlyServerErrors: onlyServerErrors) { written.add($0) }
    let observers = CompositeRequestObserver([log])
    summaries.forEach(observers.requestCompleted)
    return written.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `The JSON log has an object on each line`() throws {
    let lines = lines(.json, [Self.summary, Self.summary])
    #expect(lines.count == 3 && lines[2].isEmpty)
    let tree = try JSONTree(lines[0])
    #expect(tree["path"]?.string == "/a\n\u{2028}b")
    #expect(tree["status"]?.number == 404)
    #expect(tree["client"]?.string == "10.0.0.7")
    #expect(tree["duration_ms"]?.number == 1.5)
    #expect(tree["queue_ms"]?.number == 0.02)
    let time = try #require(tree["time"]?.string)
    #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
  }

  @Test func `The text log escapes characters that would break a line`() {
    let lines = lines(.text)
    #expect(lines.count == 2)
    #expect(
      lines[0].hasSuffix(" 10.0.0.7 GET /a\u{FFFD}\u{FFFD}b 404 1.5 ms 7 bytes id\u{FFFD}[1m"))
  }

  @Test func `A line names the model, the error and its reason`() throws {
    var failed = Self.summary
    failed.modelName = "digits"
    failed.error = .init(code: "run-failed", message: "the model failed", reason: "/m: no memory")
    let tree = try JSONTree(lines(.json, [failed])[0])
    #expect(tree["model"]?.string == "digits")
    #expect(tree["error"]?.string == "run-failed" && tree["reason"]?.string == "/m: no memory")
    #expect(
      lines(.text, [failed])[0].hasSuffix(" model=digits error=run-failed reason=/m: no memory"))
    failed.error = .init(code: "invalid-input", message: "'secret' is no number")
    #expect(lines(.text, [failed])[0].hasSuffix(" model=digits error=invalid-input"))
    #expect(try JSONTree(lines(.json)[0])["error"] == nil)
  }

  @Test func `Events of the server are logged in both formats`() throws {
    let written = WrittenBytes()
    for format in AccessLog.Format.allCases {
      let log = AccessLog(format, onlyServerErrors: true) { written.add($0) }
      log.serverEvent("draining", "SIGTERM: stopping")
      #expect(written.text.isEmpty)
    }
    AccessLog(.json) { written.add($0) }.serverEvent("draining", "SIGTERM: stopping")
    let tree = try JSONTree(written.text)
    #expect(tree["event"]?.string == "draining" && tree["message"]?.string == "SIGTERM: stopping")
    AccessLog(.text, onlyServerErrors: true) { written.add($0) }
      .serverEvent("stopped", "SIGINT: stopped", isError: true)
    #expect(written.text.hasSuffix(" SIGINT: stopped\n"))
  }

  @Test func `A log of server errors omits other requests`() {
    var failed = Self.summary
    failed.status = 500
    #expect(lines(.text, onlyServerErrors: true, [Self.summary, failed]).count == 2)
    #expect(lines(.text, onlyServerErrors: true) == [""])
  }
}

private final class WrittenBytes: Sendable {
  private let bytes = Mutex<[UInt8]>([])

  var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
}
