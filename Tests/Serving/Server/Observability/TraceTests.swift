import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Traces of requests, in logs and in a collector.
@Suite(.hangGuard, .ownThreads) struct TraceTests {
  private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parentID = "00f067aa0ba902b7"

  @Test func `A traceparent header is parsed`() {
    let context = TraceContext("00-\(Self.traceID)-\(Self.parentID)-01")
    #expect(context?.traceID == Self.traceID && context?.parentID == Self.parentID)
    #expect(context?.isSampled == true)
    #expect(TraceContext("00-\(Self.traceID)-\(Self.parentID)-00")?.isSampled == false)
    #expect(TraceContext("01-\(Self.traceID)-\(Self.parentID)-01-more")?.isSampled == true)
  }

  @Test(arguments: [
    "", "00", "00-x-y-01", "00-\(traceID)-\(parentID)", "ff-\(traceID)-\(parentID)-01",
    "00-\(traceID)-\(parentID)-01-more", "00-\(String(repeating: "0", count: 32))-\(parentID)-01",
    "00-\(traceID)-0000000000000000-01", "00-\(traceID.uppercased())-\(parentID)-01",
  ])
  func `An invalid traceparent header is ignored`(header: String) {
    #expect(TraceContext(header) == nil)
  }

  /// Collects the bodies of requests.
  private final class Collector: Sendable {
    let received: Texts
    let server: HTTPServer

    init() throws {
      let received = Texts()
      self.received = received
      let route = Route(.post, "/v1/traces") { request in
        received.add(String(decoding: request.body, as: UTF8.self))
        return HTTPResponse(type: "application/json", body: Array("{}".utf8))
      }
      server = try HTTPServer(
        HTTPServer.Configuration(port: 0, workerThreads: 1), router: Router([route]),
        observer: RequestRecorder())
    }
  }

  /// Texts that several threads add.
  private final class Texts: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock(\.self) }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  @Test func `The spans of a request reach a collector with the client's trace`() async throws {
    let collector = try Collector()
    let exporter = try #require(
      SpanExporter(endpoint: "http://127.0.0.1:\(collector.server.port)", version: "1") { _ in })
    #expect(exporter.start())
    async let collecting: Void = onNewThread { [server = collector.server] in server.run() }
    let bundle = try TestBundle()
    let served = try ServedModel("pair", bundle.open(.pair), version: "7")
    let start = 1_700_000_000_000_000_000
    var trace = RequestTrace(
      try #require(TraceContext("00-\(Self.traceID)-\(Self.parentID)-01")), start: start)
    let context = RequestContext(trace: trace)
    guard case .success(let output) = served.run(.value(.numbers(Numbers(.floats([1, 2]))))) else {
      Issue.record("the run failed")
      return
    }
    context.recordRun(of: served, output.timings)
    trace = try #require(context.trace)
    var summary = CompletedRequest(
      id: "r-1", method: "POST", path: "/v2/models/pair/predict",
      routePattern: "/v2/models/:name/predict", status: 200, requestBytes: 1, responseBytes: 1,
      duration: .milliseconds(5), queueDuration: .milliseconds(2))
    summary.trace = trace
    exporter.requestCompleted(summary)
    var unsampled = summary
    unsampled.trace = RequestTrace(
      TraceContext(traceID: Self.traceID, parentID: nil, isSampled: false), start: start)
    exporter.requestCompleted(unsampled)
    try await waitUntil { !collector.received.all.isEmpty }
    exporter.stop()
    collector.server.stop()
    await collecting
    #expect(collector.received.all.count == 1)
    let tree = try JSONTree(collector.received.all[0])
    let spans = try #require(
      tree["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.array)
    #expect(
      spans.compactMap { $0["name"]?.string } == [
        "POST /v2/models/:name/predict", "queue", "preprocess", "infer", "postprocess",
      ])
    #expect(spans.allSatisfy { $0["traceId"]?.string == Self.traceID })
    #expect(spans[0]["parentSpanId"]?.string == Self.parentID)
    #expect(spans[0]["endTimeUnixNano"]?.string == "\(start + 5_000_000)")
    #expect(spans[1]["endTimeUnixNano"]?.string == "\(start + 2_000_000)")
    #expect(
      spans.dropFirst().allSatisfy { $0["parentSpanId"]?.string == spans[0]["spanId"]?.string })
    #expect(spans[3]["attributes"]?[1]?["value"]?["stringValue"]?.string == "7")
  }

  @Test func `A collector that cannot be reached is reported once`() async throws {
    let received = Texts()
    let exporter = try #require(
      SpanExporter(endpoint: "http://127.0.0.1:9/", version: "1") { received.add($0) })
    #expect(exporter.start())
    var summary = CompletedRequest(
      id: "r", method: "GET", path: "/", routePattern: "", status: 404, requestBytes: 0,
      responseBytes: 0, duration: .milliseconds(1), queueDuration: nil)
    summary.trace = RequestTrace(.random(), start: 0)
    exporter.requestCompleted(summary)
    try await waitUntil { !received.all.isEmpty }
    exporter.requestCompleted(summary)
    exporter.stop()
    #expect(received.all.count == 1)
    #expect(received.all[0].contains("127.0.0.1:9"))
  }

  @Test(arguments: ["https://a", "a:1", "http://", "http://a b", "http://a:99999"])
  func `Only an http URL is an endpoint`(url: String) {
    #expect(SpanExporter(endpoint: url, version: "1") { _ in } == nil)
  }
}
