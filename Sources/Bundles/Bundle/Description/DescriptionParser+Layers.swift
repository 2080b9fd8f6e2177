import TensorIOJSON

/// Parsing of `inputs`, `outputs` and `placeholders`.
extension DescriptionParser {
  /// The list that contains a layer.
  enum LayerGroup: String {
    case input, output, placeholder

    /// Whether the layers are inputs of the model.
    var acceptsInput: Bool { self != .output }
  }

  mutating func parseLayers(_ key: String, as role: LayerGroup, in root: ObjectFields) -> [Layer] {
    requireMember(key, in: root, "an array of layers").map { parseLayers($0, key, as: role) } ?? []
  }

  /// Parses a list that must not be empty.
  mutating func parseLayers(_ node: JSONNode, _ key: String, as role: LayerGroup) -> [Layer] {
    if node.kind == .array, node.count == 0 {
      log.error(
        .emptyLayers, at: node, expected: "at least one layer", "the model has no \(key)")
    }
    return parseLayers(node, as: role)
  }

  mutating func parsePlaceholders(in root: ObjectFields) -> [Layer] {
    let misspelled = root[KeySchema.misspelledPlaceholders]
    if let misspelled { reportMisspelledPlaceholders(misspelled, alongside: root["placeholders"]) }
    guard let node = root["placeholders"] else {
      return misspelled.map { parseLayers($0, as: .placeholder) } ?? []
    }
    log.warning(
      .nonstandardPlaceholders, at: node,
      "the original library's schema does not define placeholders",
      suggestion: Self.nonstandardSuggestion)
    return parseLayers(node, as: .placeholder)
  }

  static let nonstandardSuggestion =
    "ignore this warning unless the original library reads the bundle"

  private mutating func reportMisspelledPlaceholders(
    _ misspelled: JSONNode, alongside correct: JSONNode?
  ) {
    if correct == nil {
      log.warning(
        .misspelledPlaceholders, at: misspelled, expected: "the key \"placeholders\"",
        found: "the key \"placholders\"",
        "the key is misspelled as in the original library's schema",
        suggestion: "write \"placeholders\"")
    } else {
      log.error(
        .conflictingKeys, at: misspelled, expected: "one list of placeholders",
        "both \"placeholders\" and \"placholders\" are present",
        suggestion: "keep \"placeholders\"")
    }
  }

  mutating func parseLayers(_ node: JSONNode, as role: LayerGroup) -> [Layer] {
    guard let elements = parseArray(node, of: "layers") else { return [] }
    var layers: [Layer] = []
    for element in elements where !log.isFull {
      if let layer = parseLayer(element, as: role) { layers.append(layer) }
    }
    return layers
  }

  private mutating func parseLayer(_ node: JSONNode, as role: LayerGroup) -> Layer? {
    let type = LayerType(of: node)
    guard let fields = parseFields(of: node, .layer(type, role)) else { return nil }
    let name = requireMember("name", in: fields, "a string").flatMap { parseNonemptyString($0) }
    if type == nil { reportUnknownType(in: fields) }
    let shapeNode = requireMember("shape", in: fields, "an array of integers")
    let requirement = fixedLengthRequirement(of: type, as: role, in: fields)
    let shape = shapeNode.flatMap { parseShape($0, of: type, fixedIn: requirement) }
    let kind = type.flatMap { parseKind($0, shape, shapeNode, as: role, in: fields) }
    let outputRole = fields["role"].flatMap {
      parseChoice($0, of: OutputRole.self, else: .unknownRole)
    }
    let value = fields["value"].flatMap { parseDefaultValue($0, shape, fields) }
    guard let name, let kind else { return nil }
    var layer = Layer(name: name, kind: kind, role: outputRole)
    layer.defaultValue = value
    return layer
  }

  private mutating func reportUnknownType(in fields: ObjectFields) {
    guard let node = requireMember("type", in: fields, "a layer type") else { return }
    _ = parseChoice(node, of: LayerType.self, else: .unknownLayerType)
  }

