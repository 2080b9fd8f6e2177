/// The rules by which the shapes and integer values of an operator's outputs follow from its inputs.
struct ShapeRule {
  typealias Dimensions = InferredShapes.Dimensions

  /// Groups of operators with equal rules.
  enum Kind {
    /// The shape of the output is that of the first input.
    case elementwise
    /// The shapes of all inputs are broadcast.
    case broadcasting
    /// Axes are reduced.
    case reducing
    /// A window slides over an image.
    case window(SlidingWindow.Fields)
    /// A rule for one operator, if there is one.
    case other
  }

  let entry: ParsedOperator
  let name: String
  private let kind: Kind
  private let shapes: InferredShapes

  init(_ entry: ParsedOperator, in shapes: InferredShapes) {
    self.entry = entry
    self.shapes = shapes
    name = shapes.model.operatorCodes[entry.operatorCodeIndex].name
    kind = shapes.model.operatorCodes[entry.operatorCodeIndex].shapeKind
  }

  /// Returns the shape of an input, or `nil` if it is missing or not known.
  func shape(_ position: Int) -> Dimensions? {
    tensor(position).flatMap { shapes.shapes[$0] }
  }

  /// Returns the elements of an integer input, or `nil` if it is missing or not known.
  func value(_ position: Int) -> [Int?]? {
    tensor(position).flatMap { shapes.values[$0] }
  }

  /// Returns the elements of an integer input if all of them are known.
  func knownValue(_ position: Int) -> [Int]? {
    value(position).flatMap { $0.isKnown ? $0.compactMap(\.self) : nil }
  }

  private func tensor(_ position: Int) -> Int? {
    guard entry.inputs.indices.contains(position), entry.inputs[position] >= 0 else { return nil }
    return entry.inputs[position]
  }

  /// Returns an option of the operator; 0 if it has none.
  func option(_ field: Int) throws(ModelValidationError) -> Int {
    guard let options = entry.builtinOptions else { return 0 }
    return Int(try options.option(field, as: Int32.self))
  }

  /// Returns a Boolean option of the operator.
  func flag(_ field: Int) throws(ModelValidationError) -> Bool {
    guard let options = entry.builtinOptions else { return false }
    return try options.option(field, as: UInt8.self) != 0
  }
}

// MARK: - Shapes

extension ShapeRule {
  /// Returns the shapes of the outputs, or `nil` if there is no rule for them.
  func outputShapes() throws(ModelValidationError) -> [Dimensions?]? {
    guard case .other = kind else { return entry.outputs.count == 1 ? [try outputShape()] : nil }
    switch name {
    case "SPLIT", "SPLIT_V": return try splitShapes()
    case "WHILE": return try shapesAfterLoop()
    case "UNPACK":
      let axis = try option(1)
      return shape(0)?.removing([axis]).map { shape in entry.outputs.map { _ in shape } }
    case "TOPK_V2":
      guard let shape = shape(0), !shape.isEmpty else { return nil }
      let result: Dimensions = shape.dropLast() + [value(1)?.first ?? nil]
      return [result, result]
    default: return entry.outputs.count == 1 ? [try outputShape()] : nil
    }
  }

  private func outputShape() throws(ModelValidationError) -> Dimensions? {
    switch kind {
    case .elementwise: return shape(0)
    case .broadcasting: return broadcastShape()
    case .reducing: return try reducedShape()
    case .window(let fields): return try windowShape(fields)
    case .other: return try shapeOfNamedOperator()
    }
  }

