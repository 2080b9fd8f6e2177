import TensorIOJSON

/// The allowed members of an object by key.
struct ObjectFields {
  /// The object.
  let node: JSONNode
  private let members: [String: JSONNode]

  init(_ node: JSONNode, _ members: [String: JSONNode]) {
    self.node = node
    self.members = members
  }

  subscript(key: String) -> JSONNode? { members[key] }

  var isEmpty: Bool { members.isEmpty }
}

/// The keys that an object may have.
struct KeySchema {
  /// The name of the object, for messages.
  let objectName: String
  /// The allowed keys.
  let allowed: [String]
  /// Hints for keys that belong to other objects, by key.
  var misplacedKeyHints: [String: String] = [:]
  /// The error code for other keys; if `nil`, they are a warning.
  var unknownKeyError: DiagnosticCode?

  static let description = KeySchema(
    objectName: "a description",
    allowed: [
      schemaKey, "name", "details", "id", "version", "author", "license", "placeholder", "model",
      "inputs", "outputs", "placeholders", misspelledPlaceholders, "options", "train", "eval",
      "state", "task", "examples",
    ])
  static let model = KeySchema(
    objectName: "model", allowed: ["file", "quantized", "type", "backend", "class", "modes"])
  static let train = KeySchema(objectName: "train", allowed: ["ops"] + modeKeys)
  static let evaluate = KeySchema(objectName: "eval", allowed: modeKeys)
  private static let modeKeys = ["file", "inputs", "outputs", "placeholders"]
  static let quantization = KeySchema(
    objectName: "a quantization", allowed: ["standard", "scale", "bias"],
    misplacedKeyHints: ["mean": statisticsHint, "std": statisticsHint])
  static let normalization = KeySchema(
    objectName: "a normalization", allowed: ["standard", "scale", "bias", "mean", "std"])
  static let labels = KeySchema(objectName: "labels", allowed: ["file", "offset"])
  static let calibration = KeySchema(
    objectName: "a calibration", allowed: ["file", "transform", "default"])
  static let state = KeySchema(objectName: "a state", allowed: ["output", "input"])
  static let example = KeySchema(
    objectName: "an example", allowed: ["input", "output", "tolerance"])

  static let tokenizer = KeySchema(
    objectName: "a tokenizer",
    allowed: ["type", "file", "merges", "delimiters", "lowercase"]
      + TokenizerDescription.SpecialToken.allCases.map(\.rawValue))
  static let audioFeatures = KeySchema(
    objectName: "the features of sound",
    allowed: [
      "type", "window", "hop", "fft", "bands", "low", "high", "mel", "triangles",
      "normalize_bands", "framing", "drop_last", "power", "log", "offset", "floor", "range",
      "scale",
      "bias",
    ])

  static let colors = KeySchema(
    objectName: "a bias", allowed: ["r", "g", "b"], unknownKeyError: .unknownColor)

  /// The key that refers editors to the JSON schema.
  static let schemaKey = "$schema"
  private static let statisticsHint = "valid only in normalize and denormalize"
  /// The misspelling of `placeholders` in the original library's schema.
  static let misspelledPlaceholders = "placholders"
}

extension DescriptionParser {
  /// Returns the allowed members of an object, and reports the others.
  ///
  /// A key that belongs to another object is an error; an unknown key is a warning, unless the
  /// schema makes it an error.
  mutating func parseFields(of node: JSONNode, _ schema: KeySchema) -> ObjectFields? {
    guard let members = node.members else {
      reportWrongType(node, "an object")
      return nil
    }
    var fields: [String: JSONNode] = [:]
    for member in members {
      if schema.allowed.contains(member.name) {
        fields[member.name] = member.value
      } else if let hint = schema.misplacedKeyHints[member.name] {
        reportMisplacedKey(member, in: schema, hint)
      } else if let code = schema.unknownKeyError {
        reportRejectedKey(member, in: schema, code)
      } else if !log.isFull(.warning) {
        reportUnknownKey(member, in: schema)
      }
    }
    return ObjectFields(node, fields)
  }

