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

/// A server whose workers are killed all the while that it is asked.
///
/// `TENSORIO_KILL_SECONDS=200 swift test --filter KilledWorkerTests` takes ten minutes.
@Suite(.serialized) struct KilledWorkerTests {
  static let seconds = Platform.environment("TENSORIO_KILL_SECONDS").flatMap { Int($0) } ?? 2

  @Test(.timeLimit(.minutes(30)), arguments: [SIGKILL, SIGSEGV, SIGSTOP])
  func `only the requests that a killed worker was at are refused`(_ signal: Int32) async throws {
    let shop = try IsolatedShop()
    async let killing = onNewThread { shop.killWorkers(signal, Self.seconds) }
    let answers = try await shop.answers(Self.seconds)
    let kills = await killing
    let refused = answers.filter { $0.status != 200 }
    let recoveries = shop.recoveries(from: kills).sorted()
    let slowest = try #require(recoveries.last)
    print(
      "signal \(signal), \(Self.seconds) s: \(kills.count) kills, \(answers.count) requests, "
        + "\(refused.count) refused, a new worker after \(recoveries[recoveries.count / 2]), at most \(slowest)"
    )
    #expect(kills.count > Self.seconds * 2)
    #expect(answers.count > kills.count)
    #expect(refused.allSatisfy { $0.status == 503 && $0.isLost })
    #expect(refused.count <= kills.count)
    let patience = signal == SIGSTOP ? IsolatedShop.timeLimit : .zero
    let limit = Duration.milliseconds(
      Platform.environment("TENSORIO_KILL_SECONDS") == nil ? 3000 : 500)
    #expect(slowest <= patience + limit)
    // One may have been stopped while nobody asked it anything.
    let after = try (0..<5).map { _ in try shop.ask(shop.client()).status }
    #expect(after.contains(200))
  }
}

/// A server of one model in workers that are known.
private final class IsolatedShop: Sendable {
  static let timeLimit = Duration.milliseconds(500)
  private static let sessions = 4
  private let server: HTTPServer
  private let started = Starts()

  /// Which workers were started, and when.
  private final class Starts: Sendable {
    private let all = Mutex<[(id: Int32, time: ContinuousClock.Instant)]>([])

    func note(_ id: Int32) { all.withLock { $0.append((id, .now)) } }
    var ids: [Int32] { all.withLock { $0.map(\.id) } }
    var times: [ContinuousClock.Instant] { all.withLock { $0.map(\.time) } }
  }

  init() throws {
    let path = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
    let bundle = try ModelBundle(at: path)
    let entry = ModelCatalog.Entry(name: "diabetes", path: path, bundle: .success(bundle))
    let started = started
    let catalogue = ModelCatalog([entry]) { (_) throws(ModelError) in
      try Self.model(bundle, started)
    }
    let status = ServerStatus()
    let routes = PredictionRoutes(
      catalogue, ServerMetrics(), version: "0", status: status, isolation: .process)
    server = try HTTPServer(
      HTTPServer.Configuration(port: 0, workerThreads: Self.sessions, maxQueuedRequests: 64),
      router: Router(routes.routes), observer: SummaryLog(), status: status)
    Thread.detachNewThread { [server] in server.run() }
    #expect(try ask(client()).status == 200)
  }

  deinit { server.stopNow() }

  private static func model(
    _ bundle: ModelBundle, _ started: Starts
  ) throws(ModelError) -> Model {
    var backend = IsolatedBackend(
      .tflite, isolation: Isolation(timeout: timeLimit, maxCrashes: .max))
    backend.onWorkerLaunch = { started.note($0) }
    let model = try Model(bundle, on: backend, options: .init(threads: 1, sessions: sessions))
    try model.createAllSessions()
    return model
  }

  func client() throws -> RawHTTPClient { try RawHTTPClient(port: server.port) }

  struct Reply {
    var status: Int
    /// Whether it says that its worker was lost.
    var isLost: Bool
  }

  func ask(_ client: RawHTTPClient) throws -> Reply {
    client.post(
      "/v2/models/diabetes/predict", json: "[61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]")
    let answer = try client.response()
    return Reply(status: answer.status, isLost: answer.text.contains(#""worker-lost""#))
  }

  /// What clients are answered who ask without a pause.
  func answers(_ seconds: Int) async throws -> [Reply] {
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
    while ContinuousClock.now < end { replies.append(try ask(client)) }
    return replies
  }

  /// Sends a signal to a worker every 100 ms; when it did.
  func killWorkers(_ signal: Int32, _ seconds: Int) -> [ContinuousClock.Instant] {
    let end = ContinuousClock.now + .seconds(seconds)
    var kills: [ContinuousClock.Instant] = []
    var killed: Set<Int32> = []
    while ContinuousClock.now < end - .milliseconds(600) {
      usleep(100_000)
      let alive = started.ids.filter { !killed.contains($0) }
      guard let worker = alive.randomElement(), kill(worker, signal) == 0 else { continue }
      killed.insert(worker)
      kills.append(.now)
    }
    return kills
  }

  /// How long it took until there was another worker for each that was killed.
  func recoveries(from kills: [ContinuousClock.Instant]) -> [Duration] {
    zip(kills, started.times.dropFirst(Self.sessions)).map { $0.duration(to: $1) }
  }
}
