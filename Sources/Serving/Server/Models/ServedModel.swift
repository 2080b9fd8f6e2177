package import TensorIOBundle
package import TensorIOCore
import TensorIOGeneration
package import TensorIOTasks

/// An open model under the name and version by which it is served.
///
/// Requests that use it keep it open when the catalog replaces or removes it.
package final class ServedModel: Sendable {
  /// The result of a run.
  package typealias Output = Result<(output: ModelOutput, timings: Timings), ModelError>

  /// Whether the reference of a bundle is valid, and what compares runs with it.
  struct DriftState: Sendable {
    /// The monitor; `nil` if the reference cannot be read.
    let monitor: DriftMonitor?

    /// Reads the reference of a model's bundle; `nil` if there is none of the model.
    init?(_ model: Model) {
      do throws(ModelError) {
        guard let monitor = try DriftMonitor(model) else { return nil }
        self.monitor = monitor
      } catch {
        monitor = nil
      }
    }
  }

  /// The copies of inputs that a run takes: of the item, for the worker process, and in its tensors.
  static let inputCopyCount = 3

  /// The name in request paths.
  package let name: String
  /// The version in request paths.
  package let version: String
  /// The open model.
  package let model: Model
  /// The postprocessing of the bundle's task, with the bundle's own settings.
  package let postprocessor: TaskPostprocessor
  /// The tensors of the model in inference protocols.
  let signature: InferenceSignature
  /// The sequences of a language model, whose tokens texts of other requests can begin with; `nil` for other models.
  let sequences: SequencePool?
  /// Suspends the model if its runs fail repeatedly.
  package let breaker: CircuitBreaker
  /// The counts and durations of its runs.
  package let statistics: ModelStatistics
  /// The drift of inputs and results; `nil` if the bundle has no reference of the model.
  let drift: DriftState?
  /// The maximum number of inputs in one invocation; 1 if runs are not merged.
  let maxBatchSize: Int
  /// The maximum number of items in one request of an inference protocol.
  let maxItemCount: Int
  /// For how long a run waits for others to be merged with.
  let batchDelay: Duration
  /// Called when a run crashes, and when the model is suspended or resumed.
  private let onEvent: @Sendable (ModelChange.Event) -> Void

  /// Creates a served model.
  package init(
    _ name: String, _ model: Model, version: String = ModelSelector.defaultVersion,
    serving: ServingOptions = ServingOptions(), statistics: ModelStatistics = ModelStatistics(),
    onEvent: @escaping @Sendable (ModelChange.Event) -> Void = { _ in }
  ) throws(ModelError) {
    (self.name, self.version, self.model) = (name, version, model)
    (self.statistics, self.onEvent) = (statistics, onEvent)
    breaker = CircuitBreaker { seconds in
      onEvent(seconds.map { .suspended(seconds: $0) } ?? .resumed)
    }
    postprocessor = try TaskPostprocessor(model)
    signature = InferenceSignature(model)
    sequences = model.makeSequencePool()
    drift = DriftState(model)
    maxBatchSize = model.supportsBatching ? max(1, serving.maxBatchSize) : 1
    maxItemCount = min(
      serving.maxItemCount ?? InferenceSignature.maxItemCount, InferenceSignature.maxItemCount)
    batchDelay = serving.batchDelay
  }
}

// MARK: Runs

extension ServedModel {
  /// Runs the model on one input, and counts the run.
  package func run(_ input: ModelInput) -> Output {
    run([input])[0]
  }

  /// Runs the model once on the inputs of several requests.
  ///
  /// If the run fails, each input runs alone, so that an invalid one affects only its own request.
  /// A model that crashed or exceeded a time limit is not run again.
  func run(merging inputs: [ModelInput]) -> [Output] {
    let results = run(inputs)
    guard inputs.count > 1, case .failure(let error)? = results.first, error.isCausedByOneInput
    else { return results }
    return inputs.map { run($0) }
  }

  /// Returns the result of an output, and counts its request as a success or a failure.
  func counting<Value, Failure: Error>(
    _ timings: Timings, _ result: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    do {
      let value = try result()
      statistics.recordResult(timings, isSuccess: true)
      return value
    } catch {
      statistics.recordResult(timings, isSuccess: false)
      throw error
    }
  }

  /// Runs a step of a text, unless the model is suspended.
  func step<Piece>(_ next: () throws(ModelError) -> Piece?) throws(ModelError) -> Piece? {
    let admission = try breaker.admit()
    do throws(ModelError) {
      let piece = try next()
      breaker.record(nil, of: admission)
      return piece
    } catch {
      if error.countsAgainstModel { onEvent(.crashed(error)) }
      breaker.record(error, of: admission)
      throw error
    }
  }

  /// Counts a text.
  func count(_ duration: Duration, _ error: ModelError?) {
    guard let error else {
      var timings = Timings()
      (timings.run, timings.total) = (duration, duration)
      statistics.recordRun(itemCount: 1, timings)
      return statistics.recordResult(timings, isSuccess: true)
    }
    statistics.recordFailure(itemCount: 1, duration, isCanceled: error.isCancellation)
  }

  /// Runs the model on inputs in one invocation, and counts their numbers if the bundle has a reference.
  private func run(_ inputs: [ModelInput]) -> [Output] {
    guard let monitor = drift?.monitor else { return runUnmonitored(inputs) }
    let start = ContinuousClock.now
    let prepared = inputs.map { monitor.prepared($0, for: model) }
    let decodingTime = start.duration(to: .now)
    var results = runUnmonitored(prepared)
    for (index, input) in prepared.enumerated() {
      guard case .success(var result) = results[index] else { continue }
      monitor.record(input, result.output)
      result.timings.add(decodingTime, to: \.image)
      results[index] = .success(result)
    }
    return results
  }

  /// Runs the model on inputs in one invocation; all results are failures if one input is invalid.
  private func runUnmonitored(_ inputs: [ModelInput]) -> [Output] {
    let admission: CircuitBreaker.Admission
    do throws(ModelError) {
      admission = try breaker.admit()
    } catch {
      return inputs.map { _ in .failure(error) }
    }
    var timings = Timings()
    let start = ContinuousClock.now
    do throws(ModelError) {
      let outputs =
        inputs.count == 1
        ? [try model.run(inputs[0], timings: &timings)]
        : try model.run(batch: inputs, timings: &timings)
      breaker.record(nil, of: admission)
      statistics.recordRun(itemCount: inputs.count, timings)
      return outputs.map { .success(($0, timings)) }
    } catch {
      if error.countsAgainstModel { onEvent(.crashed(error)) }
      breaker.record(error, of: admission)
      if inputs.count == 1 || !error.isCausedByOneInput {
        statistics.recordFailure(
          itemCount: inputs.count, start.duration(to: .now), isCanceled: error.isCancellation)
      }
      var error = error
      if inputs.count > 1 { error.item = nil }
      return inputs.map { _ in .failure(error) }
    }
  }
}

extension ModelError {
  /// Whether another input may succeed immediately.
  fileprivate var isCausedByOneInput: Bool {
    switch self {
    case ModelError.runTimedOut, ModelError.timedOut, ModelError.suspended, ModelError.cancelled:
      false
    default: true
    }
  }

  fileprivate var isCancellation: Bool { ModelError.cancelled ~= self }
}
