import Foundation
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests for models that hang, that are merged, and that leave.
@Suite(.hangGuard, .ownThreads) struct ModelLaneTests {
  /// A server with routes whose lane is the name in the path.
  private final class LaneServer: Sendable {
    let gate = TestGate()
    let server: HTTPServer
    private let thread: Void

    init(
      workerThreads: Int = 2, maxQueued: Int = 64,
      _ routes: (TestGate) throws -> [Route] = { _ in [] }
    ) throws {
      let gate = gate
      let own = [
        Route(.get, "/models/:name/gate") { _ in
          gate.wait()
          return HTTPResponse(type: "text/plain", body: [])
        },
        Route(.get, "/models/:name/here") { _ in HTTPResponse(type: "text/plain", body: []) },
      ]
      let configuration = HTTPServer.Configuration(
        port: 0, workerThreads: workerThreads, maxQueuedRequests: maxQueued)
      let server = try HTTPServer(
        configuration, router: Router(try routes(gate) + own), observer: RequestRecorder())
      self.server = server
      thread = Thread.detachNewThread { server.run() }
    }

    deinit {
      gate.open()
      server.stopNow()
    }

    func client() throws -> RawHTTPClient { try RawHTTPClient(port: server.port) }
  }

  @Test func `Models that use up their threads do not delay others`() throws {
    let server = try LaneServer()
    let hanging = try (0..<6).map { number in
      let client = try server.client()
      client.get("/models/hanging-\(number % 3)/gate")
      return client
    }
    let client = try server.client()
    var longest = Duration.zero
    for _ in 0..<200 {
      let start = ContinuousClock.now
      client.get("/models/good/here")
      #expect(try client.response().status == 200)
      longest = max(longest, start.duration(to: .now))
    }
    // Far below the 60 s for which a model may hang; the threads are replaced after 50 ms.
    #expect(longest < .seconds(10))
    #expect(server.gate.waiterCount == 6)
    server.gate.open()
    for client in hanging { #expect(try client.response().status == 200) }
  }

  @Test func `A lane takes as many requests as it runs and queues`() async throws {
    let server = try LaneServer(workerThreads: 2, maxQueued: 4)
    let clients = try (0..<50).map { _ in try server.client() }
    for client in clients { client.get("/models/a/gate") }
    try await waitUntil { server.server.load.queuedRequests == 4 }
    let other = try server.client()
    other.get("/models/b/here")
    #expect(try other.response().status == 200)
    server.gate.open()
    let statuses = try clients.map { try $0.response().status }
    #expect(statuses.count { $0 == 200 } == 6)
    #expect(statuses.count { $0 == 503 } == 44)
  }

  @Test func `Requests about a model do not wait for its runs`() async throws {
    let bundle = try TestBundle()
    defer { withExtendedLifetime(bundle) {} }
    let server = try LaneServer(workerThreads: 1, maxQueued: 1) { gate in
      let pair = TensorInfo(name: "t", elementType: .float32, shape: [1, 2])
      let model = try bundle.open(
        FakeModel(inputs: [pair], outputs: [pair]) { inputs in
          gate.wait()
          return inputs
        })
      let catalog = ModelCatalog([.init(name: "m", path: "m", bundle: nil)]) { _ in model }
      return PredictionRoutes(
        catalog, ServerMetrics(), version: "1", status: ServerStatus(), isolation: nil
      ).routes
    }
    func post(_ path: String, _ body: String) throws -> RawHTTPClient {
      let client = try server.client()
      client.send(
        Array(
          ("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8))
      return client
    }
    let running = try post("/v2/models/m/predict", "[1, 2]")
    try await waitUntil { server.gate.waiterCount == 1 }
    let queued = try post("/v2/models/m/predict", "[1, 2]")
    try await waitUntil { server.server.load.queuedRequests == 1 }
    #expect(try post("/v2/models/m/predict", "[1, 2]").response().status == 503)
    let client = try server.client()
    for path in [
      "/v2", "/v2/models", "/v2/models/m", "/v2/models/m/versions/1", "/v2/models/m/ready",
      "/v2/models/m/config", "/v2/models/m/stats", "/v2/models/stats", "/v2/trace/setting",
      "/v2/logging", "/v1/models", "/v1/models/m", "/v1/models/m/metadata", "/metrics",
    ] {
      client.get(path)
      #expect(try client.response().status == 200, "\(path)")
    }
    #expect(try post("/v2/repository/index", "{}").response().status == 200)
    let clients = try (0..<50).map { _ in try server.client() }
    for client in clients { client.get("/v2/models/m") }
    for client in clients { #expect(try client.response().status == 200) }
    #expect(server.gate.waiterCount == 1 && server.server.load.queuedRequests == 1)
    server.gate.open()
    #expect(try running.response().status == 200)
    #expect(try queued.response().status == 200)
  }

  @Test func `A thousand requests run at the same time on a thousand threads`() async throws {
    let server = try LaneServer(workerThreads: 1000)
    let clients = try (0..<1000).map { _ in try server.client() }
    for client in clients { client.get("/models/a/gate") }
    try await waitUntil { server.gate.waiterCount == 1000 }
    #expect(server.server.load.activeRequests == 1000)
    server.gate.open()
    for client in clients { #expect(try client.response().status == 200) }
  }

  @Test(arguments: [false, true])
  func `A client that closes only its sending side gets its response`(isQueued: Bool) async throws {
    let server = try LaneServer(workerThreads: 1)
    let first = try server.client()
    if isQueued {
      first.get("/models/a/gate")
      try await waitUntil { server.gate.waiterCount == 1 }
    }
    let client = try server.client()
    client.get("/models/a/gate")
    client.shutdownWrite()
    try await Task.sleep(for: .milliseconds(100))
    server.gate.open()
    #expect(try client.response().status == 200)
    #expect(throws: Never.self) { try client.waitForClose() }
  }

  @Test func `Waiting requests for one model are merged, and a bad one costs only itself`()
    async throws
  {
    let (sizes, bundle, served) = try Self.dynamicModel()
    defer { withExtendedLifetime(bundle) {} }
    let server = try LaneServer(workerThreads: 1) { [Self.sum(served, $0)] }
    func send(_ body: [UInt8]) throws -> RawHTTPClient { try Self.post(body, to: server) }
    let blocked = try send([0])
    try await waitUntil { server.gate.waiterCount == 1 }
    let clients = try (1...16).map { try send($0 == 5 ? [1, 2, 3] : [$0, 10]) }
    try await waitUntil { server.server.load.queuedRequests == 16 }
    server.gate.open()
    #expect(try blocked.response().status == 200)
    for (index, client) in clients.enumerated() {
      let response = try client.response()
      #expect(response.status == (index == 4 ? 400 : 200))
      #expect(index == 4 || response.body == [UInt8(index + 11)])
    }
    // The bad item makes the merged run fail before the model runs; the others then run alone.
    #expect(sizes.withLock(\.self).count <= 16)
    let more = try send([0])
    _ = try more.response()
    sizes.withLock { $0 = [] }
    #expect(
      served.run(merging: (1...8).map { .value(.numbers(Numbers(.floats([Float($0), 1])))) })
        .allSatisfy {
          (try? $0.get()) != nil
        })
    #expect(sizes.withLock(\.self) == [8])
    #expect(served.statistics.current.batches.keys.contains(8))
  }

  @Test func `Threads share the requests that wait`() async throws {
    let (sizes, bundle, served) = try Self.dynamicModel()
    defer { withExtendedLifetime(bundle) {} }
    let server = try LaneServer(workerThreads: 2) { [Self.sum(served, $0)] }
    let blocked = try (0..<2).map { _ in try Self.post([0], to: server) }
    try await waitUntil { server.gate.waiterCount == 2 }
    let clients = try (1...16).map { try Self.post([$0, 10], to: server) }
    try await waitUntil { server.server.load.queuedRequests == 16 }
    server.gate.open()
    for client in blocked + clients { #expect(try client.response().status == 200) }
    // A thread that took all of them would leave none for the other one.
    let runs = sizes.withLock(\.self)
    #expect(runs.reduce(0, +) == 16 && runs.max() ?? 0 <= 9, "\(runs)")
  }

  /// A route that adds two numbers, or waits for the gate.
  private static func sum(_ served: ServedModel, _ gate: TestGate) -> Route {
    Route(
      .post, "/models/:name/sum",
      async: { request in
        let numbers = request.body.map { Float($0) }
        if numbers == [0] {
          gate.wait()
          return HTTPResponse(type: "text/plain", body: [])
        }
        let input = ModelInput.value(.numbers(Numbers(.floats(numbers))))
        switch await request.context.run(served, input) {
        case .success(let result):
          let value = (try? result.output["y"].value(as: Float.self)) ?? -1
          return HTTPResponse(type: "text/plain", body: [UInt8(value)])
        case .failure: return HTTPResponse(.badRequest, type: "text/plain", body: [])
        }
      })
  }

  private static func post(_ body: [UInt8], to server: LaneServer) throws -> RawHTTPClient {
    let client = try server.client()
    client.send(
      Array(
        "POST /models/m/sum HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
          .utf8)
        + body)
    return client
  }

  /// A model with a free batch dimension that adds two numbers.
  private static func dynamicModel() throws -> (BatchSizes, TestBundle, ServedModel) {
    let sizes = BatchSizes()
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1, 2]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1, 1]}"#)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "t", elementType: .float32, shape: [-1, 2])],
        outputs: [TensorInfo(name: "u", elementType: .float32, shape: [-1, 1])]
      ) { inputs in
        let values = inputs[0].values(of: Float.self)
        sizes.withLock { $0.append(values.count / 2) }
        return [
          stride(from: 0, to: values.count, by: 2).map { values[$0] + values[$0 + 1] }.rawBytes
        ]
      })
    #expect(model.supportsBatching)
    return (sizes, bundle, try ServedModel("m", model))
  }

  /// The sizes of the batches that a model ran.
  private final class BatchSizes: Sendable {
    private let sizes = Mutex<[Int]>([])

    func withLock<Value: Sendable>(_ body: (inout [Int]) -> Value) -> Value {
      sizes.withLock { body(&$0) }
    }
  }
}
