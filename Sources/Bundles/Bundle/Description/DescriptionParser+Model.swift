import TensorIOJSON

/// Parsing of `model` and `options`.
extension DescriptionParser {
  mutating func parseModel(in root: ObjectFields, into description: inout ModelDescription) {
    guard let node = requireMember("model", in: root, "an object"),
      let fields = parseFields(of: node, .model)
    else { return }
    description.modelFile = parseModelFile(in: fields, isPlaceholder: description.isPlaceholder)
    description.isQuantized =
      requireMember("quantized", in: fields, "true or false").flatMap { parseBool($0) } ?? false
    description.type = fields["type"].flatMap { parseString($0) }
    description.className = fields["class"].flatMap { parseClassName($0) }
    description.backend = parseBackend(in: fields, className: description.className)
    description.modes = parseModes(in: fields)
  }

  private mutating func parseModelFile(in fields: ObjectFields, isPlaceholder: Bool) -> String {
    guard let node = requireMember("file", in: fields, "a file name") else { return "" }
    if isPlaceholder, node.string == "" { return "" }
    return parseFileName(node) ?? ""
  }

  // MARK: Backend and class

  private mutating func parseBackend(in fields: ObjectFields, className: String?)
    -> BackendIdentifier?
  {
    guard let node = fields["backend"] else {
      if className == nil { reportMissingBackend(in: fields) }
      return nil
    }
    guard let name = parseNonemptyString(node) else { return nil }
    let backend = BackendIdentifier(rawValue: name)
    guard backends.contains(backend) else {
      reportUnknownBackend(node, name)
      return nil
    }
    if backend.rawValue != name {
      log.warning(
        .backendCase, at: node, expected: "\"\(backend)\"",
        "backend names are lower case", suggestion: "write \"\(backend)\"")
    }
    return backend
  }

  private mutating func reportMissingBackend(in fields: ObjectFields) {
    log.missingKey(
      "backend", in: fields.node, severity: .warning, .missingBackend,
      expected: backendNames.joined(separator: " or "),
      "the backend is missing",
      suggestion: "add \"backend\"; the default is tensorflow for a folder, tflite for a file")
  }

  private mutating func reportUnknownBackend(_ node: JSONNode, _ name: String) {
    let match = Spelling.closestMatch(to: name, among: backendNames)
    log.error(
      .unknownBackend, at: node, expected: "one of \(backendNames.joined(separator: ", "))",
      "unknown backend \(node.excerpt)", suggestion: match.map { "did you mean \"\($0)\"?" },
      legacyCode: .unknownBackend)
  }

  private var backendNames: [String] { backends.map(\.rawValue).sorted() }

  private mutating func parseClassName(_ node: JSONNode) -> String? {
    guard let name = parseNonemptyString(node) else { return nil }
    if let backend = BackendIdentifier(legacyClass: name) {
      log.warning(
        .legacyClass, at: node, "the class belongs to the original library",
        suggestion: "write \"backend\": \"\(backend)\" instead")
    }
    return name
  }

  // MARK: Modes

  private mutating func parseModes(in fields: ObjectFields) -> Set<ModelMode> {
    guard let node = fields["modes"] else {
      log.missingKey(
        "modes", in: fields.node, severity: .warning, .missingModes, expected: "an array of modes",
        "the modes are missing",
        suggestion: "add \"modes\"; the default is [\"predict\"]")
      return [.predict]
    }
    guard let elements = parseArray(node, of: "modes") else { return [] }
    var modes: Set<ModelMode> = []
    for element in elements where !log.isFull {
      guard let mode = parseChoice(element, of: ModelMode.self, else: .unknownMode) else {
        continue
      }
      if !modes.insert(mode).inserted {
        log.warning(.duplicateMode, at: element, "duplicate mode")
      } else if mode == .evaluate {
        log.warning(
          .nonstandardMode, at: element,
          "the original library's schema does not define the mode eval",
          suggestion: Self.nonstandardSuggestion)
      }
    }
    if node.count == 0 {
      log.warning(.emptyModes, at: node, "the list of modes is empty, so the model cannot be used")
    }
    return modes
  }

  // MARK: Options

  mutating func parseOptions(in root: ObjectFields) -> BundleOptions {
    var options = BundleOptions()
    guard let node = root["options"] else { return options }
    guard let members = node.members else {
      reportWrongType(node, "an object")
      return options
    }
    for member in members where !log.isFull {
      switch member.name {
      case "device_position": options.devicePosition = parseDevicePosition(member.value)
      case "output_format": options.outputFormat = parseString(member.value) ?? ""
      default: options.extra[member.name] = member.value.compactJSON
      }
    }
    return options
  }

  private mutating func parseDevicePosition(_ node: JSONNode) -> BundleOptions.DevicePosition? {
    guard let name = parseString(node) else { return nil }
    if let position = BundleOptions.DevicePosition(rawValue: name) { return position }
    log.warning(
      .unknownDevicePosition, at: node, expected: "\"front\" or \"back\"",
      "unknown device position; it is ignored")
    return nil
  }
}

