import TensorIOJSON

/// Parses the JSON of a `model.json` into a description and a log of diagnostics.
///
/// Extensions of this type contain a parsing function for each part of the format. A function takes
/// the node of a value, so that diagnostics have its location.
struct DescriptionParser {
  let document: JSONDocument
  let backends: Set<BackendIdentifier>
  /// The tasks that the description may declare; `nil` accepts every task.
  let tasks: [TaskFormat]?
  var log = DiagnosticLog()

  init(_ document: JSONDocument, backends: Set<BackendIdentifier>, tasks: [TaskFormat]?) {
    self.document = document
    self.backends = backends
    self.tasks = tasks
    reportExtensionUses()
  }

  /// Parses the document.
  mutating func parseDescription() -> ModelDescription? {
    guard let fields = parseRoot() else { return nil }
    var description = ModelDescription(
      inputs: parseLayers("inputs", as: .input, in: fields),
      outputs: parseLayers("outputs", as: .output, in: fields))
    description.placeholders = parsePlaceholders(in: fields)
    parseMetadata(in: fields, into: &description)
    // Assumes a placeholder if the value is invalid, to avoid follow-up errors.
    description.isPlaceholder = fields["placeholder"].map { parseBool($0) ?? true } ?? false
    parseModel(in: fields, into: &description)
    description.options = parseOptions(in: fields)
    parseModeOverrides(in: fields, into: &description)
    description.state = parseState(in: fields, of: description)
    description.task = parseTask(in: fields)
    description.examples = parseExamples(in: fields)
    for rule in DescriptionParser.rules { rule(&self, description, fields) }
    return description
  }

  private mutating func parseRoot() -> ObjectFields? {
    guard document.root.kind == .object else {
      log.error(
        .wrongType, at: document.root, expected: "an object",
        "a description is a JSON object", legacyCode: .invalidJSON)
      return nil
    }
    let fields = parseFields(of: document.root, .description)
    if let schema = fields?[KeySchema.schemaKey] { _ = parseString(schema) }
    return fields
  }

  /// Parses the name, version and other metadata of the model.
  private mutating func parseMetadata(
    in fields: ObjectFields, into description: inout ModelDescription
  ) {
    description.name = parseRequiredString("name", in: fields)
    description.details = parseRequiredString("details", in: fields)
    description.id = parseRequiredString("id", in: fields)
    description.version = parseRequiredString("version", in: fields)
    description.author = parseRequiredString("author", in: fields)
    description.license = parseRequiredString("license", in: fields)
    checkIdentifier(description, fields["id"])
  }

  private mutating func checkIdentifier(_ description: ModelDescription, _ node: JSONNode?) {
    guard let node, description.id.hasPrefix(ModelIdentifier.scheme),
      description.identifier == nil
    else { return }
    log.warning(
      .malformedIdentifier, at: node,
      expected: "tio:///models/…/hyperparameters/…/checkpoints/…",
      "the id is not a valid model repository address",
      suggestion: "correct the address, or use plain text that does not begin with tio://")
  }

  private mutating func reportExtensionUses() {
    for use in document.extensionUses where !log.isFull(.warning) {
      switch use.kind {
      case .byteOrderMark:
        log.warning(
          .byteOrderMark, at: document.root, found: "a byte order mark",
          "the file begins with a byte order mark, which JSON does not allow",
          suggestion: "save it as UTF-8 without byte order mark")
      default: reportTrailingComma(at: use.offset)
      }
    }
  }

  private mutating func reportTrailingComma(at offset: Int) {
    let container = document.node(covering: offset)
    let position = document.position(of: offset)
    log.add(.warning, offset: offset) {
      Diagnostic(
        .warning, .trailingComma, path: container.pointer, at: position,
        expected: "no comma before the end", found: "','",
        message: "trailing comma, which strict JSON does not allow",
        suggestion: "remove the comma")
    }
  }
}

