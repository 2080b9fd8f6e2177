import Foundation
import Synchronization
import TensorIO
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOServer

/// A server whose worker processes are killed under load.
///
/// `TENSORIO_KILLS` is the number of killed processes for each signal. If it is set, the machine is expected
/// to be idle, and the time until a process is relaunched is limited; `Scripts/check/deep load` sets it.
@Suite(.serialized, .ownThreads) struct KilledWorkerTests {
  static let kills = Platform.environment("TENSORIO_KILLS").flatMap { Int($0) }

  @Test(.hangGuard(isLong: kills != nil), arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `Only the requests in a killed worker process fail`(_ signal: Int32) async throws {
    let timeout = try Self.timeout(signal)
    let server = try IsolatedModelServer(timeout: timeout)
    async let killing = onNewThread { server.killWorkers(signal, Self.kills ?? 12) }
    let responses = try await server.responses()
    let kills = await killing
    let failed = responses.filter { $0.status != 200 }
    let recoveries = server.recoveries(from: kills).sorted()
    let slowest = try #require(recoveries.last)
    print(
      "signal \(signal): \(kills.count) kills, \(responses.count) requests, "
        + "\(failed.count) failed, relaunched after \(recoveries[recoveries.count / 2]), "
        + "at most \(slowest)"
    )
    #expect(kills.count == Self.kills ?? 12)
    #expect(responses.count > kills.count)
    #expect(failed.allSatisfy { $0.status == 503 && $0.isWorkerCrash })
    #expect(failed.count <= kills.count)
    if Self.kills != nil {
      #expect(slowest <= (signal == SIGSTOP ? timeout : .zero) + .milliseconds(500))
    }
    // An idle worker process may still be stopped by SIGSTOP.
    let after = try (0..<5).map { _ in try server.predict(server.client()).status }
    #expect(after.contains(200))
  }

  /// The timeout of a worker process, which only a stopped one may exceed.
  private static func timeout(_ signal: Int32) throws -> Duration {
    if signal != SIGSTOP { return HangGuard.step }
    if kills != nil { return .milliseconds(500) }
    return try HangGuard.limit { _ = try IsolatedModelServer(timeout: HangGuard.step) }
  }
}

/// A server of one isolated model whose worker processes are known.
private final class IsolatedModelServer: Sendable {
  private static let sessions = 4
  private let server: HTTPServer
  private let launches = LaunchLog()
  private let successes = Atomic(0)
  private let hasKilledAll = Atomic(false)

  /// The worker processes that were launched, and when.
  private final class LaunchLog: Sendable {
    private let all = Mutex<[(id: Int32, time: ContinuousClock.Instant)]>([])

    func record(_ id: Int32) { all.withLock { $0.append((id, .now)) } }
    var ids: [Int32] { all.withLock { $0.map(\.id) } }
    var times: [ContinuousClock.Instant] { all.withLock { $0.map(\.time) } }
  }

  init(timeout: Duration) throws {
    let path = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
    let bundle = try ModelBundle(at: path)
    let entry = ModelCatalog.Entry(name: "diabetes", path: path, bundle: .success(bundle))
    let launches = launches
    let catalog = ModelCatalog([entry]) { (_) throws(ModelError) in
      try Self.model(bundle, launches, timeout)
    }
    let status = ServerStatus()
    let routes = PredictionRoutes(
      catalog, ServerMetrics(), version: "0", status: status, isolation: .process)
    server = try HTTPServer(
      HTTPServer.Configuration(port: 0, workerThreads: Self.sessions, maxQueuedRequests: 64),
      router: Router(routes.routes), observer: RequestRecorder(), status: status)
    Thread.detachNewThread { [server] in server.run() }
    #expect(try predict(client()).status == 200)
  }

  deinit { server.stopNow() }

  private static func model(
    _ bundle: ModelBundle, _ launches: LaunchLog, _ timeout: Duration
  ) throws(ModelError) -> Model {
    var backend = IsolatedBackend(
      .liteRT, isolation: Isolation(timeout: timeout, maxCrashes: .max))
    backend.onWorkerLaunch = { launches.record($0) }
    let model = try Model(bundle, on: backend, options: .init(threads: 1, sessions: sessions))
    try model.createAllSessions()
    return model
  }

  func client() throws -> RawHTTPClient { try RawHTTPClient(port: server.port) }

  struct Reply {
    var status: Int
    /// Whether the error is a crash of the worker process.
    var isWorkerCrash: Bool
  }

  func predict(_ client: RawHTTPClient) throws -> Reply {
    client.post(
      "/v2/models/diabetes/predict", json: "[61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]")
    let response = try client.response()
    return Reply(
      status: response.status, isWorkerCrash: response.text.contains(#""worker-crashed""#))
  }

  /// Returns the responses to clients that send requests without a pause until all processes are killed.
  func responses() async throws -> [Reply] {
    let clients = try (0..<Self.sessions).map { _ in try client() }
    return try await withThrowingTaskGroup { group in
      for client in clients {
        group.addTask { [self] in
          try await onNewThread { Result { try self.replies(client) } }.get()
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func replies(_ client: RawHTTPClient) throws -> [Reply] {
    var replies: [Reply] = []
    while !hasKilledAll.load(ordering: .acquiring) {
      let reply = try predict(client)
      if reply.status == 200 { successes.wrappingAdd(1, ordering: .relaxed) }
      replies.append(reply)
    }
    return replies
  }

  /// Sends a signal to random worker processes, each after 100 ms and some successful requests; returns the
  /// times.
  ///
  /// The last one has been replaced when the function returns.
  func killWorkers(_ signal: Int32, _ count: Int) -> [ContinuousClock.Instant] {
    defer { hasKilledAll.store(true, ordering: .releasing) }
    var kills: [ContinuousClock.Instant] = []
    var killed: Set<Int32> = []
    while kills.count < count {
      usleep(100_000)
      let next = successes.load(ordering: .relaxed) + 20
      while successes.load(ordering: .relaxed) < next { usleep(1000) }
      let alive = launches.ids.filter { !killed.contains($0) }
      guard let worker = alive.randomElement(), kill(worker, signal) == 0 else { continue }
      killed.insert(worker)
      kills.append(.now)
      // Three failures in a row would suspend the model, and on a busy machine a client may notice its own
      // late. Of stopped processes, two at a time are not replaced yet.
      let replaced = kills.count - (signal == SIGSTOP ? 1 : 0)
      while launches.ids.count < Self.sessions + replaced { usleep(1000) }
    }
    while launches.ids.count < Self.sessions + count { usleep(1000) }
    return kills
  }

  /// Returns the time from each kill to the launch of the next worker process.
  func recoveries(from kills: [ContinuousClock.Instant]) -> [Duration] {
    zip(kills, launches.times.dropFirst(Self.sessions)).map { $0.duration(to: $1) }
  }
}