  /// Parses the properties of a layer that depend on its type.
  ///
  /// They are parsed even if the shape is invalid, so that all errors are reported together.
  private mutating func parseKind(
    _ type: LayerType, _ shape: TensorShape?, _ shapeNode: JSONNode?, as role: LayerGroup,
    in fields: ObjectFields
  ) -> Layer.Kind? {
    if !LayerType.types(of: role).contains(type), let node = fields["type"] {
      log.error(
        .unknownLayerType, at: node, expected: "the type of an input",
        "only inputs can have the type \(type.rawValue)")
      return nil
    }
    switch type {
    case .array: return parseNumericLayer(shape, as: role, in: fields).map(Layer.Kind.array)
    case .scalar: return parseNumericLayer(shape, as: role, in: fields).map(Layer.Kind.scalar)
    case .string: return parseStringLayer(shape, in: fields).map(Layer.Kind.string)
    case .image: return parseImageLayer(shape, shapeNode, in: fields).map(Layer.Kind.image)
    case .text: return parseTextLayer(shape, in: fields).map(Layer.Kind.text)
    case .audio: return parseAudioLayer(shape, shapeNode, in: fields).map(Layer.Kind.audio)
    }
  }

  private mutating func parseNumericLayer(
    _ shape: TensorShape?, as role: LayerGroup, in fields: ObjectFields
  ) -> NumericLayer? {
    let type = fields["dtype"].flatMap { parseElementType($0) }
    let quantize = fields["quantize"].flatMap { parseQuantization($0, storedAs: type) }
    let dequantize = fields["dequantize"].flatMap { parseQuantization($0, storedAs: type) }
    let labels = fields["labels"].flatMap { parseLabels($0) }
    let calibration = fields["calibration"].flatMap { parseCalibration($0) }
    let features = fields["features"].map { parseFeatures($0, shape) } ?? []
    guard let shape else { return nil }
    return NumericLayer(
      shape: shape, elementType: type, quantize: quantize, dequantize: dequantize,
      labelsFile: labels?.file, labelOffset: labels?.offset ?? 0, calibration: calibration,
      featureNames: features)
  }

  /// Parses the names of the values of an input: one for each, all different.
  private mutating func parseFeatures(_ node: JSONNode, _ shape: TensorShape?) -> [String] {
    guard let elements = parseArray(node, of: "strings") else { return [] }
    var names: [String] = []
    var knownNames: Set<String> = []
    for element in elements where !log.isFull {
      guard let name = parseNonemptyString(element) else { continue }
      names.append(name)
      guard !knownNames.insert(name).inserted else { continue }
      log.error(
        .duplicateName, at: element, expected: "a unique name", "another feature has this name")
    }
    guard names.count == node.count, let count = shape?.elementCount, names.count != count else {
      return names
    }
    log.error(
      .valueCount, at: node, expected: count == 1 ? "a name" : "\(count) names",
      found: "\(names.count)", "the layer does not have as many features as elements")
    return names
  }

  /// Parses the name of a labels file, or an object with the name and a label offset.
  private mutating func parseLabels(_ node: JSONNode) -> (file: String, offset: Int)? {
    guard node.kind == .object else { return parseFileName(node).map { ($0, 0) } }
    guard let fields = parseFields(of: node, .labels) else { return nil }
    let file = requireMember("file", in: fields, "a file name").flatMap { parseFileName($0) }
    let offset = fields["offset"].map { parseInteger($0, max: LabelsFile.maxOffset) } ?? 0
    guard let file, let offset else { return nil }
    return (file, offset)
  }

