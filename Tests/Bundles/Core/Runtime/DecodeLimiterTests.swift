import Foundation
import Synchronization
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite(.hangGuard) struct DecodeLimiterTests {
  /// The number of callers inside a section, now and at most.
  private final class ConcurrencyCounter: Sendable {
    private let state = Mutex((current: 0, peak: 0))

    var peak: Int { state.withLock { $0.peak } }

    func enter() {
      state.withLock { $0 = ($0.current + 1, max($0.peak, $0.current + 1)) }
    }

    func leave() { state.withLock { $0.current -= 1 } }
  }

  /// The callers that received a slot, in order.
  private final class CallOrder: Sendable {
    private let state = Mutex<[Int]>([])

    var callers: [Int] { state.withLock { $0 } }

    func append(_ caller: Int) { state.withLock { $0.append(caller) } }
  }

  private static func encodedImage() throws -> [UInt8] {
    try ImageBuffer.filled(width: 8, height: 8, red: 10, green: 20, blue: 30).encoded(as: .png)
  }

  /// A model with one image input that waits for a gate when it is run.
  private static func model(gate: TestGate, options: OpeningOptions) throws -> Model {
    let image = #""type": "image", "shape": [1,1,3], "format": "RGB""#
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [1, 1, 1, 3])
    let fake = FakeModel(inputs: [tensor], outputs: [tensor]) { inputs in
      gate.wait()
      return inputs
    }
    return try TestBundle(
      inputs: #"{"name": "x", \#(image)}"#, outputs: #"{"name": "y", \#(image)}"#,
      model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#
    ).open(fake, options: options)
  }

  @Test(arguments: [-1, 0, 1, 3])
  func `No more images are decoded at the same time than there are slots`(
    capacity: Int
  ) async throws {
    let limiter = DecodeLimiter(capacity: capacity)
    let counter = ConcurrencyCounter()
    let bytes = try Self.encodedImage()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let slot = try await limiter.acquireSlot()
          counter.enter()
          _ = try ImageBuffer(decoding: bytes)
          counter.leave()
          slot.release()
          slot.release()
        }
      }
      try await group.waitForAll()
    }
    #expect((1...max(1, capacity)).contains(counter.peak))
    #expect(limiter.waitingCount == 0)
  }

  @Test(arguments: [1, 2])
  func `A thousand submitted images are decoded no faster than sessions become free`(
    sessions: Int
  ) async throws {
    let gate = TestGate()
    let options = OpeningOptions(threads: 1, sessions: sessions)
    let model = try Self.model(gate: gate, options: options)
    let pipeline = try #require(model.pipeline)
    let data = Data(try Self.encodedImage())
    let canceled = Counter()
    let completed = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          do throws(ModelError) {
            _ = try await model.submit(data)
            return true
          } catch {
            #expect(error == ModelError(.run, .cancelled))
            canceled.increment()
            return false
          }
        }
      }
      // Every session has a run, every slot an image that waits for a session.
      try await waitUntil {
        gate.waiterCount == sessions && pipeline.sessions.waitingCount == sessions
          && pipeline.decodeLimiter.waitingCount == 1000 - 2 * sessions
      }
      // Running 1000 items one by one takes long; only those that have started are completed.
      group.cancelAll()
      try await waitUntil { canceled.value == 1000 - sessions }
      gate.open()
      return try await group.reduce(0) { count, isCompleted in count + (isCompleted ? 1 : 0) }
    }
    #expect(completed == sessions)
    #expect(pipeline.decodeLimiter.waitingCount == 0)
    #expect(try await model.submit(data).layers.count == 1)
  }

  @Test func `Tasks receive slots in the order in which they requested them`() async throws {
    let limiter = DecodeLimiter(capacity: 1)
    let first = try await limiter.acquireSlot()
    let order = CallOrder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<20 {
        group.addTask {
          let slot = try await limiter.acquireSlot()
          order.append(caller)
          slot.release()
        }
        try await waitUntil { limiter.waitingCount == caller + 1 }
      }
      first.release()
      try await group.waitForAll()
    }
    #expect(order.callers == Array(0..<20))
  }

  @Test func `A task that is canceled while it waits leaves the queue`() async throws {
    let limiter = DecodeLimiter(capacity: 1)
    let slot = try await limiter.acquireSlot()
    let task = Task { _ = try await limiter.acquireSlot() }
    try await waitUntil { limiter.waitingCount == 1 }
    task.cancel()
    await #expect(throws: ModelError(.run, .cancelled)) { try await task.value }
    #expect(limiter.waitingCount == 0)
    slot.release()
    try await limiter.acquireSlot().release()
  }

  @Test func `A canceled run gives its slot to the next image`() async throws {
    let gate = TestGate()
    let model = try Self.model(gate: gate, options: OpeningOptions(threads: 1))
    let pipeline = try #require(model.pipeline)
    let data = Data(try Self.encodedImage())
    let running = Task { try await model.submit(data) }
    try await waitUntil { gate.waiterCount == 1 }
    let decoded = Task { try await model.submit(data) }
    try await waitUntil { pipeline.sessions.waitingCount == 1 }
    let queued = Task { try await model.submit(data) }
    try await waitUntil { pipeline.decodeLimiter.waitingCount == 1 }
    decoded.cancel()
    await #expect(throws: ModelError(.run, .cancelled)) { try await decoded.value }
    try await waitUntil {
      pipeline.decodeLimiter.waitingCount == 0 && pipeline.sessions.waitingCount == 1
    }
    gate.open()
    #expect(try await running.value == queued.value)
  }

  @Test func `The session timeout covers the wait for a slot`() async throws {
    let gate = TestGate()
    let options = OpeningOptions(threads: 1, sessionTimeout: .milliseconds(5))
    let model = try Self.model(gate: gate, options: options)
    let data = Data(try Self.encodedImage())
    let running = Task { try await model.submit(data) }
    try await waitUntil { gate.waiterCount == 1 }
    let timedOut = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<10 {
        group.addTask {
          do throws(ModelError) {
            _ = try await model.submit(data)
            return false
          } catch {
            return error == ModelError(.run, .timedOut)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(timedOut == Array(repeating: true, count: 10))
    gate.open()
    _ = try await running.value
    _ = try await model.submit(data)
  }
}
