import TensorIOJSON

/// The rules for `inputs`, `outputs` and `placeholders`.
extension DescriptionParser {
  /// The list that a layer is in.
  enum LayerGroup: String {
    case input, output, placeholder

    /// Whether values go into the model through the layer.
    var acceptsInput: Bool { self != .output }
  }

  mutating func parseLayers(_ key: String, as role: LayerGroup, in root: ObjectFields) -> [Layer] {
    requireMember(key, in: root, "an array of layers").map { parseLayers($0, key, as: role) } ?? []
  }

  /// A list that holds something.
  mutating func parseLayers(_ node: JSONNode, _ key: String, as role: LayerGroup) -> [Layer] {
    if node.kind == .array, node.count == 0 {
      log.error(
        .emptyLayers, at: node, expected: "at least one layer", "The model has no \(key).")
    }
    return parseLayers(node, as: role)
  }

  mutating func parsePlaceholders(in root: ObjectFields) -> [Layer] {
    let misspelt = root[KeySchema.misspelledPlaceholders]
    if let misspelt { reportMisspelledPlaceholders(misspelt, alongside: root["placeholders"]) }
    guard let node = root["placeholders"] else {
      return misspelt.map { parseLayers($0, as: .placeholder) } ?? []
    }
    log.warning(
      .nonstandardPlaceholders, at: node, "The original's schema knows no placeholders.",
      suggestion: "nothing to do where only this library reads the bundle")
    return parseLayers(node, as: .placeholder)
  }

