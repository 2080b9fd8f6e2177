public import TensorIOJSON

/// The contents of `model.json`: metadata, the model file, inputs and outputs.
public struct ModelDescription: Sendable, Hashable {
  /// The model's display name.
  public var name: String
  /// A description of what the model does.
  public var details: String
  /// The model's identifier: plain text, or a `tio:///…` address.
  public var id: String
  /// The version of the bundle.
  public var version: String
  /// The author of the model.
  public var author: String
  /// The license of the model.
  public var license: String

  /// Whether the bundle describes a model without containing it.
  public var isPlaceholder: Bool
  /// The path of the weights, relative to the bundle; empty in a placeholder bundle.
  public var modelFile: String
  /// The name of the signature of the file that is run; `nil` for the one whose tensors have the names of the layers.
  package var modelSignature: String?
  /// Whether the model's tensors are quantized to bytes; a layer's element type takes precedence.
  public var isQuantized: Bool
  /// An arbitrary string for the kind of model, such as `image.classification.imagenet`.
  public var type: String?
  /// The backend that runs the model, or `nil` if the description does not specify it.
  public var backend: BackendIdentifier?
  /// The name under which an application registered its implementation of the model.
  public var className: String?
  /// The modes that the model supports.
  public var modes: Set<ModelMode>

  /// The inputs, in the order of the model's tensors.
  public var inputs: [Layer]
  /// The outputs, in the order of the model's tensors.
  public var outputs: [Layer]
  /// Optional inputs with defaults, such as a learning rate.
  public var placeholders: [Layer]

  /// Hints for an application.
  public var options: BundleOptions
  /// The operations run by a training step.
  public var trainingOperations: [String]
  /// The properties that differ in some modes.
  package var modeOverrides: [ModelMode: ModelSection]
  /// The outputs that are fed back into inputs in the next run.
  package var state: [StateLink]
  /// The outputs that stay in the runtime's memory and are extended by each step of the model.
  package var caches: [CacheLink]
  /// Other models of the bundle by name, such as the encoder whose outputs this one reads.
  package var functions: [String: ModelSection]
  /// The JSON Pointer of the object in `model.json` with the inputs and outputs of a function; empty for the bundle's model.
  package var location = ""
  /// The task, which determines the meaning of the outputs.
  public var task: TaskDescription?
  /// Example inputs with their expected outputs.
  public var examples: [ModelExample]

  /// Creates a description with default values for all other properties.
  public init(
    name: String = "", id: String = "", version: String = "1", modelFile: String = "model.tflite",
    isQuantized: Bool = false, backend: BackendIdentifier? = nil, inputs: [Layer],
    outputs: [Layer]
  ) {
    self.name = name
    details = ""
    self.id = id
    self.version = version
    author = ""
    license = ""
    isPlaceholder = false
    self.modelFile = modelFile
    self.isQuantized = isQuantized
    self.backend = backend
    modes = [.predict]
    self.inputs = inputs
    self.outputs = outputs
    placeholders = []
    options = BundleOptions()
    trainingOperations = []
    modeOverrides = [:]
    state = []
    caches = []
    functions = [:]
    task = nil
    examples = []
  }
}

/// A mode in which a model can be used.
public enum ModelMode: String, Sendable, Hashable, CaseIterable {
  case predict, train
  case evaluate = "eval"
}

/// The `options` of a bundle: hints for the user interface of an application.
public struct BundleOptions: Sendable, Hashable {
  /// The side of the device on which a camera is.
  public enum DevicePosition: String, Sendable, Hashable {
    case front, back
  }

  /// The preferred camera, if specified.
  public var devicePosition: DevicePosition?
  /// The format in which to display the output; empty if not specified.
  public var outputFormat: String = ""
  /// Application-defined keys.
  public var extra: [String: JSONValue] = [:]

  /// Creates empty options.
  public init() {}
}

/// A part of `model.json` with a file, inputs and outputs of its own: a mode or a function.
///
/// What is `nil` is as in the rest of the description.
package struct ModelSection: Sendable, Hashable {
  /// The path of the weights and the graph, relative to the bundle.
  package var modelFile: String?
  /// The name of the signature of the file that is run; `nil` for the one whose tensors have the names of the layers.
  package var modelSignature: String?
  /// The inputs, in the order of the model's tensors.
  package var inputs: [Layer]?
  /// The outputs, in the order of the model's tensors.
  package var outputs: [Layer]?
  /// Optional inputs with defaults, such as a learning rate.
  package var placeholders: [Layer]?
  /// The meaning of the outputs of a function.
  package var task: TaskDescription?

  /// Creates a section without differences.
  package init() {}
}

extension ModelDescription {
  /// Returns the description with the overrides of a mode applied.
  public func resolved(for mode: ModelMode) -> ModelDescription {
    modeOverrides[mode].map(replaced) ?? self
  }

  private func replaced(by section: ModelSection) -> ModelDescription {
    var description = self
    description.modelFile = section.modelFile ?? modelFile
    description.inputs = section.inputs ?? inputs
    description.outputs = section.outputs ?? outputs
    description.placeholders = section.placeholders ?? placeholders
    return description
  }