  private func shapeOfNamedOperator() throws(ModelValidationError) -> Dimensions? {
    switch name {
    case "RESHAPE": return reshaped()
    case "FULLY_CONNECTED": return try fullyConnectedShape()
    case "TRANSPOSE_CONV": return transposedConvolutionShape()
    case "SHAPE": return shape(0).map { [$0.count] }
    case "RANK": return []
    case "PACK": return try packedShape()
    case "CONCATENATION": return try concatenatedShape()
    case "TRANSPOSE": return transposedShape()
    case "EXPAND_DIMS":
      return knownValue(1)?.first.flatMap { axis in shape(0).flatMap { $0.inserting(1, at: axis) } }
    case "SQUEEZE": return squeezedShape()
    case "STRIDED_SLICE": return try stridedSliceShape()
    case "SLICE": return sliceShape()
    case "PAD", "PADV2", "MIRROR_PAD": return paddedShape()
    case "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR": return resizedShape()
    case "TILE": return tiledShape()
    case "RANGE": return rangeShape()
    case "FILL": return value(0)
    case "BROADCAST_TO": return value(1)
    case "GATHER": return try gatheredShape()
    case "EMBEDDING_LOOKUP":
      guard let ids = shape(0), let table = shape(1), !table.isEmpty else { return nil }
      return ids + table.dropFirst()
    case "BATCH_MATMUL": return try matrixProductShape()
    case "ARG_MAX", "ARG_MIN":
      return knownValue(1)?.first.flatMap { axis in shape(0)?.removing([axis]) }
    case "DEPTH_TO_SPACE": return try blockShape { length, size in length * size }
    case "SPACE_TO_DEPTH": return try blockShape { length, size in length / max(size, 1) }
    case "UNIDIRECTIONAL_SEQUENCE_LSTM":
      guard let input = shape(0), input.count == 3 else { return nil }
      return [input[0], input[1], shape(8)?.last ?? nil]
    case "UNIDIRECTIONAL_SEQUENCE_RNN":
      guard let input = shape(0), input.count == 3 else { return nil }
      return [input[0], input[1], shape(1)?.first ?? nil]
    default: return nil
    }
  }

  private func broadcastShape() -> Dimensions? {
    var result: Dimensions = []
    for position in entry.inputs.indices {
      guard let shape = shape(position), let next = result.broadcast(with: shape) else {
        return nil
      }
      result = next
    }
    return result
  }

  private func windowShape(_ fields: SlidingWindow.Fields) throws(ModelValidationError)
    -> Dimensions?
  {
    guard let options = entry.builtinOptions, let input = shape(0) else { return nil }
    let filter = shape(1).flatMap { $0.isKnown ? $0.compactMap(\.self) : nil }
    return try SlidingWindow(fields, filter: filter, options)?.outputShape(forInput: input)
  }

  private func reducedShape() throws(ModelValidationError) -> Dimensions? {
    guard let shape = shape(0), let axes = knownValue(1) else { return nil }
    guard try flag(0) else { return shape.removing(axes) }
    guard let reduced = shape.axes(axes) else { return nil }
    return shape.indices.map { reduced.contains($0) ? 1 : shape[$0] }
  }

  private func fullyConnectedShape() throws(ModelValidationError) -> Dimensions? {
    guard let input = shape(0), let weights = shape(1), weights.count == 2,
      let length = weights[1], length > 0
    else { return nil }
    if try flag(2) { return input.dropLast() + [weights[0]] }
    guard let count = input.elementCount else {
      let isMatrix = input.count == 2 && input[1] == length
      return [isMatrix ? input[0] : nil, weights[0]]
    }
    return count.isMultiple(of: length) ? [count / length, weights[0]] : nil
  }

  /// Returns the target of a reshape, with the dimension that the number of elements determines.
  private func reshaped() -> Dimensions? {
    guard var target = value(1) ?? optionShape else { return nil }
    if let free = target.firstIndex(of: -1) {
      target[free] = nil
      guard let count = shape(0)?.elementCount else { return target }
      let others = target.compactMap(\.self)
      guard others.count == target.count - 1, let rest = others.elementCount, rest > 0,
        count.isMultiple(of: rest)
      else { return nil }
      target[free] = count / rest
    }
    guard let count = shape(0)?.elementCount, target.isKnown else { return target }
    return target.elementCount == count ? target : nil
  }

