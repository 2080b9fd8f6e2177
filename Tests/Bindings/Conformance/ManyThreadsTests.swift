import Dispatch
import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// One bundle that is opened, run, released and canceled on sixteen threads at the same time.
///
/// `TENSORIO_ROUNDS` sets the number of rounds. `Scripts/check/deep thread` uses the thread
/// sanitizer.
@Suite(.ownThreads) struct ManyThreadsTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["TENSORIO_ROUNDS"].flatMap { Int($0) } ?? 3
  private static let threads = 16
  private static let bundle = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
  private static let patient: [Float] = [61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]

  @Test(.hangGuard(isLong: rounds > 3))
  func `A bundle can be opened and run by sixteen threads at the same time`() async throws {
    let expected = try Model(at: Self.bundle).run(Self.patient)
    for _ in 0..<Self.rounds {
      let shared = try Model(
        at: Self.bundle, options: OpeningOptions(threads: 1, sessions: 2))
      let outputs = await together { try Self.work($0, shared) }
      for result in outputs {
        let result = try result.get()
        #expect(result == nil || result == expected)
      }
      #expect(outputs.count == Self.threads)
    }
    print("many threads: \(Self.rounds) rounds")
  }

  /// The work of one thread; `nil` if it does not wait for an output.
  private static func work(_ number: Int, _ shared: Model) throws -> ModelOutput? {
    switch number % 4 {
    case 0: return try shared.run(patient)
    case 1: return try Model(at: bundle).run(patient)
    case 2:
      _ = try Model(at: bundle)
      return nil
    default: return try givingUp(shared)
    }
  }

  /// A run that is canceled immediately after it is submitted; it returns its output or nothing.
  private static func givingUp(_ model: Model) throws -> ModelOutput? {
    let outcome = Handover()
    let task = Task {
      do throws(ModelError) {
        outcome.give(.success(try await model.submit(patient)))
      } catch {
        outcome.give(error.reason == .cancelled ? .success(nil) : .failure(error))
      }
    }
    task.cancel()
    return try outcome.take().get()
  }

  private func together(
    _ work: @escaping @Sendable (Int) throws -> ModelOutput?
  ) async -> [Result<ModelOutput?, any Error>] {
    let gate = TestGate()
    return await withTaskGroup(of: Result<ModelOutput?, any Error>.self) { group in
      for number in 0..<Self.threads {
        group.addTask {
          await onNewThread {
            gate.wait()
            return Result { try work(number) }
          }
        }
      }
      try? await waitUntil { gate.waiterCount == Self.threads }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}

/// A value that one thread provides and another waits for.
private final class Handover: @unchecked Sendable {  // safe because the semaphore orders its users
  private let isGiven = DispatchSemaphore(value: 0)
  private var result: Result<ModelOutput?, ModelError> = .success(nil)

  func give(_ result: Result<ModelOutput?, ModelError>) {
    self.result = result
    isGiven.signal()
  }

  func take() -> Result<ModelOutput?, ModelError> {
    isGiven.wait()
    return result
  }
}
