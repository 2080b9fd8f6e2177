public import TensorIOBundle

/// A runtime, such as LiteRT, that loads models.
///
/// A backend loads a file into a ``RuntimeModel``, which holds the state that can be shared. The
/// model creates ``Session``s, which hold the state that cannot. The rest of the library depends on
/// these three protocols only.
public protocol Backend: Sendable {
  /// The name of the runtime in `model.json`.
  var identifier: BackendIdentifier { get }

  /// Loads a model and validates as much of it as possible without running it.
  ///
  /// - Parameters:
  ///   - file: The model file or folder.
  ///   - use: The mode and the layers to bind. Some runtimes find tensors by the names of the
  ///     layers.
  /// - Returns: The loaded model.
  /// - Throws: A ``ModelError`` of the stage `runtime` if the library is missing or rejects the
  ///   model.
  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
}

/// A model loaded in a runtime: the state shared by all its sessions.
public protocol RuntimeModel: Sendable {
  /// The tensors of the entry point that sessions run.
  var signature: ModelSignature { get }

  /// All entry points of the model, for inspection.
  var signatures: [ModelSignature] { get }

  /// Accepted but discouraged properties of the model or its description.
  var warnings: [Diagnostic] { get }

  /// What the model can do besides making sessions.
  var abilities: ModelAbilities { get }

  /// Creates a session, which is used by one caller at a time.
  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session
}

extension RuntimeModel {
  /// No abilities.
  public var abilities: ModelAbilities { ModelAbilities() }

  /// No warnings.
  public var warnings: [Diagnostic] { [] }
}

/// A model that is ready to run, with memory for its inputs and outputs.
///
/// The session pool of a model ensures that one thread uses a session at a time. `fill` and `read`
/// give access to memory of the runtime, so values are not copied in between.
///
/// The calls of a run are, in order: `resize` if needed, `fill` for every input and every
/// placeholder that has a value, `invoke`, `read`. Placeholders are numbered after the last input.
/// A placeholder that is not filled has no value in this run, even if an earlier run filled it.
public protocol Session: AnyObject, Sendable {
  /// Gives every input a new shape; the outputs' shapes change at the next `invoke`.
  func resize(_ shapes: [[Int]]) throws(ModelError)

  /// Calls `body` with the memory of an input, to be written.
  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Sets the elements of a string input.
  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError)

  /// Computes the outputs.
  func invoke() throws(ModelError)

  /// Calls `body` with the memory of an output, to be read, and its shape in this run.
  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Returns the elements of a string output.
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]]

  /// Copies memory into the only input, computes the outputs, and copies the only output.
  ///
  /// It is called instead of `fill`, `invoke` and `read` for a model with one input and one output of
  /// fixed shapes and no placeholders. The default implementation calls these.
  func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError)

  /// What the session can do besides running.
  ///
  /// A session that wraps another one returns the abilities of that session, with those that it
  /// changes replaced.
  var abilities: SessionAbilities { get }
}

/// Settings of a session.
public struct SessionOptions: Sendable, Hashable {
  /// The number of threads that one run may use.
  public var threads: Int

  /// Whether the session records how long each operator takes, which makes runs slower.
  public var profilesOperators: Bool

  /// Creates options.
  public init(threads: Int = 1, profilesOperators: Bool = false) {
    self.threads = threads
    self.profilesOperators = profilesOperators
  }
}

/// A loaded model whose weights can be changed, as ``ModelAbilities/training`` says.
///
/// All its sessions, and the sessions of models that share its weights, see each change
/// immediately.
public protocol TrainableRuntimeModel: RuntimeModel {
  /// Returns a model for another mode that shares these weights in memory; `nil` if that mode has a
  /// graph of its own.
  ///
  /// It is called only for modes that use the file or folder this model was loaded from.
  func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)?

  /// Returns the variables that hold the weights, always in the same order.
  ///
  /// - Throws: A ``ModelError`` if the runtime cannot access them.
  func variables() throws(ModelError) -> [ModelVariable]

  /// Returns the values of variables, all of the same moment.
  ///
  /// - Parameter names: The names of some of the ``variables()``.
  /// - Returns: The values, in the order of the names.
  /// - Throws: A ``ModelError`` if the runtime cannot read them.
  func values(ofVariables names: [String]) throws(ModelError) -> [Tensor]

  /// Assigns values to variables: to all of them, or to none if it throws.
  ///
  /// - Parameter values: Values by the name of a variable, with its type and shape.
  /// - Throws: A ``ModelError`` if the runtime cannot assign them.
  func assign(_ values: [String: Tensor]) throws(ModelError)

  /// Writes the weights to files whose paths begin with `prefix`.
  func saveWeights(to prefix: String) throws(ModelError)

  /// Reads the weights from files whose paths begin with `prefix`.
  func restoreWeights(from prefix: String) throws(ModelError)

  /// Writes the complete model with its current weights, so that it can be loaded from there.
  func save(to path: String) throws(ModelError)
}

extension TrainableRuntimeModel {
  /// Training.
  public var abilities: ModelAbilities {
    var abilities = ModelAbilities()
    abilities.training = self
    return abilities
  }
}

/// When the outputs of a training step are computed.
public enum StepOutputTiming: String, Sendable, Hashable, CaseIterable {
  /// With the updated weights, as TensorIO for iOS does; this costs one more forward pass.
  case afterStep = "after-update"
  /// During the step, with the weights before the update, as Keras does.
  case duringStep = "before-update"
  /// Not at all.
  case never
}