/// Parsing of single values.
extension DescriptionParser {
  /// Reports a value of the wrong type.
  mutating func reportWrongType(_ node: JSONNode, _ expected: String, suggestion: String? = nil) {
    log.error(
      .wrongType, at: node, expected: expected, "expected \(expected), found \(node.summary)",
      suggestion: suggestion)
  }

  mutating func parseString(_ node: JSONNode) -> String? {
    if let text = node.string { return text }
    let isQuotable = node.kind == .number || node.kind == .boolean
    reportWrongType(
      node, "a string", suggestion: isQuotable ? "write \"\(node.source.prefix(40))\"" : nil)
    return nil
  }

  mutating func parseNonemptyString(_ node: JSONNode) -> String? {
    guard let text = parseString(node) else { return nil }
    guard text.isEmpty else { return text }
    log.error(
      .emptyString, at: node, expected: "a nonempty string", "the string is empty")
    return nil
  }

  mutating func parseRequiredString(_ key: String, in fields: ObjectFields) -> String {
    requireMember(key, in: fields, "a string").flatMap { parseString($0) } ?? ""
  }

  mutating func parseBool(_ node: JSONNode) -> Bool? {
    if let value = node.bool { return value }
    let text = node.string ?? node.source
    let intended = ["true", "1"].contains(text) ? "true" : "false"
    reportWrongType(
      node, "true or false",
      suggestion: ["true", "false", "0", "1"].contains(text) ? "write \(intended)" : nil)
    return nil
  }

  mutating func parseNumber(_ node: JSONNode) -> Float? {
    guard let value = node.float else {
      let isQuoted = node.string.flatMap(Float.init) != nil
      reportWrongType(node, "a number", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard value.isFinite else {
      log.error(
        .numberOverflow, at: node, expected: "a number of at most \(Float.greatestFiniteMagnitude)",
        "the number does not fit in a 32-bit float")
      return nil
    }
    return value
  }

  /// Parses an integer with a maximum magnitude.
  mutating func parseInteger(_ node: JSONNode, max limit: Int) -> Int? {
    guard node.kind == .number else {
      reportWrongType(node, "an integer")
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer without fraction or exponent",
        "the number is not an integer")
      return nil
    }
    guard let value = node.int.flatMap({ Int(exactly: $0) }), abs(value) <= limit else {
      log.error(
        .numberOverflow, at: node, expected: "an integer of at most \(limit)",
        "the number is too large")
      return nil
    }
    return value
  }

  mutating func parseArray(_ node: JSONNode, of what: String) -> JSONElements? {
    if let elements = node.elements { return elements }
    reportWrongType(node, "an array of \(what)", suggestion: "write [\(node.source.prefix(40))]")
    return nil
  }

  /// Parses one of several strings; case matters.
  mutating func parseChoice<Value>(
    _ node: JSONNode, of choices: [(name: String, value: Value)], else code: DiagnosticCode
  ) -> Value? {
    guard let text = parseString(node) else { return nil }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let match = Spelling.closestMatch(
      to: text.filter { !$0.isWhitespace }, among: choices.map(\.name))
    log.error(
      code, at: node, expected: "one of \(names)",
      "unknown value \(node.excerpt); expected one of \(names)",
      suggestion: match.map { "did you mean \"\($0)\"?" })
    return nil
  }

  mutating func parseChoice<Value: RawRepresentable & CaseIterable>(
    _ node: JSONNode, of type: Value.Type, else code: DiagnosticCode
  ) -> Value? where Value.RawValue == String {
    parseChoice(node, of: type.allCases.map { ($0.rawValue, $0) }, else: code)
  }

  /// Parses the relative path of a file inside the bundle.
  mutating func parseFileName(_ node: JSONNode) -> String? {
    guard let name = parseNonemptyString(node) else { return nil }
    guard let reason = BundlePath.rejectionReason(for: name) else { return name }
    log.error(
      .unsafePath, at: node, expected: "a path inside the bundle", "invalid path: \(reason)",
      suggestion: "use a relative path to a file inside the bundle")
    return nil
  }
}