extension BackendIdentifier {
  /// The classes of the original TensorIO library, which older bundles name.
  package static let legacyClasses = ["TIOTFLiteModel", "TIOTensorFlowModel"]

  /// Returns the backend of a class of the original library, or `nil` for other classes.
  package init?(legacyClass name: String) {
    switch name {
    case "TIOTFLiteModel": self = .tflite
    case "TIOTensorFlowModel": self = .tensorflow
    default: return nil
    }
  }
}

extension JSONNode {
  /// The value as compact strict JSON.
  var compactJSON: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.string
  }

  /// Parses a JSON text, or returns `nil` if it is invalid.
  package init?(compactJSON text: String) {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return nil }
    self = document.root
  }
}

/// Parsing of `train` and `eval`, the overrides of modes.
extension DescriptionParser {
  mutating func parseModeOverrides(in root: ObjectFields, into description: inout ModelDescription)
  {
    if let train = root["train"].flatMap({ parseFields(of: $0, .train) }) {
      description.trainingOperations = parseOperations(in: train)
      description.modeOverrides[.train] = parseOverrides(in: train)
    }
    if let evaluate = root["eval"].flatMap({ parseFields(of: $0, .evaluate) }) {
      description.modeOverrides[.evaluate] = parseOverrides(in: evaluate)
    }
  }

  private mutating func parseOperations(in train: ObjectFields) -> [String] {
    guard let list = requireMember("ops", in: train, "an array of names"),
      let elements = parseArray(list, of: "names")
    else { return [] }
    if list.count == 0 {
      log.error(
        .emptyOperations, at: list, expected: "the name of at least one operator",
        "the list of training operators is empty")
    }
    return elements.compactMap { log.isFull ? nil : parseNonemptyString($0) }
  }

  /// Parses the overrides of a mode; `nil` if there are none.
  private mutating func parseOverrides(in mode: ObjectFields) -> ModeOverrides? {
    var overrides = ModeOverrides()
    overrides.modelFile = mode["file"].flatMap { parseFileName($0) }
    overrides.inputs = mode["inputs"].map { parseLayers($0, "inputs", as: .input) }
    overrides.outputs = mode["outputs"].map { parseLayers($0, "outputs", as: .output) }
    overrides.placeholders = mode["placeholders"].map { parseLayers($0, as: .placeholder) }
    return overrides == ModeOverrides() ? nil : overrides
  }
}

/// Parsing of `state`.
extension DescriptionParser {
  mutating func parseState(in root: ObjectFields, of description: ModelDescription) -> [StateLink] {
    guard let node = root["state"], let elements = parseArray(node, of: "objects") else {
      return []
    }
    let layers = description.resolved(for: description.defaultMode)
    var links: [StateLink] = []
    for element in elements where !log.isFull {
      guard let link = parseLink(element, in: layers, isComplete: !log.hasErrors) else { continue }
      if links.contains(where: { $0.input == link.input }) {
        reportDuplicateInput(element["input"])
      }
      links.append(link)
    }
    return links
  }

  /// Parses a link.
  ///
  /// Layers are looked up only if all of them could be parsed.
  private mutating func parseLink(
    _ node: JSONNode, in description: ModelDescription, isComplete: Bool
  ) -> StateLink? {
    guard let fields = parseFields(of: node, .state) else { return nil }
    let output = requireMember("output", in: fields, "the name of an output").flatMap {
      parseNonemptyString($0)
    }
    let input = requireMember("input", in: fields, "the name of an input").flatMap {
      parseNonemptyString($0)
    }
    guard let output, let input else { return nil }
    guard isComplete else { return StateLink(output: output, input: input) }
    let source = findLayer(fields["output"], output, description.outputs, .unknownOutput)
    let target = findLayer(fields["input"], input, description.inputs, .unknownInput)
    if let source, let target { checkState(node, from: source, to: target) }
    return StateLink(output: output, input: input)
  }

  private mutating func findLayer(
    _ node: JSONNode?, _ name: String, _ layers: [Layer], _ code: DiagnosticCode
  ) -> Layer? {
    if let layer = layers.first(where: { $0.name == name }) { return layer }
    guard let node else { return nil }
    let match = Spelling.closestMatch(to: name, among: layers.map(\.name))
    log.error(
      code, at: node, expected: "the name of a layer", "unknown layer \(node.excerpt)",
      suggestion: match.map { "did you mean \"\($0)\"?" })
    return nil
  }

  private mutating func checkState(_ node: JSONNode, from output: Layer, to input: Layer) {
    let isCompatible =
      output.isNumeric && input.isNumeric && output.elementCount == input.elementCount
    guard !isCompatible else { return }
    log.error(
      .stateMismatch, at: node, expected: "a numeric output and input with the same element count",
      "output '\(output.name)' is incompatible with input '\(input.name)'")
  }

  private mutating func reportDuplicateInput(_ node: JSONNode?) {
    guard let node else { return }
    log.error(
      .duplicateName, at: node, expected: "an input that is not linked to another output",
      "two outputs are linked to the same input")
  }
}