  /// Parses the name of a file with calibrations, or an object with the name and how to apply them.
  private mutating func parseCalibration(_ node: JSONNode) -> CalibrationDescription? {
    guard node.kind == .object else {
      return parseFileName(node).map { CalibrationDescription(file: $0) }
    }
    guard let fields = parseFields(of: node, .calibration) else { return nil }
    let file = requireMember("file", in: fields, "a file name").flatMap { parseFileName($0) }
    let transform =
      fields["transform"].map {
        parseChoice($0, of: CalibrationDescription.Transform.self, else: .unknownTransform)
      } ?? .identity
    let defaultScore = fields["default"].map { parseNumber($0) } ?? 0
    guard let file, let transform, let defaultScore else { return nil }
    return CalibrationDescription(file: file, transform: transform, defaultScore: defaultScore)
  }

  private mutating func parseStringLayer(_ shape: TensorShape?, in fields: ObjectFields)
    -> StringLayer?
  {
    let type = requireMember("dtype", in: fields, "the type of the elements").flatMap {
      parseElementType($0)
    }
    guard let shape, let type else { return nil }
    return StringLayer(shape: shape, elementType: type)
  }

  mutating func parseElementType(_ node: JSONNode) -> ElementType? {
    let numeric = ElementType.allCases.filter { $0 != .string }
    let type = parseChoice(node, of: numeric.map { ($0.rawValue, $0) }, else: .unknownElementType)
    if let type, !ElementType.legacyTypes.contains(type) {
      log.warning(
        .nonstandardElementType, at: node, "the original library does not support \(type)",
        suggestion: Self.nonstandardSuggestion)
    }
    return type
  }
}

/// The layer types of `model.json`.
enum LayerType: String, CaseIterable {
  case array, image, scalar, string, text, audio

  /// Returns the types that layers of a group can have.
  static func types(of group: DescriptionParser.LayerGroup) -> [LayerType] {
    group == .input ? allCases : [.array, .image, .scalar, .string]
  }

  /// Returns the type of a layer, or `nil` if it is missing or unknown.
  init?(of layer: JSONNode) {
    guard let name = layer["type"]?.string else { return nil }
    self.init(rawValue: name)
  }
}

extension ElementType {
  /// The types in the original library's schema.
  fileprivate static let legacyTypes: Set<ElementType> = [.uint8, .float32, .int32, .int64]
}

/// Parsing of `shape`.
extension DescriptionParser {
  /// The maximum number of axes, which exceeds that of all runtimes.
  static let maxAxes = 32
  /// The maximum number of elements.
  static let maxElements = 1 << 31

  /// Returns the kind of layer that needs fixed lengths after the first dimension, for a message;
  /// `nil` if the layer can have variable lengths.
  private func fixedLengthRequirement(
    of type: LayerType?, as role: LayerGroup, in fields: ObjectFields
  ) -> String? {
    switch type {
    case nil: "a layer"
    case .image: "an image"
    case .scalar: "a scalar"
    case _ where role == .placeholder: "a placeholder"
    case .array, .string, .text, .audio:
      fields["labels"] == nil ? nil : "an output with labels"
    }
  }

  /// Parses a shape; `layer` names the kind of layer that needs fixed lengths after the first
  /// dimension.
  private mutating func parseShape(
    _ node: JSONNode, of type: LayerType?, fixedIn layer: String?
  ) -> TensorShape? {
    guard let elements = parseArray(node, of: "integers"), checkAxisCount(node) else { return nil }
    var axes: [Int] = []
    for (index, element) in elements.enumerated() {
      let requirement = index == 0 ? nil : layer
      if let axis = parseAxis(element, fixedIn: requirement) { axes.append(axis) }
    }
    guard axes.count == node.count else { return nil }
    let shape = TensorShape(signedDimensions: axes)
    guard checkScalarShape(node, shape, of: type), checkElementCount(node, shape) else {
      return nil
    }
    return shape
  }

  private mutating func checkAxisCount(_ node: JSONNode) -> Bool {
    if node.count <= DescriptionParser.maxAxes { return true }
    log.error(
      .tooManyAxes, at: node, expected: "at most \(DescriptionParser.maxAxes) axes",
      found: "\(node.count)", "the shape has too many axes")
    return false
  }

