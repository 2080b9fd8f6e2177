/// How the shape of an operator's output follows from those of its inputs.
enum ShapeRule {
  /// It is that of the first.
  case same
  /// It is that of the first two, one stretched to the other.
  case broadcast
  /// It is what the second says.
  case reshaped
  /// It is that of rows, each multiplied with a matrix.
  case dense
  /// It is that of the places where a window fits.
  case window(WindowRule)
}

extension ShapeRule {
  /// The rule for a kind of operators; `nil` when none is known here.
  init?(of kind: String) {
    if Self.elementwise.contains(kind) {
      self = .same
    } else if Self.pairwise.contains(kind) {
      self = .broadcast
    } else if let rule = Self.others[kind] {
      self = rule
    } else {
      return nil
    }
  }

  private static let others: [String: ShapeRule] = [
    "FULLY_CONNECTED": .dense, "RESHAPE": .reshaped,
    "CONV_2D": .window(WindowRule(dilation: (4, 5))),
    "DEPTHWISE_CONV_2D": .window(WindowRule(dilation: (5, 6), channelAxis: 3)),
    "AVERAGE_POOL_2D": .window(WindowRule(size: (3, 4))),
    "MAX_POOL_2D": .window(WindowRule(size: (3, 4))),
  ]

  private static let elementwise: Set = [
    "ABS", "CAST", "CEIL", "COS", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "GELU", "HARD_SWISH",
    "LEAKY_RELU",
    "LOG", "LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "QUANTIZE", "RELU", "RELU6",
    "RELU_0_TO_1", "RELU_N1_TO_1", "ROUND", "RSQRT", "SIGN", "SIN", "SOFTMAX", "SQRT", "SQUARE",
    "TANH",
  ]

  private static let pairwise: Set = [
    "ADD", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS",
    "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL", "POW",
    "PRELU", "SQUARED_DIFFERENCE", "SUB",
  ]
}

/// Where the options of an operator say how its window moves.
struct WindowRule {
  /// The fields of the width and height of the window; `nil` where the second input is the window.
  var size: (width: Int, height: Int)?
  /// The fields of how far apart the places in the window are; `nil` where they are side by side.
  var dilation: (width: Int, height: Int)?
  /// The axis of the second input that says how many channels there will be.
  var channelAxis = 0
}

/// A window that moves over the two middle axes of a picture.
struct Window {
  private let isPadded: Bool
  private let strides: [Int]
  /// How far it reaches.
  private let reach: [Int]
  /// The channels of what it sees; `nil` where they stay as they are.
  private let channels: Int?

  init?(_ rule: WindowRule, _ filter: [Int]?, _ entry: OperatorOutline) throws(ModelProblem) {
    guard let options = entry.options else { return nil }
    isPadded = try options.option(0, as: UInt8.self) == 0
    strides = try options.lengths((1, 2), orElse: 0)
    if let size = rule.size {
      reach = try options.lengths(size, orElse: 0)
      channels = nil
    } else {
      guard let filter, filter.count == 4, filter.allSatisfy({ $0 > 0 }) else { return nil }
      let gaps = try rule.dilation.map { fields throws(ModelProblem) in
        try options.lengths(fields, orElse: 1)
      }
      reach = zip(filter[1...2], gaps ?? [1, 1]).map { ($0 - 1) * $1 + 1 }
      channels = filter[rule.channelAxis]
    }
  }

  /// The shape of what the window sees on its way; `nil` when it does not fit.
  func slide(over input: [Int]) -> [Int]? {
    guard input.count == 4 else { return nil }
    var shape = input
    for axis in 0..<2 {
      let room = isPadded ? input[axis + 1] : input[axis + 1] - reach[axis] + 1
      guard room > 0, strides[axis] > 0 else { return nil }
      shape[axis + 1] = (room - 1) / strides[axis] + 1
    }
    shape[3] = channels ?? input[3]
    return shape
  }
}

extension FlatTable {
  /// The options for height and width, in the order of a picture's axes.
  fileprivate func lengths(
    _ fields: (width: Int, height: Int), orElse standard: Int32
  ) throws(ModelProblem) -> [Int] {
    [
      Int(try option(fields.height, orElse: standard)),
      Int(try option(fields.width, orElse: standard)),
    ]
  }
}
