/// The rules for `model` and `options`.
extension DescriptionReading {
  mutating func readModel(in root: Fields, into description: inout ModelDescription) {
    guard let node = required("model", in: root, "an object"), let fields = fields(of: node, .model)
    else { return }
    description.modelFile = modelFile(in: fields, isPlaceholder: description.isPlaceholder)
    description.isQuantized =
      required("quantized", in: fields, "true or false").flatMap { flag($0) } ?? false
    description.type = fields["type"].flatMap { text($0) }
    description.className = fields["class"].flatMap { className($0) }
    description.backend = backend(in: fields, className: description.className)
    description.modes = modes(in: fields)
  }

  private mutating func modelFile(in fields: Fields, isPlaceholder: Bool) -> String {
    guard let node = required("file", in: fields, "a file name") else { return "" }
    if isPlaceholder, node.string == "" { return "" }
    return fileName(node) ?? ""
  }

  // MARK: Backend and class

  private mutating func backend(in fields: Fields, className: String?) -> BackendIdentifier? {
    guard let node = fields["backend"] else {
      if className == nil { noteMissingBackend(in: fields) }
      return nil
    }
    guard let word = word(node) else { return nil }
    let backend = BackendIdentifier(rawValue: word)
    guard backends.contains(backend) else {
      unknownBackend(node, word)
      return nil
    }
    if backend.rawValue != word {
      log.warning(
        .backendCase, at: node, expected: "\"\(backend)\"",
        "A backend is written in small letters.", suggestion: "write \"\(backend)\"")
    }
    return backend
  }

  private mutating func noteMissingBackend(in fields: Fields) {
    log.missing(
      "backend", in: fields.node, severity: .warning, .missingBackend,
      expected: backendWords.joined(separator: " or "),
      "The model does not say which runtime it is for.",
      suggestion: "add \"backend\"; without it a folder is for tensorflow, a file for tflite")
  }

  private mutating func unknownBackend(_ node: JSONNode, _ word: String) {
    let nearest = Spelling.nearest(to: word, among: backendWords)
    log.error(
      .unknownBackend, at: node, expected: "one of \(backendWords.joined(separator: ", "))",
      "There is no runtime of this name.", suggestion: nearest.map { "did you mean \"\($0)\"?" },
      original: .unknownBackend)
  }

  private var backendWords: [String] { backends.map(\.rawValue).sorted() }

  private mutating func className(_ node: JSONNode) -> String? {
    guard let name = word(node) else { return nil }
    if let backend = BackendIdentifier(legacyClass: name) {
      log.warning(
        .legacyClass, at: node, "The class is the original library's own.",
        suggestion: "write \"backend\": \"\(backend)\" instead")
    }
    return name
  }

  // MARK: Modes

  private mutating func modes(in fields: Fields) -> Set<ModelMode> {
    guard let node = fields["modes"] else {
      log.missing(
        "modes", in: fields.node, severity: .warning, .missingModes, expected: "an array of modes",
        "The model does not say what it can be used for.",
        suggestion: "add \"modes\": [\"predict\"], which is what is assumed")
      return [.predict]
    }
    guard let elements = array(node, of: "modes") else { return [] }
    var modes: Set<ModelMode> = []
    for element in elements where !log.isFull {
      guard let mode = choice(element, of: ModelMode.self, else: .unknownMode) else { continue }
      if !modes.insert(mode).inserted {
        log.warning(.duplicateMode, at: element, "The mode is listed already.")
      } else if mode == .evaluate {
        log.warning(
          .extendedMode, at: element, "The original's schema knows no mode eval.",
          suggestion: "nothing to do where only this library reads the bundle")
      }
    }
    if node.count == 0 {
      log.warning(.emptyModes, at: node, "The model can be used for nothing: it lists no modes.")
    }
    return modes
  }

  // MARK: Options

  mutating func options(in root: Fields) -> BundleOptions {
    var options = BundleOptions()
    guard let node = root["options"] else { return options }
    guard let members = node.members else {
      wrongType(node, "an object")
      return options
    }
    for member in members where !log.isFull {
      switch member.name {
      case "device_position": options.devicePosition = devicePosition(member.value)
      case "output_format": options.outputFormat = text(member.value) ?? ""
      default: options.extra[member.name] = member.value.json
      }
    }
    return options
  }

  private mutating func devicePosition(_ node: JSONNode) -> BundleOptions.DevicePosition? {
    guard let word = text(node) else { return nil }
    if let position = BundleOptions.DevicePosition(rawValue: word) { return position }
    log.warning(
      .unknownDevicePosition, at: node, expected: "\"front\" or \"back\"",
      "There is no camera on this side.", suggestion: "the application chooses one")
    return nil
  }
}

extension BackendIdentifier {
  /// The original library's own classes, which older bundles name.
  static let legacyClasses = ["TIOTFLiteModel", "TIOTensorFlowModel"]

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
  var json: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.string
  }

  /// The value that a text is, if it is JSON.
  package init?(json text: String) {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return nil }
    self = document.root
  }
}
