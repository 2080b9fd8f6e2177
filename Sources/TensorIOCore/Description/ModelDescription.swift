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
  public var interfaces: [ModelMode: ModeInterface]
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
    interfaces = [:]
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
    extra[key].flatMap(JSONNode.init(json:))
  }
}
