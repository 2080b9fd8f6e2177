/// One property of a runtime that ``ConformanceSuite`` checks.
public enum ConformanceCheck: String, Sendable, Hashable, CaseIterable {
  /// The tensors of the model have the element types of the samples, and shapes that fit them.
  case signature
  /// Each run returns the expected outputs, in the first run and in later ones.
  case outputs
  /// Outputs keep the element type of the model's tensors.
  case elementTypes
  /// Sessions lend memory of exactly the size of the tensor, for inputs and outputs.
  case memory
  /// Outputs that are read in place equal those that are copied.
  case inPlace
  /// Several items in one call equal the items one by one.
  case batch
  /// A free first dimension accepts changing numbers of items.
  case freeBatch
  /// Values with a wrong count, kind, name or number are errors, and the next run is correct.
  case wrongInputs
  /// Shapes that no tensor can have are errors, and the next run is correct.
  case wrongShapes
  /// An error while a session's memory is lent is passed on, and the next run is correct.
  case interruptedRuns
  /// Two sessions of a model do not affect each other.
  case sessions
  /// Several threads run a model at the same time.
  case concurrency
  /// A run of several threads returns the same outputs.
  case threads
  /// Strings of any bytes pass through the runtime.
  case strings
  /// State is reset between runs and kept in a session that is not reset.
  case state
  /// The abilities of a session do what they promise: a canceled session ends its runs with an error
  /// and runs again, and the operators of a run are recorded.
  case abilities
  /// A session works after its model and backend are gone.
  case lifetime
  /// Files that are missing, empty or no model are errors of the stage `runtime`.
  case files
}
