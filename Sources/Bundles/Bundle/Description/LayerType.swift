import TensorIOJSON

/// The layer types of `model.json`.
enum LayerType: String, CaseIterable {
  case array, image, scalar, string, text, audio

  /// Returns the types that layers of a group can have.
  static func types(of group: LayerGroup) -> [LayerType] {
    switch group {
    case .input: allCases
    case .output: [.array, .image, .scalar, .string, .audio]
    case .placeholder: [.array, .image, .scalar, .string]
    }
  }

  /// Returns the type of a layer, or `nil` if it is missing or unknown.
  init?(of layer: JSONNode) {
    guard let name = layer["type"]?.string else { return nil }
    self.init(rawValue: name)
  }

  /// The indefinite article of the name, for messages.
  var article: String {
    switch self {
    case .array, .image, .audio: "an"
    case .scalar, .string, .text: "a"
    }
  }
}

/// The list that contains a layer.
enum LayerGroup: String, CaseIterable {
  case input, output, placeholder

  /// Whether the layers are inputs of the model.
  var acceptsInput: Bool { self != .output }

  /// The name for the end of a name in camel case.
  var capitalizedName: String {
    switch self {
    case .input: "Input"
    case .output: "Output"
    case .placeholder: "Placeholder"
    }
  }
}