  /// The target of a reshape in its options, where older files have it.
  private var optionShape: Dimensions? {
    guard entry.inputs.count == 1, let shape = entry.builtinOptions?.integers(0), !shape.isEmpty
    else { return nil }
    return shape
  }

  private func transposedConvolutionShape() -> Dimensions? {
    guard var target = value(0) else { return nil }
    guard target.count == 4 else { return nil }
    // The number of items is that of the image.
    if target[0] == nil, let image = shape(2), image.count == 4 { target[0] = image[0] }
    return target
  }

  private func packedShape() throws(ModelValidationError) -> Dimensions? {
    let axis = try option(1)
    return shape(0).flatMap { $0.inserting(entry.inputs.count, at: axis) }
  }

  private func concatenatedShape() throws(ModelValidationError) -> Dimensions? {
    guard var result = shape(0), let axis = result.axes([try option(0)])?.first else { return nil }
    for position in entry.inputs.indices.dropFirst() {
      guard let shape = shape(position), shape.count == result.count else { return nil }
      for index in result.indices {
        if index == axis {
          result[index] = result[index].flatMap { sum in shape[index].map { sum + $0 } }
        } else {
          result[index] = result[index] ?? shape[index]
        }
      }
    }
    return result
  }

  private func transposedShape() -> Dimensions? {
    guard let shape = shape(0), let order = knownValue(1), order.count == shape.count,
      order.allSatisfy(shape.indices.contains)
    else { return nil }
    return order.map { shape[$0] }
  }

  private func squeezedShape() -> Dimensions? {
    guard let shape = shape(0) else { return nil }
    let axes = entry.builtinOptions?.integers(0) ?? []
    if !axes.isEmpty { return shape.removing(axes) }
    return shape.isKnown ? shape.filter { $0 != 1 } : nil
  }

  private func stridedSliceShape() throws(ModelValidationError) -> Dimensions? {
    guard let slice = try StridedSlice(self), let shape = shape(0) else { return nil }
    return slice.outputShape(forInput: shape)
  }

  private func sliceShape() -> Dimensions? {
    guard let shape = shape(0), let sizes = value(2), sizes.count == shape.count else { return nil }
    let starts = value(1)
    return shape.indices.map { axis in
      guard let size = sizes[axis] else { return nil }
      guard size < 0 else { return size }
      guard let length = shape[axis], let start = starts?[axis], start <= length else { return nil }
      return length - start
    }
  }

  private func paddedShape() -> Dimensions? {
    guard let shape = shape(0), let amounts = value(1), amounts.count == 2 * shape.count else {
      return nil
    }
    return shape.indices.map { axis in
      guard let length = shape[axis], let before = amounts[2 * axis],
        let after = amounts[2 * axis + 1]
      else { return nil }
      return length + before + after
    }
  }

  private func resizedShape() -> Dimensions? {
    guard let shape = shape(0), shape.count == 4, let size = value(1), size.count == 2 else {
      return nil
    }
    return [shape[0], size[0], size[1], shape[3]]
  }

  private func tiledShape() -> Dimensions? {
    guard let shape = shape(0), let counts = value(1), counts.count == shape.count else {
      return nil
    }
    return zip(shape, counts).map { length, count in
      length.flatMap { length in count.flatMap { length.product(with: $0) } }
    }
  }

  private func rangeShape() -> Dimensions? {
    guard let start = knownValue(0)?.first, let end = knownValue(1)?.first,
      let step = knownValue(2)?.first, step != 0
    else { return [nil] }
    let span = step > 0 ? end - start : start - end
    return [span > 0 ? (span - 1) / abs(step) + 1 : 0]
  }

  private func gatheredShape() throws(ModelValidationError) -> Dimensions? {
    guard let indices = shape(1), let shape = shape(0), try option(1) == 0,
      let axis = shape.axes([try option(0)])?.first
    else { return nil }
    return shape[..<axis] + indices + shape[(axis + 1)...]
  }