  private mutating func reportMisspelledPlaceholders(_ misspelt: JSONNode, alongside correct: JSONNode?) {
    if correct == nil {
      log.warning(
        .misspelledPlaceholders, at: misspelt, expected: "the key \"placeholders\"",
        found: "the key \"placholders\"", "The key is spelt as in the original's schema.",
        suggestion: "write \"placeholders\"")
    } else {
      log.error(
        .conflictingKeys, at: misspelt, expected: "one list of placeholders",
        "Placeholders are listed under two spellings of the key.",
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
    let shape = shapeNode.flatMap { parseShape($0, of: type) }
    let kind = type.flatMap { parseKind($0, shape, shapeNode, as: role, in: fields) }
    let task = fields["role"].flatMap { parseChoice($0, of: OutputRole.self, else: .unknownRole) }
    let value = fields["value"].flatMap { parseDefaultValue($0, shape, fields) }
    guard let name, let kind else { return nil }
    var layer = Layer(name: name, kind: kind, role: task)
    layer.defaultValue = value
    return layer
  }

  private mutating func reportUnknownType(in fields: ObjectFields) {
    guard let node = requireMember("type", in: fields, "a layer type") else { return }
    _ = parseChoice(node, of: LayerType.self, else: .unknownLayerType)
  }

  /// What the layer holds.
  ///
  /// Everything in it is read even when its shape is wrong, so that all that is wrong is reported
  /// together.
  private mutating func parseKind(
    _ type: LayerType, _ shape: TensorShape?, _ shapeNode: JSONNode?, as role: LayerGroup,
    in fields: ObjectFields
  ) -> Layer.Kind? {
    switch type {
    case .array: parseNumericLayer(shape, as: role, in: fields).map(Layer.Kind.array)
    case .scalar: parseNumericLayer(shape, as: role, in: fields).map(Layer.Kind.scalar)
    case .string: parseStringLayer(shape, in: fields).map(Layer.Kind.string)
    case .image: parseImageLayer(shape, shapeNode, in: fields).map(Layer.Kind.image)
    }
  }

  private mutating func parseNumericLayer(
    _ shape: TensorShape?, as role: LayerGroup, in fields: ObjectFields
  ) -> NumericLayer? {
    let type = fields["dtype"].flatMap { parseElementType($0) }
    let quantize = fields["quantize"].flatMap { parseQuantization($0, storedAs: type) }
    let dequantize = fields["dequantize"].flatMap { parseQuantization($0, storedAs: type) }
    let labels = fields["labels"].flatMap { parseLabels($0) }
    guard let shape else { return nil }
    return NumericLayer(
      shape: shape, elementType: type, quantize: quantize, dequantize: dequantize,
      labelsFile: labels?.file, labelOffset: labels?.offset ?? 0)
  }

  /// The name of a file, or an object that also says where in it the first label stands.
  private mutating func parseLabels(_ node: JSONNode) -> (file: String, offset: Int)? {
    guard node.kind == .object else { return parseFileName(node).map { ($0, 0) } }
    guard let fields = parseFields(of: node, .labels) else { return nil }
    let file = requireMember("file", in: fields, "a file name").flatMap { parseFileName($0) }
    let offset = fields["offset"].map { parseInteger($0, max: LabelsFile.maxOffset) } ?? 0
    guard let file, let offset else { return nil }
    return (file, offset)
  }

  private mutating func parseStringLayer(_ shape: TensorShape?, in fields: ObjectFields) -> StringLayer? {
    let type = requireMember("dtype", in: fields, "the type of the elements").flatMap { parseElementType($0) }
    guard let shape, let type else { return nil }
    return StringLayer(shape: shape, elementType: type)
  }

  private mutating func parseElementType(_ node: JSONNode) -> ElementType? {
    let numeric = ElementType.allCases.filter { $0 != .string }
    let type = parseChoice(node, of: numeric.map { ($0.rawValue, $0) }, else: .unknownElementType)
    if let type, !ElementType.legacyTypes.contains(type) {
      log.warning(
        .nonstandardElementType, at: node, "The original library knows no \(type).",
        suggestion: "nothing to do where only this library reads the bundle")
    }
    return type
  }
}

/// The words of `model.json` for what a layer holds.
enum LayerType: String, CaseIterable {
  case array, image, scalar, string

  /// The type that a layer gives, if it is one.
  init?(of layer: JSONNode) {
    guard let word = layer["type"]?.string else { return nil }
    self.init(rawValue: word)
  }
}

extension ElementType {
  /// The types that the original library's schema lists.
  fileprivate static let legacyTypes: Set<ElementType> = [.uint8, .float32, .int32, .int64]
}

/// The rules for `shape`.
extension DescriptionParser {
  /// More axes than any runtime has.
  static let maxAxes = 32
  /// More elements than this do not fit the memory of the machines that run models.
  static let maxElements = 1 << 31

  mutating func parseShape(_ node: JSONNode, of type: LayerType?) -> TensorShape? {
    guard let elements = parseArray(node, of: "integers"), checkAxisCount(node) else { return nil }
    var axes: [Int] = []
    for (index, element) in elements.enumerated() {
      if let axis = parseAxis(element, isFirst: index == 0) { axes.append(axis) }
    }
    guard axes.count == node.count else { return nil }
    let shape = TensorShape(signedDimensions: axes)
    guard checkScalarShape(node, shape, of: type), checkElementCount(node, shape) else { return nil }
    return shape
  }

  private mutating func checkAxisCount(_ node: JSONNode) -> Bool {
    if node.count <= DescriptionParser.maxAxes { return true }
    log.error(
      .tooManyAxes, at: node, expected: "at most \(DescriptionParser.maxAxes) axes",
      found: "\(node.count)", "The shape has too many axes.")
    return false
  }

  private mutating func parseAxis(_ node: JSONNode, isFirst: Bool) -> Int? {
    guard node.kind == .number else {
      let isQuoted = node.string.flatMap { Int($0) } != nil
      reportWrongType(node, "an integer", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer, written without a fraction or an exponent",
        "A shape counts elements.")
      return nil
    }
    guard let length = node.int.flatMap({ Int(exactly: $0) }) else {
      reportTooManyElements(node)
      return nil
    }
    return checkAxisLength(length, node, isFirst: isFirst) ? length : nil
  }

  private mutating func checkAxisLength(_ length: Int, _ node: JSONNode, isFirst: Bool) -> Bool {
    switch length {
    case 1...: return true
    case -1 where isFirst: return true
    case -1:
      log.error(
        .misplacedBatch, at: node, expected: "a positive integer",
        "-1 stands for a batch of any size, and can only come first.")
    case 0:
      log.error(
        .zeroAxis, at: node, expected: "a positive integer", "The layer would hold no elements.")
    default:
      log.error(
        .negativeAxis, at: node, expected: "a positive integer, or -1 for a batch",
        "A length cannot be negative.")
    }
    return false
  }

  /// A shape without axes is that of a scalar and of nothing else; a scalar is one element.
  private mutating func checkScalarShape(
    _ node: JSONNode, _ shape: TensorShape, of type: LayerType?
  ) -> Bool {
    if type == .scalar, shape.elementCount != 1 {
      log.error(
        .scalarShape, at: node, expected: "[1] or [-1,1]", found: shape.description,
        "A scalar is a single number.", suggestion: "write \"type\": \"array\"")
      return false
    }
    guard node.count == 0, type != .scalar else { return true }
    log.error(
      .emptyShape, at: node, expected: "at least one axis", "The shape has no axes.",
      suggestion: "a single number has the shape [1]")
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
      "The layer would hold more elements than fit in memory.")
  }
}

/// The rules for the `value` of a placeholder.
extension DescriptionParser {
  /// What the placeholder is when nobody says: as many numbers as it has elements.
  mutating func parseDefaultValue(
    _ node: JSONNode, _ shape: TensorShape?, _ layer: ObjectFields
  ) -> [Double]? {
    let elements = node.elements.map(Array.init) ?? [node]
    let isWhole = layer.storesIntegers
    let numbers = elements.compactMap { log.isFull ? nil : parseElement($0, isInteger: isWhole) }
    guard numbers.count == elements.count else { return nil }
    guard let count = shape?.elementCount, numbers.count != count else { return numbers }
    log.error(
      .valueCount, at: node, expected: count == 1 ? "a number" : "a list of \(count) numbers",
      found: "\(numbers.count)", "The value is not as long as the placeholder.")
    return nil
  }

  private mutating func parseElement(_ node: JSONNode, isInteger: Bool) -> Double? {
    guard parseNumber(node) != nil, let value = node.double else { return nil }
    guard isInteger, value.rounded() != value else { return value }
    log.error(
      .notAnInteger, at: node, expected: "a whole number",
      "The placeholder holds whole numbers.")
    return nil
  }
}

extension ObjectFields {
  /// Whether numbers go into the layer as they are, and only whole ones.
  fileprivate var storesIntegers: Bool {
    let type = self["dtype"]?.string.flatMap(ElementType.init(rawValue:))
    return type?.isInteger == true && self["quantize"] == nil
  }
}