  /// Returns a required member of an object, or reports that it is missing.
  mutating func requireMember(
    _ key: String, in fields: ObjectFields, _ expected: String
  ) -> JSONNode? {
    if let node = fields[key] { return node }
    log.missingKey(
      key, in: fields.node, expected: expected, "missing key \"\(key)\"",
      suggestion: "add \"\(key)\", \(expected)")
    return nil
  }

  private mutating func reportMisplacedKey(
    _ member: JSONMember, in schema: KeySchema, _ hint: String
  ) {
    log.error(
      .misplacedKey, at: member.key, expected: "no \"\(member.name)\" in \(schema.objectName)",
      "the key \"\(member.name)\" is not allowed in \(schema.objectName)", suggestion: hint)
  }

  private mutating func reportRejectedKey(
    _ member: JSONMember, in schema: KeySchema, _ code: DiagnosticCode
  ) {
    guard !log.isFull else { return }
    let keys = schema.allowed.map { "\"\($0)\"" }.joined(separator: ", ")
    log.error(
      code, at: member.key, expected: "one of \(keys)",
      "unknown key \(member.key.excerpt) in \(schema.objectName)",
      suggestion: "the keys are \(keys)")
  }

  private mutating func reportUnknownKey(_ member: JSONMember, in schema: KeySchema) {
    let match = Spelling.closestMatch(to: member.name, among: schema.allowed)
    log.warning(
      .unknownKey, at: member.key,
      "unknown key \(member.key.excerpt) in \(schema.objectName)",
      suggestion: match.map { "did you mean \"\($0)\"?" })
  }
}

extension KeySchema {
  /// Returns the keys of layers of a type in a group; all keys of layers if the type is unknown.
  static func layer(_ type: LayerType?, _ role: DescriptionParser.LayerGroup) -> KeySchema {
    let specific = type.map { keys(of: $0, role) } ?? Array(keyHints.keys)
    let others = keyHints.filter { !specific.contains($0.key) }
    let name = type.map { "\($0.rawValue) \(role.rawValue)" } ?? role.rawValue
    let article = "aio".contains(name.prefix(1)) ? "an" : "a"
    return KeySchema(
      objectName: "\(article) \(name)", allowed: ["name", "type", "shape"] + specific,
      misplacedKeyHints: others)
  }

  private static func keys(of type: LayerType, _ role: DescriptionParser.LayerGroup) -> [String] {
    let keys =
      switch type {
      case .array, .scalar:
        (role.acceptsInput ? ["dtype", "quantize"] : ["dtype", "dequantize", "labels"])
          + (role.acceptsInput ? ["value"] : [])
          + (type == .array ? [role.acceptsInput ? "features" : "calibration"] : [])
      case .string: ["dtype"]
      case .text: ["dtype", "tokenizer", "part", "same_text_as"]
      case .audio: ["dtype", "rate", "hop", "remainder", "features"]
      case .image:
        ["format", "layout"]
          + (role.acceptsInput
            ? ["normalize", "fit", "fit_anchor", "filter", "pad"] : ["denormalize"])
      }
    return keys + (role.acceptsInput ? [] : ["role"])
  }

  /// The keys that only some layers have, with a hint for each.
  private static let keyHints = [
    "dtype": "not valid in images; an image has its tensor's type",
    "quantize": "valid only in array and scalar inputs; outputs have dequantize",
    "dequantize": "valid only in array and scalar outputs; inputs have quantize",
    "value": "valid only in array and scalar inputs and placeholders",
    "labels": "valid only in array and scalar outputs",
    "calibration": "valid only in array outputs",
    "features": "valid only in array and audio inputs",
    "tokenizer": "valid only in text inputs",
    "part": "valid only in text inputs",
    "same_text_as": "valid only in text inputs",
    "rate": "valid only in audio inputs",
    "hop": "valid only in audio inputs",
    "remainder": "valid only in audio inputs",
    "format": "valid only in image layers",
    "layout": "valid only in image layers",
    "role": "valid only in outputs",
    "normalize": "valid only in image inputs; outputs have denormalize",
    "denormalize": "valid only in image outputs; inputs have normalize",
    "fit": "valid only in image inputs",
    "fit_anchor": "valid only in image inputs",
    "filter": "valid only in image inputs",
    "pad": "valid only in image inputs",
  ]
}
