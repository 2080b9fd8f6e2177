import TensorIOJSON

/// The rules for `model` and `options`.
extension DescriptionParser {
  mutating func parseModel(in root: ObjectFields, into description: inout ModelDescription) {
    guard let node = requireMember("model", in: root, "an object"), let fields = parseFields(of: node, .model)
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

  private mutating func parseBackend(in fields: ObjectFields, className: String?) -> BackendIdentifier? {
    guard let node = fields["backend"] else {
      if className == nil { reportMissingBackend(in: fields) }
      return nil
    }
    guard let word = parseNonemptyString(node) else { return nil }
    let backend = BackendIdentifier(rawValue: word)
    guard backends.contains(backend) else {
      reportUnknownBackend(node, word)
      return nil
    }
    if backend.rawValue != word {
      log.warning(
        .backendCase, at: node, expected: "\"\(backend)\"",
        "A backend is written in small letters.", suggestion: "write \"\(backend)\"")
    }
    return backend
  }

  private mutating func reportMissingBackend(in fields: ObjectFields) {
    log.missingKey(
      "backend", in: fields.node, severity: .warning, .missingBackend,
      expected: backendNames.joined(separator: " or "),
      "The model does not say which runtime it is for.",
      suggestion: "add \"backend\"; without it a folder is for tensorflow, a file for tflite")
  }

  private mutating func reportUnknownBackend(_ node: JSONNode, _ word: String) {
    let nearest = Spelling.closestMatch(to: word, among: backendNames)
    log.error(
      .unknownBackend, at: node, expected: "one of \(backendNames.joined(separator: ", "))",
      "There is no runtime of this name.", suggestion: nearest.map { "did you mean \"\($0)\"?" },
      legacyCode: .unknownBackend)
  }

  private var backendNames: [String] { backends.map(\.rawValue).sorted() }

  private mutating func parseClassName(_ node: JSONNode) -> String? {
    guard let name = parseNonemptyString(node) else { return nil }
    if let backend = BackendIdentifier(legacyClass: name) {
      log.warning(
        .legacyClass, at: node, "The class is the original library's own.",
        suggestion: "write \"backend\": \"\(backend)\" instead")
    }
    return name
  }

  // MARK: Modes

  private mutating func parseModes(in fields: ObjectFields) -> Set<ModelMode> {
    guard let node = fields["modes"] else {
      log.missingKey(
        "modes", in: fields.node, severity: .warning, .missingModes, expected: "an array of modes",
        "The model does not say what it can be used for.",
        suggestion: "add \"modes\": [\"predict\"], which is what is assumed")
      return [.predict]
    }
    guard let elements = parseArray(node, of: "modes") else { return [] }
    var modes: Set<ModelMode> = []
    for element in elements where !log.isFull {
      guard let mode = parseChoice(element, of: ModelMode.self, else: .unknownMode) else { continue }
      if !modes.insert(mode).inserted {
        log.warning(.duplicateMode, at: element, "The mode is listed already.")
      } else if mode == .evaluate {
        log.warning(
          .nonstandardMode, at: element, "The original's schema knows no mode eval.",
          suggestion: "nothing to do where only this library reads the bundle")
      }
    }
    if node.count == 0 {
      log.warning(.emptyModes, at: node, "The model can be used for nothing: it lists no modes.")
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
    guard let word = parseString(node) else { return nil }
    if let position = BundleOptions.DevicePosition(rawValue: word) { return position }
    log.warning(
      .unknownDevicePosition, at: node, expected: "\"front\" or \"back\"",
      "There is no camera on this side.", suggestion: "the application chooses one")
    return nil
  }
}

extension BackendIdentifier {
  /// The original library's own classes, which older bundles name.
  package static let legacyClasses = ["TIOTFLiteModel", "TIOTensorFlowModel"]

  /// The runtime of one of the original library's own classes.
  package init?(legacyClass name: String) {
    switch name {
    case "TIOTFLiteModel": self = .tflite
    case "TIOTensorFlowModel": self = .tensorflow
    default: return nil
    }
  }
}

extension JSONNode {
  /// The value as strict JSON on one line.
  var compactJSON: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.string
  }

  /// The value that a text is, if it is JSON.
  package init?(compactJSON text: String) {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return nil }
    self = document.root
  }
}

/// The rules for `train` and `eval`: what modes have of their own.
extension DescriptionParser {
  mutating func parseModeOverrides(in root: ObjectFields, into description: inout ModelDescription) {
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
        "Training runs no operator.")
    }
    return elements.compactMap { log.isFull ? nil : parseNonemptyString($0) }
  }

  /// What a mode says of itself; `nil` when all is as for the whole model.
  private mutating func parseOverrides(in mode: ObjectFields) -> ModeOverrides? {
    var interface = ModeOverrides()
    interface.modelFile = mode["file"].flatMap { parseFileName($0) }
    interface.inputs = mode["inputs"].map { parseLayers($0, "inputs", as: .input) }
    interface.outputs = mode["outputs"].map { parseLayers($0, "outputs", as: .output) }
    interface.placeholders = mode["placeholders"].map { parseLayers($0, as: .placeholder) }
    return interface == ModeOverrides() ? nil : interface
  }
}

/// The rules for `state`.
extension DescriptionParser {
  mutating func parseState(in root: ObjectFields, of description: ModelDescription) -> [StateLink] {
    guard let node = root["state"], let elements = parseArray(node, of: "objects") else { return [] }
    let layers = description.resolved(for: description.defaultMode)
    var links: [StateLink] = []
    for element in elements where !log.isFull {
      guard let link = parseLink(element, in: layers, isComplete: !log.hasErrors) else { continue }
      if links.contains(where: { $0.input == link.input }) { reportDuplicateInput(element["input"]) }
      links.append(link)
    }
    return links
  }

  /// Where layers are missing because something is wrong with them, only that is told.
  private mutating func parseLink(
    _ node: JSONNode, in description: ModelDescription, isComplete: Bool
  ) -> StateLink? {
    guard let fields = parseFields(of: node, .state) else { return nil }
    let output = requireMember("output", in: fields, "the name of an output").flatMap { parseNonemptyString($0) }
    let input = requireMember("input", in: fields, "the name of an input").flatMap { parseNonemptyString($0) }
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
    let nearest = Spelling.closestMatch(to: name, among: layers.map(\.name))
    log.error(
      code, at: node, expected: "the name of a layer",
      "No such layer has the name \(node.excerpt).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
    return nil
  }

  private mutating func checkState(_ node: JSONNode, from output: Layer, to input: Layer) {
    let isFitting =
      output.isNumericState && input.isNumericState && output.elementCount == input.elementCount
    guard !isFitting else { return }
    log.error(
      .stateMismatch, at: node, expected: "an output and an input of as many numbers",
      "What comes out of '\(output.name)' cannot go into '\(input.name)'.")
  }

  private mutating func reportDuplicateInput(_ node: JSONNode?) {
    guard let node else { return }
    log.error(
      .duplicateName, at: node, expected: "an input that no other output goes into",
      "Two outputs go into one input.")
  }
}

extension Layer {
  fileprivate var isNumericState: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string: false
    }
  }
}
