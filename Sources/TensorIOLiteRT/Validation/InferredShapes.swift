/// The shapes of a subgraph's tensors at run time, inferred from the file.
///
/// Inference covers operators with simple rules. The outputs of all others, and the tensors
/// computed from them, have no inferred shape.
struct InferredShapes {
  private let model: ParsedModel
  private let graph: ParsedSubgraph
  private var shapes: [[Int]?]

  init(_ graph: ParsedSubgraph, of model: ParsedModel) throws(ModelValidationError) {
    self.model = model
    self.graph = graph
    shapes = graph.tensors.map { model.constantByteCount(of: $0) > 0 ? $0.shape : nil }
    for input in graph.inputs where !graph.tensors[input].shapeSignature.contains(-1) {
      shapes[input] = graph.tensors[input].shape
    }
    for entry in graph.operators {
      guard entry.outputs.count == 1 else { continue }
      shapes[entry.outputs[0]] = try shape(of: entry)
    }
  }

  subscript(tensor: Int) -> [Int]? { shapes[tensor] }

  private func shape(of entry: ParsedOperator) throws(ModelValidationError) -> [Int]? {
    let traits = model.operatorCodes[entry.operatorCodeIndex]
    guard let rule = traits.shapeRule, let first = input(0, of: entry) else { return nil }
    switch rule {
    case .sameAsInput: return first
    case .broadcast:
      return input(1, of: entry).flatMap { Self.broadcast(first, $0) }
    case .reshape: return reshape(first, entry)
    case .fullyConnected:
      let keepsDimensions = try entry.builtinOptions?.option(2, as: UInt8.self) ?? 0 != 0
      return input(1, of: entry).flatMap {
        Self.fullyConnected(first, weights: $0, keepsDimensions: keepsDimensions)
      }
    case .slidingWindow(let window):
      return try SlidingWindow(window, input(1, of: entry), entry)?.outputShape(forInput: first)
    }
  }

  private func input(_ position: Int, of entry: ParsedOperator) -> [Int]? {
    guard entry.inputs.indices.contains(position), entry.inputs[position] >= 0 else { return nil }
    return shapes[entry.inputs[position]]
  }
}

// MARK: - Rules

extension InferredShapes {
  /// Returns the broadcast shape, or `nil` if the shapes are incompatible.
  private static func broadcast(_ left: [Int], _ right: [Int]) -> [Int]? {
    let count = max(left.count, right.count)
    let padded = [left, right].map { [Int](repeating: 1, count: count - $0.count) + $0 }
    let pairs = zip(padded[0], padded[1])
    guard pairs.allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
    return pairs.map { $0 == 1 ? $1 : $0 }
  }

  private static func fullyConnected(_ input: [Int], weights: [Int], keepsDimensions: Bool)
    -> [Int]?
  {
    guard weights.count == 2, let count = input.elementCount, weights[1] > 0,
      count.isMultiple(of: weights[1])
    else { return nil }
    return keepsDimensions ? input.dropLast() + [weights[0]] : [count / weights[1], weights[0]]
  }

  /// Returns the shape of a reshape whose target is a constant, in which one dimension may be -1.
  private func reshape(_ input: [Int], _ entry: ParsedOperator) -> [Int]? {
    guard entry.inputs.count == 2, let count = input.elementCount,
      var shape = model.constantIntegers(of: graph.tensors[entry.inputs[1]])
    else { return nil }
    if let inferred = shape.firstIndex(of: -1) {
      shape[inferred] = 1
      guard let rest = shape.elementCount, rest > 0, count.isMultiple(of: rest) else { return nil }
      shape[inferred] = count / rest
    }
    return shape.allSatisfy { $0 >= 0 } && shape.elementCount == count ? shape : nil
  }
}

// MARK: - Outputs

extension ParsedModel {
  /// Requires that the declared shapes of outputs have as many elements as the inferred ones.
  ///
  /// LiteRT allocates outputs by their declared shape and writes them by the computed one. The
  /// shapes of intermediate tensors do not matter: LiteRT computes them before it allocates.
  func requireInferredOutputShapes() throws(ModelValidationError) {
    for graph in callableSubgraphs.map({ subgraphs[$0] }) {
      let shapes = try InferredShapes(graph, of: self)
      for output in graph.outputs where !graph.tensors[output].shapeSignature.contains(-1) {
        guard let inferred = shapes[output] else { continue }
        let declared = graph.tensors[output].shape
        try require(
          declared.elementCount == inferred.elementCount, .outputShapes,
          "output tensor \(output) declares shape \(declared), but its operator computes \(inferred)"
        )
      }
    }
  }
}

