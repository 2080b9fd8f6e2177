/// One reading of one document: the values so far become a description, the problems a log.
///
/// The rules are small functions, one for each thing that can be written, in the extensions of
/// this type: each takes the value's own node, so that what it finds wrong is reported there.
struct DescriptionReading {
  let document: JSONDocument
  let backends: Set<BackendIdentifier>
  var log = ProblemLog()

  init(_ document: JSONDocument, backends: Set<BackendIdentifier>) {
    self.document = document
    self.backends = backends
    noteLiberties()
  }

  /// Reads the whole document.
  mutating func description() -> ModelDescription? {
    guard let fields = rootFields() else { return nil }
    var description = ModelDescription(
      inputs: layers("inputs", as: .input, in: fields),
      outputs: layers("outputs", as: .output, in: fields))
    description.placeholders = placeholders(in: fields)
    readCard(in: fields, into: &description)
    // Whoever wrote something that is neither true nor false most likely meant a placeholder.
    description.isPlaceholder = fields["placeholder"].map { flag($0) ?? true } ?? false
    readModel(in: fields, into: &description)
    description.options = options(in: fields)
    readModes(in: fields, into: &description)
    description.state = state(in: fields, of: description)
    description.task = task(in: fields)
    description.examples = examples(in: fields)
    for rule in DescriptionReading.rules { rule(&self, description, fields) }
    return description
  }

  private mutating func rootFields() -> Fields? {
    guard document.root.kind == .object else {
      log.error(
        .wrongType, at: document.root, expected: "an object",
        "A description is an object: { … }.", original: .invalidJSON)
      return nil
    }
    let fields = fields(of: document.root, .description)
    if let schema = fields?[KeyRules.schemaKey] { _ = text(schema) }
    return fields
  }

  /// Who made the model, and what for.
  private mutating func readCard(in fields: Fields, into description: inout ModelDescription) {
    description.name = requiredText("name", in: fields)
    description.details = requiredText("details", in: fields)
    description.id = requiredText("id", in: fields)
    description.version = requiredText("version", in: fields)
    description.author = requiredText("author", in: fields)
    description.license = requiredText("license", in: fields)
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

  private mutating func noteLiberties() {
    for liberty in document.liberties where !log.isFull(.warning) {
      switch liberty.kind {
      case .byteOrderMark:
        log.warning(
          .byteOrderMark, at: document.root, found: "a byte order mark",
          "The file begins with a byte order mark, which JSON does not have.",
          suggestion: "save it as UTF-8 without a mark")
      default: noteTrailingComma(at: liberty.offset)
      }
    }
  }

  private mutating func noteTrailingComma(at offset: Int) {
    let container = document.node(covering: offset)
    let position = document.position(of: offset)
    log.add(.warning, offset: offset) {
      Problem(
        .warning, .trailingComma, path: container.pointer, at: position,
        expected: "no comma before the end", found: "','",
        message: "The comma has nothing after it; strict JSON does not allow it.",
        suggestion: "remove the comma")
    }
  }
}
