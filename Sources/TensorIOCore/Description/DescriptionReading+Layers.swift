/// The rules for `inputs`, `outputs` and `placeholders`.
extension DescriptionReading {
  /// The list that a layer is in.
  enum Role: String {
    case input, output, placeholder

    /// Whether values go into the model through the layer.
    var isGiven: Bool { self != .output }
  }

  mutating func layers(_ key: String, as role: Role, in root: Fields) -> [Layer] {
    required(key, in: root, "an array of layers").map { layers($0, key, as: role) } ?? []
  }

  /// A list that holds something.
  mutating func layers(_ node: JSONNode, _ key: String, as role: Role) -> [Layer] {
    if node.kind == .array, node.count == 0 {
      log.error(
        .emptyLayers, at: node, expected: "at least one layer", "The model has no \(key).")
    }
    return layers(node, as: role)
  }

  mutating func placeholders(in root: Fields) -> [Layer] {
    let misspelt = root[KeyRules.misspeltPlaceholders]
    if let misspelt { checkMisspelt(misspelt, beside: root["placeholders"]) }
    guard let node = root["placeholders"] else {
      return misspelt.map { layers($0, as: .placeholder) } ?? []
    }
    log.warning(
      .extendedPlaceholders, at: node, "The original's schema knows no placeholders.",
      suggestion: "nothing to do where only this library reads the bundle")
    return layers(node, as: .placeholder)
  }

  private mutating func checkMisspelt(_ misspelt: JSONNode, beside correct: JSONNode?) {
    if correct == nil {
      log.warning(
        .misspeltPlaceholders, at: misspelt, expected: "the key \"placeholders\"",
        found: "the key \"placholders\"", "The key is spelt as in the original's schema.",
        suggestion: "write \"placeholders\"")
    } else {
      log.error(
        .conflictingKeys, at: misspelt, expected: "one list of placeholders",
        "Placeholders are listed under two spellings of the key.",
        suggestion: "keep \"placeholders\"")
    }
  }

  mutating func layers(_ node: JSONNode, as role: Role) -> [Layer] {
    guard let elements = array(node, of: "layers") else { return [] }
    var layers: [Layer] = []
    for element in elements where !log.isFull {
      if let layer = layer(element, as: role) { layers.append(layer) }
    }
    return layers
  }

  private mutating func layer(_ node: JSONNode, as role: Role) -> Layer? {
    let type = LayerType(of: node)
    guard let fields = fields(of: node, .layer(type, role)) else { return nil }
    let name = required("name", in: fields, "a string").flatMap { word($0) }
    if type == nil { reportType(in: fields) }
    let shapeNode = required("shape", in: fields, "an array of integers")
    let shape = shapeNode.flatMap { tensorShape($0, of: type) }
    let kind = type.flatMap { layerKind($0, shape, shapeNode, as: role, in: fields) }
    let task = fields["role"].flatMap { choice($0, of: OutputRole.self, else: .unknownRole) }
    let value = fields["value"].flatMap { standardValue($0, shape, fields) }
    guard let name, let kind else { return nil }
    var layer = Layer(name: name, kind: kind, role: task)
    layer.value = value
    return layer
  }

  private mutating func reportType(in fields: Fields) {
    guard let node = required("type", in: fields, "a layer type") else { return }
    _ = choice(node, of: LayerType.self, else: .unknownLayerType)
  }

  /// What the layer holds.
  ///
  /// Everything in it is read even when its shape is wrong, so that all that is wrong is reported
  /// together.
  private mutating func layerKind(
    _ type: LayerType, _ shape: TensorShape?, _ shapeNode: JSONNode?, as role: Role,
    in fields: Fields
  ) -> Layer.Kind? {
    switch type {
    case .array: numeric(shape, as: role, in: fields).map(Layer.Kind.array)
    case .scalar: numeric(shape, as: role, in: fields).map(Layer.Kind.scalar)
    case .string: string(shape, in: fields).map(Layer.Kind.string)
    case .image: image(shape, shapeNode, in: fields).map(Layer.Kind.image)
    }
  }

  private mutating func numeric(
    _ shape: TensorShape?, as role: Role, in fields: Fields
  ) -> NumericLayer? {
    let type = fields["dtype"].flatMap { elementType($0) }
    let quantize = fields["quantize"].flatMap { quantization($0, storedAs: type) }
    let dequantize = fields["dequantize"].flatMap { quantization($0, storedAs: type) }
    let labels = fields["labels"].flatMap { labelling($0) }
    guard let shape else { return nil }
    return NumericLayer(
      shape: shape, elementType: type, quantize: quantize, dequantize: dequantize,
      labels: labels?.file, labelOffset: labels?.offset ?? 0)
  }

  /// The name of a file, or an object that also says where in it the first label stands.
  private mutating func labelling(_ node: JSONNode) -> (file: String, offset: Int)? {
    guard node.kind == .object else { return fileName(node).map { ($0, 0) } }
    guard let fields = fields(of: node, .labels) else { return nil }
    let file = required("file", in: fields, "a file name").flatMap { fileName($0) }
    let offset = fields["offset"].map { integer($0, atMost: Labels.maximumOffset) } ?? 0
    guard let file, let offset else { return nil }
    return (file, offset)
  }

  private mutating func string(_ shape: TensorShape?, in fields: Fields) -> StringLayer? {
    let type = required("dtype", in: fields, "the type of the elements").flatMap { elementType($0) }
    guard let shape, let type else { return nil }
    return StringLayer(shape: shape, elementType: type)
  }

  private mutating func elementType(_ node: JSONNode) -> ElementType? {
    let numeric = ElementType.allCases.filter { $0 != .string }
    let type = choice(node, of: numeric.map { ($0.rawValue, $0) }, else: .unknownElementType)
    if let type, !ElementType.ofTheOriginal.contains(type) {
      log.warning(
        .extendedElementType, at: node, "The original library knows no \(type).",
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
  fileprivate static let ofTheOriginal: Set<ElementType> = [.uint8, .float32, .int32, .int64]
}
