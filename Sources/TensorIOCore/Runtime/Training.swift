/// A loaded model whose weights can change.
///
/// All its sessions, and those of the models that share its weights, see every change at once.
public protocol TrainableRuntimeModel: RuntimeModel {
  /// The same weights in memory, for another use; `nil` where that use has a graph of its own.
  ///
  /// It is asked for uses of the very file or folder that the model was loaded from.
  func shared(for use: ModelUse) throws(ModelError) -> (any RuntimeModel)?

  /// Prepares the model to be trained, by one caller at a time.
  func makeTrainingSession(_ options: SessionOptions) throws(ModelError) -> any TrainingSession

  /// Writes the weights into files whose names begin with a path.
  func saveWeights(to prefix: String) throws(ModelError)

  /// Takes the weights from files whose names begin with a path.
  func restoreWeights(from prefix: String) throws(ModelError)

  /// Writes the whole model with the weights that it has now, so that it can be loaded from there.
  func save(to path: String) throws(ModelError)
}

/// A session that can change the weights of its model.
public protocol TrainingSession: Session {
  /// Takes one step with the inputs as they were filled.
  ///
  /// What is read then are the outputs of that moment, or nothing where none is wanted.
  func train(_ moment: OutputMoment) throws(ModelError)
}

/// When the outputs of a training step are computed.
public enum OutputMoment: String, Sendable, Hashable, CaseIterable {
  /// With the weights that the step left, as the original library does: one more computation.
  case afterStep = "after"
  /// Along with the step, as Keras does.
  case duringStep = "during"
  /// Not at all.
  case never
}
