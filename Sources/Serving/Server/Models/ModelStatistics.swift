import Synchronization
import TensorIOCore
import TensorIOGeneration
import TensorIOSystem

/// Counts the requests and runs of one model.
package final class ModelStatistics: Sendable {
  /// A number of events and their total duration.
  package struct Total: Sendable, Equatable {
    /// The number of events.
    package var count = 0
    /// The sum of their durations.
    package var duration = Duration.zero

    mutating func add(_ duration: Duration, count: Int = 1) {
      self.count += count
      // The multiplication takes longer than all else, and is for merged runs.
      self.duration += count == 1 ? duration : duration * count
    }
  }

  /// The counts at one time.
  package struct Counts: Sendable {
    /// Requests that were answered with outputs, from their last byte to the result.
    package var successes = Total()
    /// Requests that failed.
    package var failures = Total()
    /// Requests that failed because their client left or the queue was full.
    package var cancellations = 0
    package var rejections = 0
    /// The time that requests waited in the queue.
    package var queue = Total()
    /// The stages of runs, per inference.
    package var computeInput = Total()
    package var computeInfer = Total()
    package var computeOutput = Total()
    /// The number of inputs that were processed.
    package var inferenceCount = 0
    /// The number of invocations, which is lower if inputs were merged.
    package var executionCount = 0
    /// The stages of invocations by the number of inputs in one.
    package var batches: [Int: Batch] = [:]
    /// The texts of a language model.
    var generation = GenerationCounts()
    /// The time of the last inference, in milliseconds since 1970; 0 if there was none.
    package var lastInference = 0
  }

  /// The stages of the invocations with one batch size.
  package struct Batch: Sendable {
    package var computeInput = Total()
    package var computeInfer = Total()
    package var computeOutput = Total()

    mutating func add(_ input: Duration, _ timings: Timings) {
      computeInput.add(input)
      computeInfer.add(timings.run)
      computeOutput.add(timings.output)
    }
  }

  private let counts = Mutex(Counts())

  /// Creates statistics with all counts at zero.
  package init() {}

  /// The counts at this time.
  package var current: Counts { counts.withLock(\.self) }

  /// Records one invocation.
  func recordRun(itemCount: Int, _ timings: Timings) {
    let input = timings.image + timings.input
    let now = Platform.unixNanoseconds / 1_000_000
    counts.withLock { counts in
      counts.inferenceCount += itemCount
      counts.executionCount += 1
      counts.computeInput.add(input, count: itemCount)
      counts.computeInfer.add(timings.run, count: itemCount)
      counts.computeOutput.add(timings.output, count: itemCount)
      counts.batches[itemCount, default: Batch()].add(input, timings)
      counts.lastInference = now
    }
  }

  /// Records whether the outputs of an invocation became the result of a request.
  func recordResult(_ timings: Timings, isSuccess: Bool) {
    counts.withLock { counts in
      if isSuccess {
        counts.successes.add(timings.total)
      } else {
        counts.failures.add(timings.total)
      }
    }
  }

  /// Records an invocation that failed.
  func recordFailure(itemCount: Int, _ duration: Duration, isCanceled: Bool) {
    counts.withLock { counts in
      counts.failures.add(duration, count: itemCount)
      if isCanceled { counts.cancellations += itemCount }
    }
  }

  /// Records a text that has ended.
  func recordText(_ text: GeneratedText, _ times: GenerationCounts.Times) {
    counts.withLock { $0.generation.add(text, times) }
  }

  /// Records the time that a request waited in the queue.
  func recordQueue(_ duration: Duration) {
    counts.withLock { $0.queue.add(duration) }
  }

  /// Records a request that was rejected because the queue was full.
  func recordRejection() {
    counts.withLock { $0.rejections += 1 }
  }
}
