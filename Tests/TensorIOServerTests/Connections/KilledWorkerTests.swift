import Foundation
import Synchronization
import TensorIO
import TensorIOCore
import TensorIOIsolation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOServer

/// A server whose worker processes are killed under load.
///
/// `TENSORIO_KILL_SECONDS=200 swift test --filter KilledWorkerTests` takes ten minutes.
@Suite(.serialized) struct KilledWorkerTests {
  static let seconds = Platform.environment("TENSORIO_KILL_SECONDS").flatMap { Int($0) } ?? 2

  @Test(.timeLimit(.minutes(30)), arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `Only the requests in a killed worker process fail`(_ signal: Int32) async throws {
    let server = try IsolatedModelServer()
    async let killing = onNewThread { server.killWorkers(signal, Self.seconds) }
    let responses = try await server.responses(Self.seconds)
    let kills = await killing
    let failed = responses.filter { $0.status != 200 }
    let recoveries = server.recoveries(from: kills).sorted()
    let slowest = try #require(recoveries.last)
    print(
      "signal \(signal), \(Self.seconds) s: \(kills.count) kills, \(responses.count) requests, "
        + "\(failed.count) failed, relaunched after \(recoveries[recoveries.count / 2]), "
        + "at most \(slowest)"
    )
    #expect(kills.count > Self.seconds * 2)
    #expect(responses.count > kills.count)
    #expect(failed.allSatisfy { $0.status == 503 && $0.isWorkerCrash })
    #expect(failed.count <= kills.count)
    let timeout = signal == SIGSTOP ? IsolatedModelServer.timeout : .zero
    let limit = Duration.milliseconds(
      Platform.environment("TENSORIO_KILL_SECONDS") == nil ? 3000 : 500)
    #expect(slowest <= timeout + limit)
    // An idle worker process may still be stopped by SIGSTOP.
    let after = try (0..<5).map { _ in try server.predict(server.client()).status }
    #expect(after.contains(200))
  }
}

/// A server of one isolated model whose worker processes are known.
private final class IsolatedModelServer: Sendable {
  static let timeout = Duration.milliseconds(500)
  private static let sessions = 4
  private let server: HTTPServer
  private let launches = LaunchLog()

  /// The worker processes that were launched, and when.
  private final class LaunchLog: Sendable {
    private let all = Mutex<[(id: Int32, time: ContinuousClock.Instant)]>([])

    func record(_ id: Int32) { all.withLock { $0.append((id, .now)) } }
    var ids: [Int32] { all.withLock { $0.map(\.id) } }
    var times: [ContinuousClock.Instant] { all.withLock { $0.map(\.time) } }
  }

  init() throws {
    let path = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
    let bundle = try ModelBundle(at: path)
    let entry = ModelCatalog.Entry(name: "diabetes", path: path, bundle: .success(bundle))
    let launches = launches
    let catalog = ModelCatalog([entry]) { (_) throws(ModelError) in
      try Self.model(bundle, launches)
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
    _ bundle: ModelBundle, _ launches: LaunchLog
  ) throws(ModelError) -> Model {
    var backend = IsolatedBackend(
      .tflite, isolation: Isolation(timeout: timeout, maxCrashes: .max))
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

  /// Returns the responses to clients that send requests without a pause.
  func responses(_ seconds: Int) async throws -> [Reply] {
    let clients = try (0..<Self.sessions).map { _ in try client() }
    return try await withThrowingTaskGroup { group in
      for client in clients {
        group.addTask { [self] in
          try await onNewThread { Result { try self.replies(client, seconds) } }.get()
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func replies(_ client: RawHTTPClient, _ seconds: Int) throws -> [Reply] {
    let end = ContinuousClock.now + .seconds(seconds)
    var replies: [Reply] = []
    while ContinuousClock.now < end { replies.append(try predict(client)) }
    return replies
  }

  /// Sends a signal to a random worker process every 100 ms; returns the times.
  func killWorkers(_ signal: Int32, _ seconds: Int) -> [ContinuousClock.Instant] {
    let end = ContinuousClock.now + .seconds(seconds)
    var kills: [ContinuousClock.Instant] = []
    var killed: Set<Int32> = []
    while ContinuousClock.now < end - .milliseconds(600) {
      usleep(100_000)
      let alive = launches.ids.filter { !killed.contains($0) }
      guard let worker = alive.randomElement(), kill(worker, signal) == 0 else { continue }
      killed.insert(worker)
      kills.append(.now)
    }
    return kills
  }

  /// Returns the time from each kill to the launch of the next worker process.
  func recoveries(from kills: [ContinuousClock.Instant]) -> [Duration] {
    zip(kills, launches.times.dropFirst(Self.sessions)).map { $0.duration(to: $1) }
  }
}
