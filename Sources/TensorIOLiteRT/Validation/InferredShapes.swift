/// The shapes that a graph's tensors will have when it runs, as far as they are known beforehand.
///
/// Followed are only operators whose rule is simple; what any other computes is unknown, and so is
/// what is computed from that.
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
    let kind = model.operatorCodes[entry.operatorCodeIndex]
    guard let rule = kind.shapeRule, let first = input(0, of: entry) else { return nil }
    switch rule {
    case .sameAsInput: return first
    case .broadcast:
      return input(1, of: entry).flatMap { Self.broadcast(first, $0) }
    case .reshape: return reshape(first, entry)
    case .fullyConnected:
      let keepsAxes = try entry.builtinOptions?.option(2, as: UInt8.self) ?? 0 != 0
      return input(1, of: entry).flatMap { Self.fullyConnected(first, weights: $0, keepsDimensions: keepsAxes) }
    case .slidingWindow(let window):
      return try SlidingWindow(window, input(1, of: entry), entry)?.outputShape(forInput: first)
    }
  }

  private func input(_ place: Int, of entry: ParsedOperator) -> [Int]? {
    guard entry.inputs.indices.contains(place), entry.inputs[place] >= 0 else { return nil }
    return shapes[entry.inputs[place]]
  }
}

// MARK: - Rules

extension InferredShapes {
  /// Every axis has the longer length of both where the other is one.
  private static func broadcast(_ left: [Int], _ right: [Int]) -> [Int]? {
    let count = max(left.count, right.count)
    let padded = [left, right].map { [Int](repeating: 1, count: count - $0.count) + $0 }
    let pairs = zip(padded[0], padded[1])
    guard pairs.allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
    return pairs.map { $0 == 1 ? $1 : $0 }
  }

  private static func fullyConnected(_ input: [Int], weights: [Int], keepsDimensions: Bool) -> [Int]? {
    guard weights.count == 2, let count = input.elementCount, weights[1] > 0,
      count.isMultiple(of: weights[1])
    else { return nil }
    return keepsDimensions ? input.dropLast() + [weights[0]] : [count / weights[1], weights[0]]
  }

  /// A reshape to lengths that the file holds, one of which may be left open.
  private func reshape(_ input: [Int], _ entry: ParsedOperator) -> [Int]? {
    guard entry.inputs.count == 2, let count = input.elementCount,
      var shape = model.constantIntegers(of: graph.tensors[entry.inputs[1]])
    else { return nil }
    if let open = shape.firstIndex(of: -1) {
      shape[open] = 1
      guard let rest = shape.elementCount, rest > 0, count.isMultiple(of: rest) else { return nil }
      shape[open] = count / rest
    }
    return shape.allSatisfy { $0 >= 0 } && shape.elementCount == count ? shape : nil
  }
}

// MARK: - Outputs

extension ParsedModel {
  /// The outputs that callers see have as many elements as their operators compute.
  ///
  /// The runtime believes the declared shape when it makes room, and the computed one when it
  /// writes. Shapes within a graph do not matter: they are computed before there is any room.
  func requireInferredOutputShapes() throws(ModelValidationError) {
    for graph in callableSubgraphs.map({ subgraphs[$0] }) {
      let shapes = try InferredShapes(graph, of: self)
      for output in graph.outputs where !graph.tensors[output].shapeSignature.contains(-1) {
        guard let computed = shapes[output] else { continue }
        let declared = graph.tensors[output].shape
        try require(
          declared.elementCount == computed.elementCount, .outputShapes,
          "output tensor \(output) has the shape \(declared), but \(computed) is computed")
      }
    }
  }
}

/// How the shape of an operator's output follows from those of its inputs.
enum ShapeInferenceRule {
  /// It is that of the first.
  case sameAsInput
  /// It is that of the first two, one stretched to the other.
  case broadcast
  /// It is what the second says.
  case reshape
  /// It is that of rows, each multiplied with a matrix.
  case fullyConnected
  /// It is that of the places where a window fits.
  case slidingWindow(SlidingWindowFields)
}

extension ShapeInferenceRule {
  /// The rule for a kind of operators; `nil` when none is known here.
  init?(of kind: String) {
    if Self.elementwise.contains(kind) {
      self = .sameAsInput
    } else if Self.broadcasting.contains(kind) {
      self = .broadcast
    } else if let rule = Self.rulesByOperator[kind] {
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

/// Where the options of an operator say how its window moves.
struct SlidingWindowFields {
  /// The fields of the width and height of the window; `nil` where the second input is the window.
  var size: (width: Int, height: Int)?
  /// The fields of how far apart the places in the window are; `nil` where they are side by side.
  var dilation: (width: Int, height: Int)?
  /// The axis of the second input that says how many channels there will be.
  var channelAxis = 0
}

/// A window that moves over the two middle axes of a picture.
struct SlidingWindow {
  private let isPadded: Bool
  private let strides: [Int]
  /// How far it reaches.
  private let effectiveSize: [Int]
  /// The channels of what it sees; `nil` where they stay as they are.
  private let outputChannels: Int?

  init?(_ rule: SlidingWindowFields, _ filter: [Int]?, _ entry: ParsedOperator) throws(ModelValidationError) {
    guard let options = entry.builtinOptions else { return nil }
    isPadded = try options.option(0, as: UInt8.self) == 0
    strides = try options.spatialOptions((1, 2), default: 0)
    if let size = rule.size {
      effectiveSize = try options.spatialOptions(size, default: 0)
      outputChannels = nil
    } else {
      guard let filter, filter.count == 4, filter.allSatisfy({ $0 > 0 }) else { return nil }
      let gaps = try rule.dilation.map { fields throws(ModelValidationError) in
        try options.spatialOptions(fields, default: 1)
      }
      effectiveSize = zip(filter[1...2], gaps ?? [1, 1]).map { ($0 - 1) * $1 + 1 }
      outputChannels = filter[rule.channelAxis]
    }
  }

  /// The shape of what the window sees on its way; `nil` when it does not fit.
  func outputShape(forInput input: [Int]) -> [Int]? {
    guard input.count == 4 else { return nil }
    var shape = input
    for axis in 0..<2 {
      let room = isPadded ? input[axis + 1] : input[axis + 1] - effectiveSize[axis] + 1
      guard room > 0, strides[axis] > 0 else { return nil }
      shape[axis + 1] = (room - 1) / strides[axis] + 1
    }
    shape[3] = outputChannels ?? input[3]
    return shape
  }
}

extension FlatBufferTable {
  /// The options for height and width, in the order of a picture's axes.
  fileprivate func spatialOptions(
    _ fields: (width: Int, height: Int), default standard: Int32
  ) throws(ModelValidationError) -> [Int] {
    [
      Int(try option(fields.height, default: standard)),
      Int(try option(fields.width, default: standard)),
    ]
  }
}
