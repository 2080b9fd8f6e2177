public import CTensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTraining

// The functions for training that tensorio.h declares.

/// The result pointer of a call that returns an object.
public typealias ObjectPointer = UnsafeMutablePointer<OpaquePointer?>?

private func invalidOption(_ failure: ModelError, _ error: ErrorPointer) -> tio_status {
  unsafe invalidArgument(failure.message, error)
}

/// Returns the placeholders among the values of a call.
func placeholders(
  _ values: UnsafePointer<tio_value>?, _ count: Int
) throws(ModelError) -> Placeholders {
  guard count > 0, let values = unsafe values else { return Placeholders() }
  let input = try unsafe InputValue.modelInput(UnsafeBufferPointer(start: values, count: count))
  guard case .named(let named) = input else {
    throw ModelError(.input, .invalidValue("a placeholder without a name"))
  }
  return Placeholders(named)
}

// MARK: Trainers

/// Implements `tio_trainer_open`.
@c(tio_trainer_open)
public func openTrainer(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ trainer: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe trainer?.pointee = nil
  guard let path = unsafe text(path), let trainer = unsafe trainer else {
    return unsafe invalidArgument("tio_trainer_open needs a path and a trainer", error)
  }
  let parsed: ModelOptions
  do {
    parsed = try unsafe ModelOptions(text(options))
  } catch let failure {
    return unsafe invalidOption(failure, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = try TrainerHandle(path, parsed)
    unsafe trainer.pointee = retained(handle)
  }
}

/// Implements `tio_trainer_retain`.
@c(tio_trainer_retain)
public func retainTrainer(_ trainer: OpaquePointer?) -> OpaquePointer? {
  guard let pointer = unsafe trainer else { return nil }
  return unsafe retained(object(pointer, as: TrainerHandle.self))
}

/// Implements `tio_trainer_release`.
@c(tio_trainer_release)
public func releaseTrainer(_ trainer: OpaquePointer?) {
  unsafe release(trainer, TrainerHandle.self)
}

/// Implements `tio_trainer_description`.
@c(tio_trainer_description)
public func describeTrainer(_ trainer: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe trainer.map { unsafe object($0, as: TrainerHandle.self).description.pointer }
}

/// Implements `tio_trainer_step`.
@c(tio_trainer_step)
public func performStep(
  _ trainer: OpaquePointer?, _ data: OpaquePointer?, _ values: UnsafePointer<tio_value>?,
  _ count: Int, _ timing: UnsafePointer<CChar>?, _ output: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe output?.pointee = nil
  let name = unsafe text(timing) ?? StepOutputTiming.afterStep.rawValue
  guard let trainer = unsafe trainer, let data = unsafe data, let output = unsafe output,
    let timing = StepOutputTiming(rawValue: name)
  else {
    return unsafe invalidArgument(
      "tio_trainer_step needs a trainer, a dataset, a valid timing and an output", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let model = unsafe object(trainer, as: TrainerHandle.self).model
    let batch = try unsafe object(data, as: DatasetHandle.self).batch()
    let result = try model.train(
      batch, placeholders: try unsafe placeholders(values, count), reporting: timing)
    unsafe output.pointee = retained(OutputHandle(nil, result, Timings()))
  }
}

/// Implements `tio_trainer_evaluate`.
@c(tio_trainer_evaluate)
public func evaluateTrainer(
  _ trainer: OpaquePointer?, _ data: OpaquePointer?, _ batchSize: Int,
  _ loss: UnsafePointer<CChar>?, _ string: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe string?.pointee = nil
  guard let trainer = unsafe trainer, let data = unsafe data, let string = unsafe string,
    batchSize > 0
  else {
    return unsafe invalidArgument(
      "tio_trainer_evaluate needs a trainer, a dataset, a positive batch size and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(trainer, as: TrainerHandle.self)
    let means = try unsafe handle.evaluate(
      object(data, as: DatasetHandle.self), batchSize: batchSize, loss: text(loss))
    unsafe string.pointee = retained(CString(means))
  }
}

/// Implements `tio_trainer_model`.
@c(tio_trainer_model)
public func modelOfTrainer(
  _ trainer: OpaquePointer?, _ model: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe model?.pointee = nil
  guard let trainer = unsafe trainer, let model = unsafe model else {
    return unsafe invalidArgument("tio_trainer_model needs a trainer and a model", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(trainer, as: TrainerHandle.self)
    let predictions = try ModelHandle(handle.model.predictionModel())
    unsafe model.pointee = retained(predictions)
  }
}

/// Implements `tio_trainer_save`.
@c(tio_trainer_save)
public func saveTrainer(
  _ trainer: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ error: ErrorPointer
) -> tio_status {
  unsafe withTrainer(trainer, folder, error) { (model, path) throws(ModelError) in
    try model.saveCheckpoint(to: path)
  }
}

/// Implements `tio_trainer_restore`.
@c(tio_trainer_restore)
public func restoreTrainer(
  _ trainer: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ error: ErrorPointer
) -> tio_status {
  unsafe withTrainer(trainer, folder, error) { (model, path) throws(ModelError) in
    try model.restoreCheckpoint(from: path)
  }
}

/// Implements `tio_trainer_export`.
@c(tio_trainer_export)
public func exportTrainer(
  _ trainer: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ overwriting: Int32,
  _ error: ErrorPointer
) -> tio_status {
  unsafe withTrainer(trainer, path, error) { (model, path) throws(ModelError) in
    try model.export(to: path, overwriting: overwriting != 0)
  }
}

private func withTrainer(
  _ trainer: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ error: ErrorPointer,
  _ body: (TrainableModel, String) throws(ModelError) -> Void
) -> tio_status {
  guard let trainer = unsafe trainer, let path = unsafe text(path) else {
    return unsafe invalidArgument("the call needs a trainer and a path", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    try unsafe body(object(trainer, as: TrainerHandle.self).model, path)
  }
}

// MARK: Weights

/// Implements `tio_trainer_weights`.
@c(tio_trainer_weights)
public func weightsOfTrainer(
  _ trainer: OpaquePointer?, _ all: Int32, _ weights: ObjectPointer, _ error: ErrorPointer
) -> tio_status {
  unsafe weights?.pointee = nil
  guard let trainer = unsafe trainer, let weights = unsafe weights else {
    return unsafe invalidArgument("tio_trainer_weights needs a trainer and weights", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(trainer, as: TrainerHandle.self)
    let values = try WeightsHandle(handle.model, all == 0 ? .trainable : .all)
    unsafe weights.pointee = retained(values)
  }
}

/// Implements `tio_trainer_set_weights`.
@c(tio_trainer_set_weights)
public func setWeightsOfTrainer(
  _ trainer: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int, _ partial: Int32,
  _ error: ErrorPointer
) -> tio_status {
  guard let trainer = unsafe trainer, unsafe count == 0 || values != nil else {
    return unsafe invalidArgument("tio_trainer_set_weights needs a trainer and values", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    try unsafe object(trainer, as: TrainerHandle.self).model.setWeights(
      weights(values, count), allowingPartial: partial != 0)
  }
}

/// Returns the values of a call by the names of their variables.
func weights(
  _ values: UnsafePointer<tio_value>?, _ count: Int
) throws(ModelError) -> [String: Tensor] {
  var tensors: [String: Tensor] = [:]
  let buffer = unsafe UnsafeBufferPointer(start: values, count: count)
  for index in buffer.indices {
    let value = unsafe buffer[index]
    guard let name = unsafe text(value.name) else {
      throw ModelError(.input, .invalidValue("the value of a variable without a name"))
    }
    guard try unsafe tensors.updateValue(InputValue.tensor(value), forKey: name) == nil else {
      throw ModelError(.input, .invalidValue("two values for the same variable"), layer: name)
    }
  }
  return tensors
}

/// Implements `tio_weights_count`.
@c(tio_weights_count)
public func weightCount(_ weights: OpaquePointer?) -> Int {
  unsafe weights.map { unsafe object($0, as: WeightsHandle.self).names.count } ?? 0
}

/// Implements `tio_weights_name`.
@c(tio_weights_name)
public func weightName(_ weights: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  guard let weights = unsafe weights else { return nil }
  let names = unsafe object(weights, as: WeightsHandle.self).names
  return unsafe names.indices.contains(index) ? names[index].pointer : nil
}

/// Implements `tio_weights_tensor`.
@c(tio_weights_tensor)
public func weightTensor(
  _ weights: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<tio_tensor>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let weights = unsafe weights, let tensor = unsafe tensor else {
    return unsafe invalidArgument("tio_weights_tensor needs weights and a tensor", error)
  }
  let tensors = unsafe object(weights, as: WeightsHandle.self).tensors
  guard tensors.indices.contains(index) else {
    return unsafe invalidArgument("there is no variable \(index)", error)
  }
  unsafe error?.pointee = nil
  unsafe tensor.pointee = tensors[index].tensor
  return TIO_OK
}

/// Implements `tio_weights_release`.
@c(tio_weights_release)
public func releaseWeights(_ weights: OpaquePointer?) {
  unsafe release(weights, WeightsHandle.self)
}

// MARK: Datasets

/// Implements `tio_dataset_open`.
@c(tio_dataset_open)
public func openDataset(
  _ trainer: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ data: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe data?.pointee = nil
  guard let trainer = unsafe trainer, let path = unsafe text(path), let data = unsafe data else {
    return unsafe invalidArgument("tio_dataset_open needs a trainer, a path and a dataset", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let examples = try unsafe object(trainer, as: TrainerHandle.self).dataset(at: path)
    unsafe data.pointee = retained(examples)
  }
}

/// Implements `tio_dataset_create`.
@c(tio_dataset_create)
public func createDataset(
  _ values: UnsafePointer<tio_value>?, _ count: Int, _ itemCount: Int, _ data: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe data?.pointee = nil
  guard let values = unsafe values, let data = unsafe data, count > 0, itemCount > 0 else {
    return unsafe invalidArgument("tio_dataset_create needs values, items and a dataset", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    var items: [ModelInput] = []
    for item in 0..<itemCount {
      let own = unsafe UnsafeBufferPointer(start: values + item * count, count: count)
      do throws(ModelError) {
        items.append(try unsafe InputValue.modelInput(own))
      } catch {
        throw error.at(item: item)
      }
    }
    let batch = try Batch(items)
    unsafe data.pointee = retained(DatasetHandle(batch))
  }
}

/// Implements `tio_dataset_count`.
@c(tio_dataset_count)
public func datasetCount(_ data: OpaquePointer?) -> Int {
  unsafe data.map { unsafe object($0, as: DatasetHandle.self).source.count } ?? 0
}

/// Implements `tio_dataset_release`.
@c(tio_dataset_release)
public func releaseDataset(_ data: OpaquePointer?) { unsafe release(data, DatasetHandle.self) }

// MARK: Trainings

/// Implements `tio_training_start`.
@c(tio_training_start)
public func startTraining(
  _ trainer: OpaquePointer?, _ data: OpaquePointer?, _ options: UnsafePointer<CChar>?,
  _ values: UnsafePointer<tio_value>?, _ count: Int, _ training: ObjectPointer,
  _ error: ErrorPointer
) -> tio_status {
  unsafe training?.pointee = nil
  guard let trainer = unsafe trainer, let data = unsafe data, let training = unsafe training else {
    return unsafe invalidArgument(
      "tio_training_start needs a trainer, a dataset and a training", error)
  }
  var parsed: Trainer.Options
  do {
    parsed = try unsafe TrainingOptions(text(options)).options
  } catch let failure {
    return unsafe invalidOption(failure, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    parsed.placeholders = try unsafe placeholders(values, count)
    let handle = unsafe TrainingHandle(
      object(trainer, as: TrainerHandle.self), object(data, as: DatasetHandle.self), parsed)
    unsafe training.pointee = retained(handle)
  }
}

/// Implements `tio_training_next`.
@c(tio_training_next)
public func nextStep(
  _ training: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
  _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let training = unsafe training, let json = unsafe json else {
    return unsafe invalidArgument("tio_training_next needs a training and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    unsafe json.pointee = try object(training, as: TrainingHandle.self).next()?.pointer
  }
}

/// Implements `tio_training_save`.
@c(tio_training_save)
public func saveTraining(_ training: OpaquePointer?, _ error: ErrorPointer) -> tio_status {
  guard let training = unsafe training else {
    return unsafe invalidArgument("tio_training_save needs a training", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    try unsafe object(training, as: TrainingHandle.self).saveCheckpoint()
  }
}

/// Implements `tio_training_release`.
@c(tio_training_release)
public func releaseTraining(_ training: OpaquePointer?) {
  unsafe release(training, TrainingHandle.self)
}

// MARK: Strings

/// Implements `tio_string_text`.
@c(tio_string_text)
public func textOfString(_ string: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe string.map { unsafe object($0, as: CString.self).pointer }
}

/// Implements `tio_string_release`.
@c(tio_string_release)
public func releaseString(_ string: OpaquePointer?) { unsafe release(string, CString.self) }
