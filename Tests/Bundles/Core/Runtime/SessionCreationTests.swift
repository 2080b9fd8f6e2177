import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite(.hangGuard) struct SessionCreationTests {
  @Test func `Sequential callers need only one session`() async throws {
    let fixture = try PoolFixture(capacity: 4)
    #expect(fixture.sessionCount == 1)
    for caller in 0..<200 {
      _ = try fixture.run(caller)
      _ = try await fixture.submit(caller)
    }
    #expect(fixture.sessionCount == 1)
  }

  @Test(arguments: [-1, 0, 1, 3])
  func `Sessions are created on demand, up to the capacity`(
    capacity: Int
  ) async throws {
    let fixture = try PoolFixture(capacity: capacity)
    let gate = TestGate()
    var holders: [Task<Void, any Error>] = []
    for made in 1...max(1, capacity) {
      holders.append(try await fixture.hold(gate))
      #expect(fixture.sessionCount == made)
    }
    async let late = fixture.submit(9)
    try await waitUntil { fixture.pool.waitingCount == 1 }
    gate.open()
    #expect(try await late == 9)
    for holder in holders { try await holder.value }
    #expect(fixture.sessionCount == max(1, capacity))
  }

  private let expectedError = ModelError(.runtime, .modelRejected(detail: "no memory"))

  @Test func `A pool without a first session cannot be created`() {
    #expect(throws: expectedError) {
      try SessionPool(capacity: 2) { () throws(ModelError) in throw expectedError }
    }
  }

  @Test func `A failure to create a session is not cached`() async throws {
    let attempts = Counter()
    let model = FakeModel.identity(TensorInfo(name: "", elementType: .uint8, shape: [1]))
    let pool = try SessionPool(capacity: 2) { () throws(ModelError) in
      guard ![2, 3].contains(attempts.increment()) else { throw expectedError }
      return try model.makeSession(SessionOptions())
    }
    let gate = TestGate()
    let holder = Task { try await pool.submit { _ throws(ModelError) in gate.wait() } }
    try await waitUntil { gate.waiterCount == 1 }
    #expect(throws: expectedError) { try pool.withSession { _ in } }
    await #expect(throws: expectedError) { try await pool.submit { _ in } }
    #expect(try await pool.submit { _ in "made" } == "made")
    #expect(model.sessionCount.value == 2)
    gate.open()
    try await holder.value
  }

  @Test func `A body that throws releases its session`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let failure = ModelError(.run, .callFailed(function: "f", status: 1, message: ""))
    for caller in 0..<3 {
      #expect(throws: failure) {
        try fixture.pool.withSession { _ throws(ModelError) in throw failure }
      }
      await #expect(throws: failure) {
        try await fixture.pool.submit { _ throws(ModelError) in throw failure }
      }
      #expect(try fixture.run(caller) == UInt8(caller))
    }
    #expect(fixture.sessionCount == 1)
  }
}