  private mutating func parseAxis(_ node: JSONNode, fixedIn layer: String?) -> Int? {
    guard node.kind == .number else {
      let isQuoted = node.string.flatMap { Int($0) } != nil
      reportWrongType(node, "an integer", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer without fraction or exponent",
        "the dimensions of a shape are integers")
      return nil
    }
    guard let length = node.int.flatMap({ Int(exactly: $0) }) else {
      reportTooManyElements(node)
      return nil
    }
    return checkAxisLength(length, node, fixedIn: layer) ? length : nil
  }

  private mutating func checkAxisLength(
    _ length: Int, _ node: JSONNode, fixedIn layer: String?
  ) -> Bool {
    switch (length, layer) {
    case (1..., _), (-1, nil): return true
    case (-1, let layer?):
      log.error(
        .misplacedBatch, at: node, expected: "a positive integer",
        "-1, a batch of any size, is only allowed as the first dimension of \(layer)")
    case (0, _):
      log.error(
        .zeroAxis, at: node, expected: "a positive integer", "the layer would have no elements")
    default:
      log.error(
        .negativeAxis, at: node, expected: "a positive integer, or -1 for any length",
        "a dimension cannot be negative")
    }
    return false
  }

  /// Checks that a scalar has one element, and that only a scalar has a shape without axes.
  private mutating func checkScalarShape(
    _ node: JSONNode, _ shape: TensorShape, of type: LayerType?
  ) -> Bool {
    if type == .scalar, shape.elementCount != 1 {
      log.error(
        .scalarShape, at: node, expected: "[1] or [-1,1]", found: shape.description,
        "a scalar has a single element", suggestion: "write \"type\": \"array\"")
      return false
    }
    guard node.count == 0, type != .scalar else { return true }
    log.error(
      .emptyShape, at: node, expected: "at least one axis", "the shape has no axes",
      suggestion: "write [1] for a single number")
    return false
  }

  private mutating func checkElementCount(_ node: JSONNode, _ shape: TensorShape) -> Bool {
    if let count = shape.elementCount, count <= DescriptionParser.maxElements { return true }
    reportTooManyElements(node)
    return false
  }

  private mutating func reportTooManyElements(_ node: JSONNode) {
    log.error(
      .tooManyElements, at: node,
      expected: "at most \(DescriptionParser.maxElements) elements", found: node.source,
      "the layer would have too many elements")
  }
}

/// Parsing of the default `value` of a placeholder.
extension DescriptionParser {
  /// Parses the default value, which must have as many numbers as the layer has elements.
  mutating func parseDefaultValue(
    _ node: JSONNode, _ shape: TensorShape?, _ layer: ObjectFields
  ) -> [Double]? {
    let elements = node.elements.map(Array.init) ?? [node]
    let isInteger = layer.storesIntegers
    let numbers = elements.compactMap { log.isFull ? nil : parseElement($0, isInteger: isInteger) }
    guard numbers.count == elements.count else { return nil }
    guard let count = shape?.elementCount, numbers.count != count else { return numbers }
    log.error(
      .valueCount, at: node, expected: count == 1 ? "a number" : "a list of \(count) numbers",
      found: "\(numbers.count)", "the value does not have as many numbers as the layer")
    return nil
  }

  private mutating func parseElement(_ node: JSONNode, isInteger: Bool) -> Double? {
    guard parseNumber(node) != nil, let value = node.double else { return nil }
    guard isInteger, value.rounded() != value else { return value }
    log.error(
      .notAnInteger, at: node, expected: "an integer",
      "the layer's elements are integers")
    return nil
  }
}

extension ObjectFields {
  /// Whether the layer stores unquantized integers.
  fileprivate var storesIntegers: Bool {
    let type = self["dtype"]?.string.flatMap(ElementType.init(rawValue:))
    return type?.isInteger == true && self["quantize"] == nil
  }
}
