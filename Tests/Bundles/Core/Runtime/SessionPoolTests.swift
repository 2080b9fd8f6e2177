import Dispatch
import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite(.hangGuard) struct SessionPoolTests {
  @Test(arguments: [1, 2])
  func `Two hundred tasks and threads finish without sharing a session`(capacity: Int) async throws
  {
    let fixture = try PoolFixture(capacity: capacity)
    let outputs = try await withThrowingTaskGroup(of: UInt8.self) { group in
      for caller in 0..<200 {
        group.addTask {
          switch caller % 4 {
          case 0: try fixture.run(caller)
          case 1: try await onNewThread { Result { try fixture.run(caller) } }.get()
          default: try await fixture.submit(caller)
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outputs.sorted() == [UInt8](0..<200))
    #expect(fixture.collisionCount == 0)
    #expect(fixture.sessionCount <= capacity)
    #expect(fixture.pool.waitingCount == 0)
  }

  @Test func `Callers blocking all threads of Dispatch do not cause a deadlock`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let gate = TestGate()
    let outputs = Counter()
    let holder = try await fixture.hold(gate)
    async let task = fixture.submit(100)
    try await waitUntil { fixture.pool.waitingCount == 1 }
    // Swift's tasks share these threads, so the code up to opening the gate must not be a task.
    let output = await onNewThread {
      for caller in 0..<100 {
        DispatchQueue.global().async {
          if (try? fixture.run(caller)) == UInt8(caller) { outputs.increment() }
        }
      }
      while fixture.pool.waitingCount < 2 { Thread.sleep(forTimeInterval: 0.001) }
      gate.open()
      while outputs.value < 100 { Thread.sleep(forTimeInterval: 0.001) }
      return fixture.served.first
    }
    #expect(output == 100)
    #expect(try await task == 100)
    try await holder.value
  }

  @Test func `Tasks and threads are served first come, first served`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let gate = TestGate()
    let holder = try await fixture.hold(gate)
    let callers = try await withThrowingTaskGroup(of: UInt8.self) { group in
      for caller in 0..<12 {
        group.addTask {
          caller.isMultiple(of: 2)
            ? try await fixture.submit(caller)
            : try await onNewThread { Result { try fixture.run(caller) } }.get()
        }
        try await waitUntil { fixture.pool.waitingCount == caller + 1 }
      }
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await holder.value
    #expect(callers.count == 12)
    #expect(fixture.served == Array(0..<12))
  }

  @Test func `A task that is canceled while it waits leaves the queue`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let gate = TestGate()
    let holder = try await fixture.hold(gate)
    let task = Task { try await fixture.submit(7) }
    try await waitUntil { fixture.pool.waitingCount == 1 }
    task.cancel()
    let error = await #expect(throws: ModelError.self) { try await task.value }
    #expect(error == ModelError(.run, .cancelled))
    #expect(fixture.pool.waitingCount == 0)
    gate.open()
    try await holder.value
    #expect(try await fixture.submit(8) == 8)
    #expect(fixture.served == [8])
  }

  @Test func `A task that has been canceled does not wait`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let gate = TestGate()
    let holder = try await fixture.hold(gate)
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await fixture.submit(7)
    }
    let error = await #expect(throws: ModelError.self) { try await task.value }
    #expect(error?.reason == .cancelled)
    gate.open()
    try await holder.value
  }

  @Test func `Work that has started is completed after cancellation`() async throws {
    let fixture = try PoolFixture(capacity: 1)
    let gate = TestGate()
    let task = Task {
      try await fixture.pool.submit { _ throws(ModelError) in
        gate.wait()
        return "done"
      }
    }
    try await waitUntil { gate.waiterCount == 1 }
    task.cancel()
    gate.open()
    #expect(try await task.value == "done")
  }

  @Test func `A caller that times out can try again`() async throws {
    let fixture = try PoolFixture(capacity: 1, waitLimit: .milliseconds(5))
    let gate = TestGate()
    let holder = try await fixture.hold(gate)
    let timedOut = ModelError(.run, .timedOut)
    let thread = await onNewThread { Result { try fixture.run(1) } }
    #expect(throws: timedOut) { try thread.get() }
    await #expect(throws: timedOut) { try await fixture.submit(2) }
    #expect(fixture.pool.waitingCount == 0)
    gate.open()
    try await holder.value
    #expect(try fixture.run(3) == 3)
    #expect(try await fixture.submit(4) == 4)
    #expect(fixture.served == [3, 4])
  }

  @Test(arguments: [.zero, .seconds(-1)] as [Duration])
  func `A timeout of zero still allows using a free session`(limit: Duration) async throws {
    let fixture = try PoolFixture(capacity: 1, waitLimit: limit)
    for caller in 0..<200 {
      #expect(try await fixture.submit(caller) == UInt8(caller))
      #expect(try fixture.run(caller) == UInt8(caller))
    }
  }

  @Test(arguments: [.seconds(Int64.max), .seconds(1 << 50), .seconds(3600)] as [Duration])
  func `The timeout can be as long as any duration`(limit: Duration) async throws {
    let fixture = try PoolFixture(capacity: 1, waitLimit: limit)
    let gate = TestGate()
    let holder = try await fixture.hold(gate)
    async let thread = onNewThread { Result { try fixture.run(1) } }
    async let task = fixture.submit(2)
    try await waitUntil { fixture.pool.waitingCount == 2 }
    gate.open()
    #expect(try await thread.get() == 1)
    #expect(try await task == 2)
    try await holder.value
  }
}
