extension KeyRules {
  /// The keys of a layer of a type in a list; of a layer without a known type, all there are.
  static func layer(_ type: LayerType?, _ role: DescriptionReading.Role) -> KeyRules {
    let own = type.map { keys(of: $0, role) } ?? Array(places.keys)
    let others = places.filter { !own.contains($0.key) }
    let name = type.map { "\($0.rawValue) \(role.rawValue)" } ?? role.rawValue
    let article = "aio".contains(name.prefix(1)) ? "an" : "a"
    return KeyRules(
      object: "\(article) \(name)", allowed: ["name", "type", "shape"] + own, elsewhere: others)
  }

  private static func keys(of type: LayerType, _ role: DescriptionReading.Role) -> [String] {
    let own =
      switch type {
      case .array, .scalar:
        (role.isGiven ? ["dtype", "quantize"] : ["dtype", "dequantize", "labels"])
          + (role == .placeholder ? ["value"] : [])
      case .string: ["dtype"]
      case .image:
        ["format", "layout"]
          + (role.isGiven ? ["normalize", "fit", "filter", "pad"] : ["denormalize"])
      }
    return own + (role.isGiven ? [] : ["role"])
  }

  /// The keys that only some layers have, and which those are.
  private static let places = [
    "dtype": "it belongs to arrays, scalars and strings; a picture has its tensor's type",
    "quantize": "it belongs to array and scalar inputs; outputs have dequantize",
    "dequantize": "it belongs to array and scalar outputs; inputs have quantize",
    "value": "it belongs to array and scalar placeholders",
    "labels": "it belongs to array and scalar outputs",
    "format": "it belongs to images",
    "layout": "it belongs to images",
    "role": "it belongs to outputs",
    "normalize": "it belongs to image inputs; outputs have denormalize",
    "denormalize": "it belongs to image outputs; inputs have normalize",
    "fit": "it belongs to image inputs",
    "filter": "it belongs to image inputs",
    "pad": "it belongs to image inputs",
  ]
}
