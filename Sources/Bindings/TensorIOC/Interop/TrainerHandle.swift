import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOJSON
import TensorIOSystem
import TensorIOTraining

/// A model for training that C code owns.
@safe final class TrainerHandle: Sendable {
  let model: TrainableModel
  let description: CString

  init(_ path: String, _ options: ModelOptions) throws(ModelError) {
    model = try TrainableModel(at: path, options: options.opening)
    description = CString(try Self.description(model))
  }

  /// Returns the description of a model as JSON.
  private static func description(_ model: TrainableModel) throws(ModelError) -> String {
    let (bundle, variables) = (model.bundle, try? model.variables(.all))
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("id", bundle.id)
      writer.member("name", bundle.name)
      writer.member("version", bundle.version)
      writer.member("backend", bundle.backend.rawValue)
      for (name, layers) in [
        ("inputs", model.inputs), ("placeholders", model.placeholders), ("outputs", model.outputs),
      ] {
        writer.member(
          name,
          array: { writer in
            for layer in layers {
              let type = model.textInputs.contains(layer.name) ? ElementType.string : nil
              writer.object { ModelHandle.write(layer, bundle, type, to: &$0) }
            }
          })
      }
      writer.member("variables", objects: variables ?? []) { write($1, to: &$0) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func write(_ variable: ModelVariable, to writer: inout JSONWriter) {
    writer.member("name", variable.name)
    writer.member("dtype", variable.elementType.rawValue)
    writer.key("shape")
    writer.numbers(variable.shape)
    writer.member("trainable", variable.isTrainable)
  }

  /// Opens the examples in a file or folder.
  func dataset(at path: String) throws(ModelError) -> DatasetHandle {
    let labels = try model.bundle.dataLabels()
    return DatasetHandle(
      try ExampleDataset(
        at: path, for: model.itemInputs, labels: labels, texts: model.textInputs))
  }

  /// Returns the means of the outputs over data, as JSON.
  func evaluate(
    _ data: DatasetHandle, batchSize: Int, loss: String?
  ) throws(ModelError) -> String {
    let (model, source) = (model, data.source)
    let means = try data.locatingItems { () throws(ModelError) in
      try BlockingTask.result { () async -> Result<AveragedOutputs, ModelError> in
        do throws(ModelError) {
          return .success(try await model.averages(over: source, batchSize, loss))
        } catch {
          return .failure(error)
        }
      }
    }
    var writer = JSONWriter(.compact)
    writer.object { $0.members(of: means) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension TrainableModel {
  fileprivate func averages(
    over data: any BatchSource, _ batchSize: Int, _ loss: String?
  ) async throws(ModelError) -> AveragedOutputs {
    try await evaluate(on: data, batchSize: batchSize, loss: loss)
  }
}

/// Items to train or evaluate on that C code owns.
@safe final class DatasetHandle: Sendable {
  let source: any BatchSource

  init(_ source: any BatchSource) { self.source = source }

  /// The items as one batch.
  func batch() throws(ModelError) -> Batch {
    if let batch = source as? Batch { return batch }
    var batch = Batch(keys: source.keys)
    for index in 0..<source.count { try batch.append(source.item(at: index)) }
    return batch
  }

  /// Runs a closure; its errors have the name of the example in a file.
  func locatingItems<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      guard let examples = source as? ExampleDataset, let item = error.item,
        item < examples.count
      else { throw error }
      throw error.in(file: "\(examples.path): \(examples.name(at: item))")
    }
  }
}

/// A training in progress that C code owns; used by one caller at a time.
@safe final class TrainingHandle {
  private let trainer: TrainerHandle
  private let data: DatasetHandle
  private var steps: StepsBox
  private var json: CString?

  /// The iterator of the steps.
  private struct StepsBox: @unchecked Sendable {  // used by one task at a time
    var iterator: TrainingSteps.Iterator
  }

  init(_ trainer: TrainerHandle, _ data: DatasetHandle, _ options: Trainer.Options) {
    (self.trainer, self.data) = (trainer, data)
    steps = StepsBox(iterator: Trainer(trainer.model, options).steps(data.source))
  }

  /// Performs the next step and returns it as JSON; `nil` if the training has ended.
  func next() throws(ModelError) -> CString? {
    let steps = steps
    let (step, following) = try data.locatingItems { () throws(ModelError) in
      try BlockingTask.result { () async -> Result<(TrainingStep?, StepsBox), ModelError> in
        var current = steps
        do throws(ModelError) {
          return .success((try await current.iterator.next(), current))
        } catch {
          return .failure(error)
        }
      }
    }
    self.steps = following
    json = step.map { step in
      var writer = JSONWriter(.compact)
      writer.object { $0.members(of: step) }
      return CString(String(decoding: writer.bytes, as: UTF8.self))
    }
    return json
  }

  /// Writes a checkpoint after the last step.
  func saveCheckpoint() throws(ModelError) {
    let steps = steps
    try BlockingTask.result { () async -> Result<Void, ModelError> in
      do throws(ModelError) {
        return .success(try await steps.iterator.saveCheckpoint())
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Trainer {
  fileprivate func steps(_ data: any BatchSource) -> TrainingSteps.Iterator {
    train(data).makeAsyncIterator()
  }
}

/// The values of a model's variables that C code owns.
@safe final class WeightsHandle {
  let names: [CString]
  let tensors: [TensorMemory]

  init(_ values: [String: Tensor], names: [String]) throws(ModelError) {
    var (found, tensors): ([CString], [TensorMemory]) = ([], [])
    for name in names {
      guard let value = values[name] else { continue }
      found.append(CString(name))
      tensors.append(try TensorMemory(value))
    }
    (self.names, self.tensors) = (found, tensors)
  }

  convenience init(
    _ model: TrainableModel, _ selection: TrainableModel.WeightSelection
  ) throws(ModelError) {
    let values = try model.weights(selection)
    try self.init(values, names: model.variables(selection).map(\.name))
  }
}

extension JSONWriter {
  fileprivate mutating func members(of step: TrainingStep) {
    member("step", step.step)
    member("epoch", step.epoch)
    member("step_in_epoch", step.position.stepInEpoch)
    member("steps_per_epoch", step.position.stepsPerEpoch)
    member("items", step.itemCount)
    if let loss = step.loss { member("loss", loss) }
    guard let summary = step.epochSummary else { return }
    member("summary") { writer in
      if let loss = summary.loss { writer.member("loss", loss) }
      writer.member("metrics") { writer in
        for (name, value) in summary.metrics.sorted(by: { $0.key < $1.key }) {
          writer.member(name, value)
        }
      }
      if let validation = summary.validation {
        writer.member("validation") { $0.members(of: validation) }
      }
      writer.member("is_best", summary.isBest)
      writer.member("stops_early", summary.stopsEarly)
    }
  }

  fileprivate mutating func members(of means: AveragedOutputs) {
    averages(loss: means.loss, means.means, itemCount: means.itemCount)
  }

  /// Writes the members of the results of an evaluation.
  mutating func averages(loss: Double?, _ metrics: [String: Double], itemCount: Int) {
    if let loss { member("loss", loss) }
    member("metrics") { writer in
      for (name, value) in metrics.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
    }
    member("items", itemCount)
  }
}
