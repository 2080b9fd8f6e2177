import Synchronization
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOCore

/// A pool of fake sessions that records how they are used.
final class PoolFixture: Sendable {
  let pool: SessionPool
  private let model: FakeModel
  private let order = Mutex<[Int]>([])
  private let inUse = Mutex<[ObjectIdentifier: Int]>([:])
  private let collisions = Counter()

  init(capacity: Int, waitLimit: Duration? = nil) throws {
    let tensor = TensorInfo(name: "", elementType: .uint8, shape: [1])
    let model = FakeModel.identity(tensor)
    self.model = model
    pool = try SessionPool(capacity: capacity, timeout: waitLimit) {
      () throws(ModelError) in try model.makeSession(SessionOptions())
    }
  }

  /// The number of sessions that were created.
  var sessionCount: Int { model.sessionCount.value }
  /// The number of times two callers used a session at once.
  var collisionCount: Int { collisions.value }
  /// The callers that had a session, in order.
  var served: [Int] { order.withLock { $0 } }

  /// Records that a caller has a session, and uses it.
  func use(_ session: any Session, by caller: Int) throws(ModelError) -> UInt8 {
    let key = ObjectIdentifier(session)
    if inUse.withLock({ $0.updateValue(caller, forKey: key) }) != nil { collisions.increment() }
    defer { inUse.withLock { $0[key] = nil } }
    order.withLock { $0.append(caller) }
    try session.fill(0) { (memory) throws(ModelError) in memory.copy([UInt8(caller)]) }
    try session.invoke()
    return try session.bytes()[0]
  }

  /// Uses a session on the calling thread.
  func run(_ caller: Int) throws(ModelError) -> UInt8 {
    try pool.withSession { (session) throws(ModelError) in try use(session, by: caller) }
  }

  /// Uses a session from a task.
  func submit(_ caller: Int) async throws(ModelError) -> UInt8 {
    try await pool.submit { (session) throws(ModelError) in try self.use(session, by: caller) }
  }

  /// Holds a session until a gate is opened; returns once the session has been acquired.
  func hold(_ gate: TestGate) async throws -> Task<Void, any Error> {
    let arrived = gate.waiterCount
    let task = Task { try await pool.submit { _ throws(ModelError) in gate.wait() } }
    try await waitUntil { gate.waiterCount > arrived }
    return task
  }
}
