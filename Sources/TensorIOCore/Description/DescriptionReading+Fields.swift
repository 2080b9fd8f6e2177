/// The members of an object that belong there, by their keys.
struct Fields {
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
struct KeyRules {
  /// What the object is, for messages.
  let object: String
  /// The keys that mean something here.
  let allowed: [String]
  /// The keys that mean something elsewhere, and where that is.
  var elsewhere: [String: String] = [:]
  /// What it is to have any other key, where that is an error rather than a warning.
  var refusal: ProblemCode?

  static let description = KeyRules(
    object: "a description",
    allowed: [
      schemaKey, "name", "details", "id", "version", "author", "license", "placeholder", "model",
      "inputs", "outputs", "placeholders", misspeltPlaceholders, "options", "train", "eval",
      "state", "task", "examples",
    ])
  static let model = KeyRules(
    object: "model", allowed: ["file", "quantized", "type", "backend", "class", "modes"])
  static let train = KeyRules(object: "train", allowed: ["ops"] + ofModes)
  static let evaluate = KeyRules(object: "eval", allowed: ofModes)
  private static let ofModes = ["file", "inputs", "outputs", "placeholders"]
  static let quantization = KeyRules(
    object: "a quantization", allowed: ["standard", "scale", "bias"],
    elsewhere: ["mean": statisticsPlace, "std": statisticsPlace])
  static let normalization = KeyRules(
    object: "a normalization", allowed: ["standard", "scale", "bias", "mean", "std"])
  static let labels = KeyRules(object: "labels", allowed: ["file", "offset"])
  static let state = KeyRules(object: "a state", allowed: ["output", "input"])
  static let example = KeyRules(object: "an example", allowed: ["input", "output", "tolerance"])

  static let colors = KeyRules(
    object: "a bias", allowed: ["r", "g", "b"], refusal: .unknownColor)

  /// By which editors find the schema of a document; it says nothing of the model.
  static let schemaKey = "$schema"
  private static let statisticsPlace = "it belongs to normalize and denormalize"
  /// How the original's schema spelt `placeholders`.
  static let misspeltPlaceholders = "placholders"
}

extension DescriptionReading {
  /// The members of an object that belong there.
  ///
  /// What does not is reported: an error when the key belongs elsewhere, since something was
  /// meant by it, else a warning.
  mutating func fields(of node: JSONNode, _ rules: KeyRules) -> Fields? {
    guard let members = node.members else {
      wrongType(node, "an object")
      return nil
    }
    var known: [String: JSONNode] = [:]
    for member in members {
      if rules.allowed.contains(member.name) {
        known[member.name] = member.value
      } else if let place = rules.elsewhere[member.name] {
        misplaced(member, in: rules, place)
      } else if let code = rules.refusal {
        refused(member, in: rules, code)
      } else if !log.isFull(.warning) {
        unknown(member, in: rules)
      }
    }
    return Fields(node, known)
  }

  /// The member that an object must have.
  mutating func required(_ key: String, in fields: Fields, _ expected: String) -> JSONNode? {
    if let node = fields[key] { return node }
    log.missing(
      key, in: fields.node, expected: expected, "The key \"\(key)\" is missing.",
      suggestion: "add \"\(key)\", \(expected)")
    return nil
  }

  private mutating func misplaced(_ member: JSONMember, in rules: KeyRules, _ place: String) {
    log.error(
      .misplacedKey, at: member.key, expected: "no \"\(member.name)\" in \(rules.object)",
      "The key \"\(member.name)\" does not belong to \(rules.object).", suggestion: place)
  }

  private mutating func refused(_ member: JSONMember, in rules: KeyRules, _ code: ProblemCode) {
    guard !log.isFull else { return }
    let keys = rules.allowed.map { "\"\($0)\"" }.joined(separator: ", ")
    log.error(
      code, at: member.key, expected: "one of \(keys)",
      "The key \(member.key.quotation) means nothing in \(rules.object).",
      suggestion: "the keys are \(keys)")
  }

  private mutating func unknown(_ member: JSONMember, in rules: KeyRules) {
    let nearest = Spelling.nearest(to: member.name, among: rules.allowed)
    log.warning(
      .unknownKey, at: member.key,
      "The key \(member.key.quotation) means nothing in \(rules.object).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
  }
}