  /// Returns the description of a function, with its own task; `nil` if there is no such function.
  package func function(named name: String) -> ModelDescription? {
    guard let section = functions[name] else { return nil }
    var description = replaced(by: section)
    (description.modeOverrides, description.trainingOperations) = ([:], [])
    (description.modes, description.functions) = ([.predict], [:])
    (description.state, description.caches) = ([], [])
    (description.task, description.examples) = (section.task, [])
    if section.placeholders == nil { description.placeholders = [] }
    description.modelSignature = section.modelSignature
    description.location = "/functions/\(JSONPointer.escape(name))"
    return description
  }

  /// The default mode: prediction if the model supports it.
  public var defaultMode: ModelMode {
    [.predict, .evaluate, .train].first(where: modes.contains) ?? .predict
  }
}

/// A connection that feeds an output back into an input in the next run.
///
/// The input of the first run is zero. `Model.run` always performs a first run; a `ModelStream`
/// keeps the state between runs.
package struct StateLink: Sendable, Hashable {
  /// The name of the output.
  package var output: String
  /// The name of the input, which callers do not provide.
  package var input: String

  /// Creates a link from an output to an input.
  package init(output: String, input: String) {
    self.output = output
    self.input = input
  }
}

extension ModelDescription {
  /// The function whose inputs a caller provides, such as the encoder of a model that writes texts; `nil` if they are those of
  /// the model.
  package var callerFunction: String? { caches.lazy.compactMap(\.function).first }

  /// The inputs that a caller provides: all except those linked to outputs, those with a default value,
  /// those that take another part of the same text, and those that the task passes.
  ///
  /// A model that reads what an encoder returns has those of the encoder.
  public var callerInputs: [Layer] {
    let inputs = callerFunction.flatMap { functions[$0]?.inputs } ?? inputs
    let passed = passedInputs
    return inputs.filter { layer in
      !layer.sharesText && layer.defaultValue == nil && !passed.contains(layer.name)
        && !state.contains { $0.input == layer.name }
    }
  }
}

extension ModelDescription {
  /// The inputs that a caller may provide besides ``callerInputs``: placeholders, state, and those with a default value.
  package var optionalInputs: [Layer] {
    guard callerFunction == nil else { return placeholders }
    let required = callerInputs
    let passed = passedInputs
    return placeholders
      + inputs.filter {
        !required.contains($0) && !$0.sharesText && !passed.contains($0.name)
      }
  }

  private var passedInputs: Set<String> {
    task.flatMap { task in task.format?.passedInputs(task) } ?? []
  }

  /// The outputs of a run: those of the model, unless its task returns others.
  package var runOutputs: [Layer] { task?.format?.runOutputs ?? outputs }
}

/// An example input with its expected outputs.
///
/// Values are converted when the example is run, because their types depend on the model's layers.
public struct ModelExample: Sendable, Hashable {
  /// The default tolerance.
  public static let defaultTolerance: Float = 0.001

  // Values stay text until they are needed, because an example can have a million numbers.
  package var inputText: String
  package var outputTexts: [String: String]
  /// The maximum difference between a number and its expected value.
  public var tolerance: Float

  /// Creates an example.
  public init(
    input: JSONValue, output: [String: JSONValue] = [:], tolerance: Float = defaultTolerance
  ) {
    inputText = input.text
    outputTexts = output.mapValues(\.text)
    self.tolerance = tolerance
  }

  /// The inputs, in the format of `tensorio run`.
  public var input: JSONValue {
    get { JSONNode(compactJSON: inputText)?.value ?? .null }
    set { inputText = newValue.text }
  }

  /// The expected values of some or all outputs, by name.
  public var output: [String: JSONValue] {
    get { outputTexts.mapValues { JSONNode(compactJSON: $0)?.value ?? .null } }
    set { outputTexts = newValue.mapValues(\.text) }
  }
}

/// The address of a model in a model repository:
/// `tio:///models/<model>/hyperparameters/<hyperparameters>/checkpoints/<checkpoint>`.
public struct ModelIdentifier: Sendable, Hashable {
  /// The model.
  public let model: String
  /// The hyperparameters of the training.
  public let hyperparameters: String
  /// The checkpoint of the training.
  public let checkpoint: String

  /// The prefix of all addresses.
  static let scheme = "tio://"

  /// Creates an address.
  public init(model: String, hyperparameters: String, checkpoint: String) {
    self.model = model
    self.hyperparameters = hyperparameters
    self.checkpoint = checkpoint
  }

  /// Parses an address, or returns `nil` if the text is not one.
  public init?(_ text: String) {
    guard text.hasPrefix(ModelIdentifier.scheme) else { return nil }
    let path = text.dropFirst(ModelIdentifier.scheme.count)
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let keywords = ["", "models", "hyperparameters", "checkpoints"]
    guard path.count == 7, [path[0], path[1], path[3], path[5]] == keywords,
      ![path[2], path[4], path[6]].contains("")
    else { return nil }
    self.init(model: path[2], hyperparameters: path[4], checkpoint: path[6])
  }
}

extension ModelIdentifier: CustomStringConvertible {
  /// The address.
  public var description: String {
    "tio:///models/\(model)/hyperparameters/\(hyperparameters)/checkpoints/\(checkpoint)"
  }
}

extension ModelDescription {
  /// The model's address, or `nil` if its `id` is plain text.
  public var identifier: ModelIdentifier? { ModelIdentifier(id) }
}
