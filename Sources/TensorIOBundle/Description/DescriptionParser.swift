import TensorIOJSON

/// One reading of one document: the values so far become a description, the problems a log.
///
/// The rules are small functions, one for each thing that can be written, in the extensions of
/// this type: each takes the value's own node, so that what it finds wrong is reported there.
struct DescriptionParser {
  let document: JSONDocument
  let backends: Set<BackendIdentifier>
  var log = DiagnosticLog()

  init(_ document: JSONDocument, backends: Set<BackendIdentifier>) {
    self.document = document
    self.backends = backends
    reportExtensionUses()
  }

  /// Reads the whole document.
  mutating func parseDescription() -> ModelDescription? {
    guard let fields = parseRoot() else { return nil }
    var description = ModelDescription(
      inputs: parseLayers("inputs", as: .input, in: fields),
      outputs: parseLayers("outputs", as: .output, in: fields))
    description.placeholders = parsePlaceholders(in: fields)
    parseMetadata(in: fields, into: &description)
    // Whoever wrote something that is neither true nor false most likely meant a placeholder.
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
        "A description is an object: { … }.", legacyCode: .invalidJSON)
      return nil
    }
    let fields = parseFields(of: document.root, .description)
    if let schema = fields?[KeySchema.schemaKey] { _ = parseString(schema) }
    return fields
  }

  /// Who made the model, and what for.
  private mutating func parseMetadata(in fields: ObjectFields, into description: inout ModelDescription) {
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
      "The id looks like an address of a model repository and is none.",
      suggestion: "it is taken as plain text")
  }

  private mutating func reportExtensionUses() {
    for liberty in document.extensionUses where !log.isFull(.warning) {
      switch liberty.kind {
      case .byteOrderMark:
        log.warning(
          .byteOrderMark, at: document.root, found: "a byte order mark",
          "The file begins with a byte order mark, which JSON does not have.",
          suggestion: "save it as UTF-8 without a mark")
      default: reportTrailingComma(at: liberty.offset)
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
        message: "The comma has nothing after it; strict JSON does not allow it.",
        suggestion: "remove the comma")
    }
  }
}

/// The rules for single values.
extension DescriptionParser {
  /// Says that a value is of another type than its place wants.
  mutating func reportWrongType(_ node: JSONNode, _ expected: String, suggestion: String? = nil) {
    log.error(
      .wrongType, at: node, expected: expected, "Expected \(expected), found \(node.summary).",
      suggestion: suggestion)
  }

  mutating func parseString(_ node: JSONNode) -> String? {
    if let text = node.string { return text }
    let isShort = node.kind == .number || node.kind == .boolean
    reportWrongType(node, "a string", suggestion: isShort ? "write \"\(node.source.prefix(40))\"" : nil)
    return nil
  }

  /// A text with something in it.
  mutating func parseNonemptyString(_ node: JSONNode) -> String? {
    guard let text = parseString(node) else { return nil }
    guard text.isEmpty else { return text }
    log.error(
      .emptyString, at: node, expected: "a text that is not empty", "The text is empty.")
    return nil
  }

  mutating func parseRequiredString(_ key: String, in fields: ObjectFields) -> String {
    requireMember(key, in: fields, "a string").flatMap { parseString($0) } ?? ""
  }

  mutating func parseBool(_ node: JSONNode) -> Bool? {
    if let flag = node.bool { return flag }
    let written = node.string ?? node.source
    let isMeant = ["true", "1"].contains(written) ? "true" : "false"
    reportWrongType(
      node, "true or false",
      suggestion: ["true", "false", "0", "1"].contains(written) ? "write \(isMeant)" : nil)
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
        "The number does not fit a 32-bit float.")
      return nil
    }
    return value
  }

  /// A whole number, of at most a magnitude.
  mutating func parseInteger(_ node: JSONNode, max limit: Int) -> Int? {
    guard node.kind == .number else {
      reportWrongType(node, "an integer")
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer, written without a fraction or an exponent",
        "The number counts.")
      return nil
    }
    guard let value = node.int.flatMap({ Int(exactly: $0) }), abs(value) <= limit else {
      log.error(
        .numberOverflow, at: node, expected: "an integer of at most \(limit)",
        "The number is too large.")
      return nil
    }
    return value
  }

  mutating func parseArray(_ node: JSONNode, of what: String) -> JSONElements? {
    if let elements = node.elements { return elements }
    reportWrongType(node, "an array of \(what)", suggestion: "write [\(node.source.prefix(40))]")
    return nil
  }

  /// One of a few words, exactly as they are written.
  mutating func parseChoice<Value>(
    _ node: JSONNode, of values: [(word: String, value: Value)], else code: DiagnosticCode
  ) -> Value? {
    guard let word = parseString(node) else { return nil }
    if let match = values.first(where: { $0.word == word }) { return match.value }
    let words = values.map { "\"\($0.word)\"" }.joined(separator: ", ")
    let bare = word.filter { !$0.isWhitespace }
    let nearest = Spelling.closestMatch(to: bare, among: values.map(\.word))
    log.error(
      code, at: node, expected: "one of \(words)",
      "\(node.excerpt) is none of \(words).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
    return nil
  }

  mutating func parseChoice<Value: RawRepresentable & CaseIterable>(
    _ node: JSONNode, of type: Value.Type, else code: DiagnosticCode
  ) -> Value? where Value.RawValue == String {
    parseChoice(node, of: type.allCases.map { ($0.rawValue, $0) }, else: code)
  }

  /// The name of a file inside the bundle.
  mutating func parseFileName(_ node: JSONNode) -> String? {
    guard let name = parseNonemptyString(node) else { return nil }
    guard let fault = BundlePath.rejectionReason(for: name) else { return name }
    log.error(
      .unsafePath, at: node, expected: "a name inside the bundle",
      "The name leaves the bundle or cannot be a file's: \(fault).",
      suggestion: "put the file into the bundle and name it relative to that")
    return nil
  }
}
