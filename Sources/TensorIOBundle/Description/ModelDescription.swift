public import TensorIOJSON

/// What `model.json` says: who made a model, where its weights are, what goes in and what comes
/// out.
public struct ModelDescription: Sendable, Hashable {
  /// The model's name, for people.
  public var name: String
  /// What it does, for people.
  public var details: String
  /// The model's identifier: plain text, or a `tio:///…` address.
  public var id: String
  /// The version of the bundle.
  public var version: String
  /// Who made it.
  public var author: String
  /// The terms under which it may be used.
  public var license: String

  /// Whether the bundle only describes a model and has none.
  public var isPlaceholder: Bool
  /// The file or folder with the weights, relative to the bundle; empty in a placeholder.
  public var modelFile: String
  /// Whether the model as a whole works on bytes; a layer's own element type wins.
  public var isQuantized: Bool
  /// A free word that says what kind of model it is, such as `image.classification.imagenet`.
  public var type: String?
  /// The runtime that the model asks for; `nil` when the description leaves it open.
  public var backend: BackendIdentifier?
  /// The name under which an application registered a model of its own.
  public var className: String?
  /// What the model can be used for.
  public var modes: Set<ModelMode>

  /// What goes in, in order.
  public var inputs: [Layer]
  /// What comes out, in order.
  public var outputs: [Layer]
  /// Values besides the inputs, such as a learning rate.
  public var placeholders: [Layer]

  /// Hints for an application.
  public var options: BundleOptions
  /// The operations that one step of training runs.
  public var trainingOperations: [String]
  /// What modes have of their own; what they do not say is as for the whole model.
  public var modeOverrides: [ModelMode: ModeOverrides]
  /// What the model remembers from one run to the next.
  public var state: [StateLink]
  /// What the outputs mean together, such as detections.
  public var task: ModelTask?
  /// Inputs to try the model on, with what should come out.
  public var examples: [ModelExample]

  /// A description with everything left out but the layers.
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
    task = nil
    examples = []
  }
}

/// What a model can be used for.
public enum ModelMode: String, Sendable, Hashable, CaseIterable {
  case predict, train
  case evaluate = "eval"
}

/// The `options` of a bundle: hints for an application that shows the model to people.
public struct BundleOptions: Sendable, Hashable {
  /// Which camera to start with.
  public enum DevicePosition: String, Sendable, Hashable {
    case front, back
  }

  /// Which camera to start with, where the bundle says.
  public var devicePosition: DevicePosition?
  /// How to word the output; empty when the bundle leaves it open.
  public var outputFormat: String = ""
  /// The keys that the format does not name, with their values as JSON text.
  public var extra: [String: String] = [:]

  /// No hints.
  public init() {}
}

extension BundleOptions {
  /// The value of a key that the format does not name.
  public func value(of key: String) -> JSONNode? {
    extra[key].flatMap(JSONNode.init(compactJSON:))
  }
}

/// What a model takes and gives in one mode, where that differs from what `model.json` says for the
/// whole model.
public struct ModeOverrides: Sendable, Hashable {
  /// The file or folder with the weights and the graph of this mode.
  public var modelFile: String?
  /// What goes in, in order.
  public var inputs: [Layer]?
  /// What comes out, in order.
  public var outputs: [Layer]?
  /// Values besides the inputs, such as a learning rate.
  public var placeholders: [Layer]?

  /// Nothing of its own.
  public init() {}
}

extension ModelDescription {
  /// The description of the model in one mode.
  public func resolved(for mode: ModelMode) -> ModelDescription {
    guard let own = modeOverrides[mode] else { return self }
    var description = self
    description.modelFile = own.modelFile ?? modelFile
    description.inputs = own.inputs ?? inputs
    description.outputs = own.outputs ?? outputs
    description.placeholders = own.placeholders ?? placeholders
    return description
  }

  /// The mode in which the model is run when nobody says: predictions, where it is for them.
  public var defaultMode: ModelMode {
    [.predict, .evaluate, .train].first(where: modes.contains) ?? .predict
  }
}

/// What a model remembers from one run to the next: an output that goes into an input again.
///
/// The first run begins at zero. ``Model/run(_:)-(ModelInput)`` always is a first run; a
/// `StatefulModel` carries on.
public struct StateLink: Sendable, Hashable {
  /// The name of the output.
  public var output: String
  /// The name of the input, which callers need not give.
  public var input: String

  /// A link from an output to an input.
  public init(output: String, input: String) {
    self.output = output
    self.input = input
  }
}

extension ModelDescription {
  /// The inputs that a caller gives: all but those that the model's own outputs go into.
  public var callerInputs: [Layer] {
    inputs.filter { layer in !state.contains { $0.input == layer.name } }
  }
}

/// An input to try a model on, and what should come out.
///
/// Values are kept as JSON text and read when the example is run, when the model is there to say
/// what they have to be.
public struct ModelExample: Sendable, Hashable {
  /// How far a number may be from the one that is expected, unless the example says otherwise.
  public static let defaultTolerance: Float = 0.001

  /// What goes in, as `tensorio run` takes it.
  public var input: String
  /// What should come out of some of the outputs, by name.
  public var output: [String: String]
  /// How far each number may be from the one that is expected.
  public var tolerance: Float

  /// An input, and what should come of it.
  public init(
    input: String, output: [String: String] = [:], tolerance: Float = defaultTolerance
  ) {
    self.input = input
    self.output = output
    self.tolerance = tolerance
  }
}

/// The address of a model in a model repository:
/// `tio:///models/<model>/hyperparameters/<hyperparameters>/checkpoints/<checkpoint>`.
public struct ModelIdentifier: Sendable, Hashable {
  /// The model.
  public let model: String
  /// The settings with which it was trained.
  public let hyperparameters: String
  /// The state of its training.
  public let checkpoint: String

  /// The beginning of every address.
  static let scheme = "tio://"

  /// An address of three names.
  public init(model: String, hyperparameters: String, checkpoint: String) {
    self.model = model
    self.hyperparameters = hyperparameters
    self.checkpoint = checkpoint
  }

  /// Reads an address; `nil` when a text is none.
  public init?(_ text: String) {
    guard text.hasPrefix(ModelIdentifier.scheme) else { return nil }
    let parts = text.dropFirst(ModelIdentifier.scheme.count)
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let words = ["", "models", "hyperparameters", "checkpoints"]
    guard parts.count == 7, [parts[0], parts[1], parts[3], parts[5]] == words,
      ![parts[2], parts[4], parts[6]].contains("")
    else { return nil }
    self.init(model: parts[2], hyperparameters: parts[4], checkpoint: parts[6])
  }
}

extension ModelIdentifier: CustomStringConvertible {
  /// The address.
  public var description: String {
    "tio:///models/\(model)/hyperparameters/\(hyperparameters)/checkpoints/\(checkpoint)"
  }
}

extension ModelDescription {
  /// The model's address, where its `id` is one.
  public var identifier: ModelIdentifier? { ModelIdentifier(id) }
}
