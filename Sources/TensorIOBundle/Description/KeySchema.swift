import TensorIOJSON

/// The members of an object that belong there, by their keys.
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
  /// What the object is, for messages.
  let objectName: String
  /// The keys that mean something here.
  let allowed: [String]
  /// The keys that mean something elsewhere, and where that is.
  var misplacedKeyHints: [String: String] = [:]
  /// What it is to have any other key, where that is an error rather than a warning.
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
  static let state = KeySchema(objectName: "a state", allowed: ["output", "input"])
  static let example = KeySchema(objectName: "an example", allowed: ["input", "output", "tolerance"])

  static let colors = KeySchema(
    objectName: "a bias", allowed: ["r", "g", "b"], unknownKeyError: .unknownColor)

  /// By which editors find the schema of a document; it says nothing of the model.
  static let schemaKey = "$schema"
  private static let statisticsHint = "it belongs to normalize and denormalize"
  /// How the original's schema spelt `placeholders`.
  static let misspelledPlaceholders = "placholders"
}

extension DescriptionParser {
  /// The members of an object that belong there.
  ///
  /// What does not is reported: an error when the key belongs elsewhere, since something was
  /// meant by it, else a warning.
  mutating func parseFields(of node: JSONNode, _ rules: KeySchema) -> ObjectFields? {
    guard let members = node.members else {
      reportWrongType(node, "an object")
      return nil
    }
    var known: [String: JSONNode] = [:]
    for member in members {
      if rules.allowed.contains(member.name) {
        known[member.name] = member.value
      } else if let place = rules.misplacedKeyHints[member.name] {
        reportMisplacedKey(member, in: rules, place)
      } else if let code = rules.unknownKeyError {
        reportRejectedKey(member, in: rules, code)
      } else if !log.isFull(.warning) {
        reportUnknownKey(member, in: rules)
      }
    }
    return ObjectFields(node, known)
  }

  /// The member that an object must have.
  mutating func requireMember(_ key: String, in fields: ObjectFields, _ expected: String) -> JSONNode? {
    if let node = fields[key] { return node }
    log.missingKey(
      key, in: fields.node, expected: expected, "The key \"\(key)\" is missing.",
      suggestion: "add \"\(key)\", \(expected)")
    return nil
  }

  private mutating func reportMisplacedKey(_ member: JSONMember, in rules: KeySchema, _ place: String) {
    log.error(
      .misplacedKey, at: member.key, expected: "no \"\(member.name)\" in \(rules.objectName)",
      "The key \"\(member.name)\" does not belong to \(rules.objectName).", suggestion: place)
  }

  private mutating func reportRejectedKey(_ member: JSONMember, in rules: KeySchema, _ code: DiagnosticCode) {
    guard !log.isFull else { return }
    let keys = rules.allowed.map { "\"\($0)\"" }.joined(separator: ", ")
    log.error(
      code, at: member.key, expected: "one of \(keys)",
      "The key \(member.key.excerpt) means nothing in \(rules.objectName).",
      suggestion: "the keys are \(keys)")
  }

  private mutating func reportUnknownKey(_ member: JSONMember, in rules: KeySchema) {
    let nearest = Spelling.closestMatch(to: member.name, among: rules.allowed)
    log.warning(
      .unknownKey, at: member.key,
      "The key \(member.key.excerpt) means nothing in \(rules.objectName).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
  }
}

extension KeySchema {
  /// The keys of a layer of a type in a list; of a layer without a known type, all there are.
  static func layer(_ type: LayerType?, _ role: DescriptionParser.LayerGroup) -> KeySchema {
    let own = type.map { keys(of: $0, role) } ?? Array(keyHints.keys)
    let others = keyHints.filter { !own.contains($0.key) }
    let name = type.map { "\($0.rawValue) \(role.rawValue)" } ?? role.rawValue
    let article = "aio".contains(name.prefix(1)) ? "an" : "a"
    return KeySchema(
      objectName: "\(article) \(name)", allowed: ["name", "type", "shape"] + own, misplacedKeyHints: others)
  }

  private static func keys(of type: LayerType, _ role: DescriptionParser.LayerGroup) -> [String] {
    let own =
      switch type {
      case .array, .scalar:
        (role.acceptsInput ? ["dtype", "quantize"] : ["dtype", "dequantize", "labels"])
          + (role == .placeholder ? ["value"] : [])
      case .string: ["dtype"]
      case .image:
        ["format", "layout"]
          + (role.acceptsInput ? ["normalize", "fit", "filter", "pad"] : ["denormalize"])
      }
    return own + (role.acceptsInput ? [] : ["role"])
  }

  /// The keys that only some layers have, and which those are.
  private static let keyHints = [
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
