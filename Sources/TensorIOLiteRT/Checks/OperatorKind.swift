/// A kind of operators, and what of it the runtime takes for granted.
struct OperatorKind {
  let name: String
  /// The inputs that may be left out, which is written as -1; `nil` where any may.
  let optionalInputs: Set<Int>?
  /// The form of options without which the operator divides by zero, or runs any graph.
  let optionsForm: UInt8?
  /// What the operator divides by.
  let divisors: [Divisor]
  /// Whether it computes with what bytes stand for, and needs to know what that is.
  let needsScales: Bool
  /// Where an operator says which graphs it runs.
  let calls: [Int]
  /// Whether it says so in the options of newer operators.
  let callsAreNewer: Bool
  /// How its output's shape is found; `nil` when that is not known here.
  let shapeRule: ShapeRule?

  init(_ code: FlatTable) {
    // Older files have room for small numbers only, newer ones write both.
    let number = max(Int(code.byte(0)), Int(code.integer(3) ?? 0))
    name = OperatorNames.name(of: number)
    optionalInputs = name == "CUSTOM" ? nil : Self.optionalInputs[name] ?? []
    optionsForm = Self.optionsForms[name]
    divisors = Self.divisors[name] ?? []
    needsScales = Self.needingScales.contains(name)
    calls = Self.calls[name] ?? Self.newerCalls[name] ?? []
    callsAreNewer = Self.calls[name] == nil
    shapeRule = ShapeRule(of: name)
  }
}

// MARK: - Inputs that may be left out

extension OperatorKind {
  private static let optionalInputs: [String: Set<Int>] = [
    "FULLY_CONNECTED": [2], "CONV_2D": [2], "DEPTHWISE_CONV_2D": [2], "CONV_3D": [2],
    "TRANSPOSE_CONV": [3], "CONV_3D_TRANSPOSE": [3], "SVDF": [3],
    "BIDIRECTIONAL_SEQUENCE_RNN": [9, 10, 11],
    "LSTM": longShortTerm, "UNIDIRECTIONAL_SEQUENCE_LSTM": longShortTerm,
    "BIDIRECTIONAL_SEQUENCE_LSTM": longShortTermBothWays,
  ]

  /// The input gate, the peepholes, the projection and the normalization.
  private static let longShortTerm: Set = [1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23]
  /// The same but the normalization in both directions, and the auxiliary input.
  private static let longShortTermBothWays = Set([1, 5, 9, 10, 11, 12, 16, 17])
    .union([18, 22, 26, 27, 28, 29, 33, 34]).union(39...47)
}

// MARK: - Options

extension OperatorKind {
  /// An option that must be at least one, with what it is without being said.
  typealias Divisor = (field: Int, standard: Int32, name: String)

  private static let optionsForms: [String: UInt8] = [
    "CONV_2D": 1, "DEPTHWISE_CONV_2D": 2, "AVERAGE_POOL_2D": 5, "MAX_POOL_2D": 5, "L2_POOL_2D": 5,
    "CALL": 16, "SPACE_TO_DEPTH": 19, "SPLIT": 35, "TRANSPOSE_CONV": 49, "SPLIT_V": 79, "IF": 92,
    "WHILE": 93, "DEPTH_TO_SPACE": 94, "CALL_ONCE": 103, "CONV_3D": 106, "CONV_3D_TRANSPOSE": 106,
  ]

  private static let divisors: [String: [Divisor]] = [
    "CONV_2D": strides + [(4, 1, "dilation"), (5, 1, "dilation")],
    "DEPTHWISE_CONV_2D": strides + [(5, 1, "dilation"), (6, 1, "dilation")],
    "AVERAGE_POOL_2D": strides + windows, "MAX_POOL_2D": strides + windows,
    "L2_POOL_2D": strides + windows, "TRANSPOSE_CONV": strides,
    "CONV_3D": strides + depths, "CONV_3D_TRANSPOSE": strides + depths,
    "SPACE_TO_DEPTH": block, "DEPTH_TO_SPACE": block,
    "SPLIT": parts, "SPLIT_V": parts,
  ]
  private static let strides: [Divisor] = [(1, 0, "stride"), (2, 0, "stride")]
  private static let windows: [Divisor] = [(3, 0, "window"), (4, 0, "window")]
  private static let block: [Divisor] = [(0, 0, "block size")]
  private static let parts: [Divisor] = [(0, 0, "number of parts")]
  private static let depths: [Divisor] = [
    (3, 0, "stride"), (5, 1, "dilation"), (6, 1, "dilation"), (7, 1, "dilation"),
  ]
}

extension OperatorKind {
  private static let needingScales: Set = [
    "ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "DEQUANTIZE", "FULLY_CONNECTED", "MUL", "QUANTIZE",
    "SUB",
  ]
}

// MARK: - Graphs that are run

extension OperatorKind {
  private static let calls: [String: [Int]] = [
    "IF": [0, 1], "WHILE": [0, 1], "CALL_ONCE": [0], "CALL": [0],
  ]
  private static let newerCalls: [String: [Int]] = [
    "STABLEHLO_WHILE": [0, 1], "STABLEHLO_REDUCE": [1], "STABLEHLO_REDUCE_WINDOW": [5],
    "STABLEHLO_SORT": [2], "STABLEHLO_SCATTER": [7], "STABLEHLO_COMPOSITE": [1],
  ]
}

extension OperatorOutline {
  /// The graphs that the operator runs.
  func callees(_ kind: OperatorKind) throws(ModelProblem) -> [Int] {
    guard !kind.calls.isEmpty, let options = kind.callsAreNewer ? newerOptions : options else {
      return []
    }
    var callees: [Int] = []
    for field in kind.calls {
      callees.append(Int(try options.option(field, as: Int32.self)))
    }
    return callees
  }
}

extension FlatTable {
  /// An option of an operator.
  func option<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, orElse standard: Number = 0, as type: Number.Type = Number.self
  ) throws(ModelProblem) -> Number {
    do throws(FlatFault) {
      return try number(field, orElse: standard)
    } catch {
      throw ModelProblem(.structure, "an option lies outside the file")
    }
  }
}
