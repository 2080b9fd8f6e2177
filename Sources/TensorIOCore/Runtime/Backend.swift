public import TensorIOBundle

/// One runtime, such as LiteRT: it loads models.
///
/// The three protocols of this file are all that the pipeline knows of a runtime. A backend loads
/// a file into a ``RuntimeModel``, which holds what can be shared; that makes ``Session``s, which
/// hold what cannot.
public protocol Backend: Sendable {
  /// The word by which `model.json` asks for this runtime.
  var identifier: BackendIdentifier { get }

  /// Loads a model, checking as much of it as can be checked without running it.
  ///
  /// Some runtimes find tensors by the names that the description gives them, so it says what the
  /// model is wanted for.
  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
}

/// A model loaded in a runtime: the part that all its sessions share.
public protocol RuntimeModel: Sendable {
  /// The tensors of the entry point that sessions run.
  var signature: ModelSignature { get }

  /// All entry points of the model, for people who inspect it.
  var signatures: [ModelSignature] { get }

  /// What the runtime tolerates and would rather not see in the model or its description.
  var warnings: [Diagnostic] { get }

  /// Prepares the model to be run, by one caller at a time.
  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session
}

extension RuntimeModel {
  /// Nothing.
  public var warnings: [Diagnostic] { [] }
}

/// A model ready to run: memory for its inputs and outputs, and a way to compute the second from
/// the first.
///
/// A session is used by one caller at a time and held by a thread; a pool in every model sees to that.
/// The memory that `fill` and `read` lend belongs to the runtime, so nothing is copied on the way.
/// The order of calls is: resize if needed, fill every input and those placeholders that are given,
/// invoke, read. Placeholders are counted on from the last input; one that is not filled has no
/// value in this invocation, whatever it was in the one before.
public protocol Session: AnyObject, Sendable {
  /// Gives every input a new shape; outputs follow when the session is next invoked.
  func resize(_ shapes: [[Int]]) throws(ModelError)

  /// Lends the memory of an input to be written.
  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Gives an input of strings its elements.
  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError)

  /// Computes the outputs.
  func invoke() throws(ModelError)

  /// Lends the memory of an output to be read, with the shape that it has after this run.
  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError)

  /// The elements of an output of strings.
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]]
}

/// How a session computes.
public struct SessionOptions: Sendable, Hashable {
  /// How many threads one run may use.
  public var threads: Int

  /// Options with the given number of threads.
  public init(threads: Int = 1) {
    self.threads = threads
  }
}

/// A loaded model whose weights can change.
///
/// All its sessions, and those of the models that share its weights, see every change at once.
public protocol TrainableRuntimeModel: RuntimeModel {
  /// The same weights in memory, for another use; `nil` where that use has a graph of its own.
  ///
  /// It is asked for uses of the very file or folder that the model was loaded from.
  func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)?

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
  func train(_ moment: StepOutputTiming) throws(ModelError)
}

/// When the outputs of a training step are computed.
public enum StepOutputTiming: String, Sendable, Hashable, CaseIterable {
  /// With the weights that the step left, as the original library does: one more computation.
  case afterStep = "after"
  /// Along with the step, as Keras does.
  case duringStep = "during"
  /// Not at all.
  case never
}
