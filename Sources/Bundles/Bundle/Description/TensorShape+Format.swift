import TensorIOJSON

extension Layer {
  /// The maximum number of axes, which exceeds that of all runtimes.
  static let maxAxes = 32
  /// The maximum number of elements.
  static let maxElements = 1 << 31

  /// The field with the shape of layers of a type; of layers whose type is unknown if it is `nil`.
  static func shapeField(_ type: LayerType?, _ group: LayerGroup) -> Field<Layer> {
    Field(
      "shape", required: "an array of integers",
      FormatReference(
        codes: .wrongType, .notAnInteger, .emptyShape, .zeroAxis, .negativeAxis, .misplacedBatch,
        .tooManyAxes, .tooManyElements, .scalarShape, .imageShape, .channelCount, .tensorShape),
      "The [dimensions](#shape), outermost first; -1 denotes a batch of any size.",
      schema: { shapeSchema(type, group, &$0) },
      read: { node, layer, fields, reader in
        let limit = requirement(
          of: type, group, hasLabels: fields["labels"] != nil && !hasLabeledRole(fields),
          hasOpenSides: fields["size"] != nil)
        guard let shape = reader.shape(node, of: type, fixedIn: limit) else { return false }
        layer.shape = shape
        return true
      },
      write: { layer, writer in
        writer.key("shape")
        writer.numbers(layer.shape.signedDimensions)
      }
    )
    .example("[224, 224, 3]")
  }

  /// The roles of outputs whose labels name the classes along one axis, or of single elements, whatever the other lengths are.
  private static let labeledRoles: Set<OutputRole> = [.tokenScores, .mask, .boxes, .classes]

  /// Whether labels name something other than the elements of an output, because of its role.
  private static func hasLabeledRole(_ fields: ObjectFields) -> Bool {
    guard let role = fields["role"] else { return false }
    // Avoids a follow-up error if the role is invalid.
    return role.string.map { labeledRoles.contains(OutputRole($0)) } ?? true
  }

  /// Returns the kind of layer that needs fixed lengths after the first dimension, for a message;
  /// `nil` if the layer can have variable lengths.
  private static func requirement(
    of type: LayerType?, _ group: LayerGroup, hasLabels: Bool, hasOpenSides: Bool
  ) -> String? {
    switch type {
    case nil: hasOpenSides ? nil : "a layer"
    case .image: group == .input && hasOpenSides ? nil : "an image"
    case .scalar: "a scalar"
    case _ where group == .placeholder: "a placeholder"
    case .array, .string, .text, .audio: hasLabels ? "an output with labels" : nil
    }
  }
}

extension FormatReader {
  /// Reads a shape; `layer` names the kind of layer that needs fixed lengths after the first
  /// dimension.
  fileprivate mutating func shape(
    _ node: JSONNode, of type: LayerType?, fixedIn layer: String?
  ) -> TensorShape? {
    guard let elements = elements(node, of: "integers"), checkAxisCount(node) else { return nil }
    var axes: [Int] = []
    for (index, element) in elements.enumerated() {
      if let axis = axis(element, fixedIn: index == 0 ? nil : layer) { axes.append(axis) }
    }
    guard axes.count == node.count else { return nil }
    let shape = TensorShape(signedDimensions: axes)
    guard checkScalarShape(node, shape, of: type), checkElementCount(node, shape) else {
      return nil
    }
    return shape
  }

  private mutating func checkAxisCount(_ node: JSONNode) -> Bool {
    if node.count <= Layer.maxAxes { return true }
    log.error(
      .tooManyAxes, at: node, expected: "at most \(Layer.maxAxes) axes", found: "\(node.count)",
      "the shape has too many axes")
    return false
  }

  private mutating func axis(_ node: JSONNode, fixedIn layer: String?) -> Int? {
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
    if let count = shape.elementCount, count <= Layer.maxElements { return true }
    reportTooManyElements(node)
    return false
  }

  private mutating func reportTooManyElements(_ node: JSONNode) {
    log.error(
      .tooManyElements, at: node, expected: "at most \(Layer.maxElements) elements",
      found: node.source, "the layer would have too many elements")
  }
}

// MARK: Schema

/// Returns the JSON Schema of the shapes of layers of a type.
private func shapeSchema(
  _ type: LayerType?, _ group: LayerGroup, _ definitions: inout SchemaDefinitions
) -> JSONValue {
  let axis = definitions.reference("axis") { _ in
    ["type": "integer", "minimum": 1, "maximum": .integer(Int64(Layer.maxElements))]
  }
  let axisOrAny: JSONValue = ["anyOf": [["const": -1], axis]]
  let maxAxes = JSONValue.integer(Int64(Layer.maxAxes))
  switch type {
  case .scalar:
    return definitions.reference("scalarShape") { _ in
      [
        "type": "array", "maxItems": maxAxes, "prefixItems": [["enum": [-1, 1]]],
        "items": ["const": 1], "description": "One element: [1], [-1,1] or [].",
      ]
    }
  case .image where group == .input:
    return definitions.reference("openImageShape") { _ in
      [
        "type": "array", "minItems": 3, "maxItems": 4, "items": axisOrAny,
        "description": """
        Height, width and channels in the order of the layout, with an optional leading batch dimension; -1 \
        denotes a batch of any size, or a side of the image with the rule `size`.
        """,
      ]
    }
  case .image:
    return definitions.reference("imageShape") { _ in
      [
        "type": "array", "minItems": 3, "maxItems": 4, "if": ["minItems": 4],
        "then": ["prefixItems": [axisOrAny], "items": axis], "else": ["items": axis],
        "description": """
        Height, width and channels in the order of the layout, with an optional leading batch dimension.
        """,
      ]
    }
  case _ where group == .placeholder: return fixedShapeSchema(&definitions)
  default:
    return definitions.reference("variableShape") { _ in
      [
        "type": "array", "minItems": 1, "maxItems": maxAxes, "items": axisOrAny,
        "description": """
        The dimensions, outermost first; -1 denotes a batch of any size and, after the first dimension, a \
        length that each value determines.
        """,
      ]
    }
  }
}

/// Returns the JSON Schema of shapes whose lengths after the first dimension are fixed.
func fixedShapeSchema(_ definitions: inout SchemaDefinitions) -> JSONValue {
  let axis: JSONValue = ["$ref": "#/$defs/axis"]
  return definitions.reference("shape") { _ in
    [
      "type": "array", "minItems": 1, "maxItems": .integer(Int64(Layer.maxAxes)),
      "prefixItems": [["anyOf": [["const": -1], axis]]], "items": axis,
      "description": "The dimensions, outermost first; -1 denotes a batch of any size.",
    ]
  }
}