  private func matrixProductShape() throws(ModelValidationError) -> Dimensions? {
    guard let left = shape(0), let right = shape(1), left.count >= 2, right.count >= 2,
      let batch = left.matrixBatch.broadcast(with: right.matrixBatch)
    else { return nil }
    let rows = try flag(0) ? left[left.count - 1] : left[left.count - 2]
    let columns = try flag(1) ? right[right.count - 2] : right[right.count - 1]
    return batch + [rows, columns]
  }

  private func blockShape(
    _ scaled: (_ length: Int, _ size: Int) -> Int
  ) throws(ModelValidationError) -> Dimensions? {
    guard let shape = shape(0), shape.count == 4, let channels = shape[3] else { return nil }
    let size = try option(0)
    guard size > 0, size < 1 << 15 else { return nil }
    let isLarger = scaled(1, size) == size && size > 1
    let area = size * size
    return [
      shape[0], shape[1].map { scaled($0, size) }, shape[2].map { scaled($0, size) },
      isLarger ? channels / area : channels.product(with: area),
    ]
  }

  private func splitShapes() throws(ModelValidationError) -> [Dimensions?]? {
    let (input, axisInput) = name == "SPLIT" ? (1, 0) : (0, 2)
    guard let shape = shape(input), let given = knownValue(axisInput)?.first,
      let axis = shape.axes([given])?.first
    else { return nil }
    return entry.outputs.indices.map { index in
      var part = shape
      part[axis] =
        name == "SPLIT"
        ? shape[axis].map { $0 / entry.outputs.count }
        : value(1).flatMap { $0.indices.contains(index) ? $0[index] : nil }.flatMap {
          $0 < 0 ? nil : $0
        }
      return part
    }
  }
}

// MARK: - Subgraph calls

extension ShapeRule {
  /// Returns the shapes of a loop's inputs if each pass preserves them.
  private func shapesAfterLoop() throws(ModelValidationError) -> [Dimensions?]? {
    let given = entry.inputs.indices.map { shape($0) }
    let inputs = given.compactMap(\.self)
    guard inputs.count == given.count, let body = try option(1, in: shapes.model.subgraphs.indices),
      shapes.model.subgraphs[body].inputs.count == inputs.count,
      let inferred = try shapes.inferringCall(of: body, inputs: inputs)
    else { return nil }
    let outputs = inferred.graph.outputs.map { inferred.shapes[$0] }
    return outputs == given ? given : nil
  }

  private func option(_ field: Int, in range: Range<Int>) throws(ModelValidationError) -> Int? {
    let value = try option(field)
    return range.contains(value) ? value : nil
  }
}

// MARK: - Groups of operators

extension ShapeRule.Kind {
  /// Creates the kind of an operator.
  init(of name: String) {
    switch name {
    case "ABS", "CAST", "CEIL", "COS", "CUMSUM", "DEQUANTIZE", "ELU", "EXP", "FAKE_QUANT", "FLOOR",
      "GELU", "HARD_SWISH", "L2_NORMALIZATION", "LEAKY_RELU", "LOCAL_RESPONSE_NORMALIZATION",
      "LOG", "LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "QUANTIZE", "RELU", "RELU6",
      "RELU_0_TO_1", "RELU_N1_TO_1", "REVERSE_V2", "ROUND", "RSQRT", "SIGN", "SIN", "SOFTMAX",
      "SQRT", "SQUARE", "TANH", "ZEROS_LIKE":
      self = .elementwise
    case "ADD", "ATAN2", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL",
      "LESS", "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL",
      "POW", "PRELU", "SELECT_V2", "SQUARED_DIFFERENCE", "SUB":
      self = .broadcasting
    case "MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "SUM":
      self = .reducing
    case "CONV_2D": self = .window(SlidingWindow.Fields(dilation: (4, 5)))
    case "DEPTHWISE_CONV_2D":
      self = .window(SlidingWindow.Fields(dilation: (5, 6), channelAxis: 3))
    case "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D":
      self = .window(SlidingWindow.Fields(size: (3, 4)))
    default: self = .other
    }
  }
}