/// The rule by which the shape of an operator's output follows from its inputs.
enum ShapeInferenceRule {
  /// The shape of the first input.
  case sameAsInput
  /// The shapes of the first two inputs, broadcast.
  case broadcast
  /// The value of the second input.
  case reshape
  /// The shape of a matrix multiplication.
  case fullyConnected
  /// The number of window positions.
  case slidingWindow(SlidingWindowFields)
}

extension ShapeInferenceRule {
  /// Returns the rule for the operator with the given name, or `nil` if there is none.
  init?(of name: String) {
    if Self.elementwise.contains(name) {
      self = .sameAsInput
    } else if Self.broadcasting.contains(name) {
      self = .broadcast
    } else if let rule = Self.rulesByOperator[name] {
      self = rule
    } else {
      return nil
    }
  }

  private static let rulesByOperator: [String: ShapeInferenceRule] = [
    "FULLY_CONNECTED": .fullyConnected, "RESHAPE": .reshape,
    "CONV_2D": .slidingWindow(SlidingWindowFields(dilation: (4, 5))),
    "DEPTHWISE_CONV_2D": .slidingWindow(SlidingWindowFields(dilation: (5, 6), channelAxis: 3)),
    "AVERAGE_POOL_2D": .slidingWindow(SlidingWindowFields(size: (3, 4))),
    "MAX_POOL_2D": .slidingWindow(SlidingWindowFields(size: (3, 4))),
  ]

  private static let elementwise: Set = [
    "ABS", "CAST", "CEIL", "COS", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "GELU", "HARD_SWISH",
    "LEAKY_RELU",
    "LOG", "LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "QUANTIZE", "RELU", "RELU6",
    "RELU_0_TO_1", "RELU_N1_TO_1", "ROUND", "RSQRT", "SIGN", "SIN", "SOFTMAX", "SQRT", "SQUARE",
    "TANH",
  ]

  private static let broadcasting: Set = [
    "ADD", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS",
    "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL", "POW",
    "PRELU", "SQUARED_DIFFERENCE", "SUB",
  ]
}

/// The option fields that describe the window of an operator.
struct SlidingWindowFields {
  /// The fields for the size of the window; `nil` if it is the size of the second input.
  var size: (width: Int, height: Int)?
  /// The fields for the dilation; `nil` if the operator has none.
  var dilation: (width: Int, height: Int)?
  /// The dimension of the second input that is the number of output channels.
  var channelAxis = 0
}

/// A window that slides over the spatial dimensions of an image.
struct SlidingWindow {
  private let isPadded: Bool
  private let strides: [Int]
  /// The size including dilation.
  private let effectiveSize: [Int]
  /// The number of output channels; `nil` if it equals the number of input channels.
  private let outputChannels: Int?

  init?(
    _ rule: SlidingWindowFields, _ filter: [Int]?, _ entry: ParsedOperator
  ) throws(ModelValidationError) {
    guard let options = entry.builtinOptions else { return nil }
    isPadded = try options.option(0, as: UInt8.self) == 0
    strides = try options.spatialOptions((1, 2), default: 0)
    if let size = rule.size {
      effectiveSize = try options.spatialOptions(size, default: 0)
      outputChannels = nil
    } else {
      guard let filter, filter.count == 4, filter.allSatisfy({ $0 > 0 }) else { return nil }
      let dilation = try rule.dilation.map { fields throws(ModelValidationError) in
        try options.spatialOptions(fields, default: 1)
      }
      effectiveSize = zip(filter[1...2], dilation ?? [1, 1]).map { ($0 - 1) * $1 + 1 }
      outputChannels = filter[rule.channelAxis]
    }
  }

  /// Returns the output shape, or `nil` if the window does not fit.
  func outputShape(forInput input: [Int]) -> [Int]? {
    guard input.count == 4 else { return nil }
    var shape = input
    for axis in 0..<2 {
      let span = isPadded ? input[axis + 1] : input[axis + 1] - effectiveSize[axis] + 1
      guard span > 0, strides[axis] > 0 else { return nil }
      shape[axis + 1] = (span - 1) / strides[axis] + 1
    }
    shape[3] = outputChannels ?? input[3]
    return shape
  }
}

extension FlatBufferTable {
  /// Returns the options for height and width, in the order of an image's dimensions.
  fileprivate func spatialOptions(
    _ fields: (width: Int, height: Int), default defaultValue: Int32
  ) throws(ModelValidationError) -> [Int] {
    [
      Int(try option(fields.height, default: defaultValue)),
      Int(try option(fields.width, default: defaultValue)),
    ]
  }
}
