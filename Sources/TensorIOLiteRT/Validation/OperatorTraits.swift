/// A kind of operators, and what of it the runtime takes for granted.
struct OperatorTraits {
  let name: String
  /// The inputs that may be left out, which is written as -1; `nil` where any may.
  let optionalInputs: Set<Int>?
  /// The form of options without which the operator divides by zero, or runs any graph.
  let requiredOptionsType: UInt8?
  /// What the operator divides by.
  let positiveOptions: [PositiveOption]
  /// Whether it computes with what bytes stand for, and needs to know what that is.
  let requiresScales: Bool
  /// Where an operator says which graphs it runs.
  let subgraphFields: [Int]
  /// Whether it says so in the options of newer operators.
  let usesBuiltinOptions2: Bool
  /// How its output's shape is found; `nil` when that is not known here.
  let shapeRule: ShapeInferenceRule?

  init(_ code: FlatBufferTable) {
    // Older files have room for small numbers only, newer ones write both.
    let number = max(Int(code.byte(0)), Int(code.integer(3) ?? 0))
    name = BuiltinOperators.name(forCode: number)
    optionalInputs = name == "CUSTOM" ? nil : Self.optionalInputs[name] ?? []
    requiredOptionsType = Self.requiredOptionsTypes[name]
    positiveOptions = Self.positiveOptions[name] ?? []
    requiresScales = Self.operatorsRequiringScales.contains(name)
    subgraphFields = Self.subgraphFields[name] ?? Self.subgraphFieldsInOptions2[name] ?? []
    usesBuiltinOptions2 = Self.subgraphFields[name] == nil
    shapeRule = ShapeInferenceRule(of: name)
  }
}

// MARK: - Inputs that may be left out

extension OperatorTraits {
  private static let optionalInputs: [String: Set<Int>] = [
    "FULLY_CONNECTED": [2], "CONV_2D": [2], "DEPTHWISE_CONV_2D": [2], "CONV_3D": [2],
    "TRANSPOSE_CONV": [3], "CONV_3D_TRANSPOSE": [3], "SVDF": [3],
    "BIDIRECTIONAL_SEQUENCE_RNN": [9, 10, 11],
    "LSTM": lstmOptionalInputs, "UNIDIRECTIONAL_SEQUENCE_LSTM": lstmOptionalInputs,
    "BIDIRECTIONAL_SEQUENCE_LSTM": bidirectionalLSTMOptionalInputs,
  ]

  /// The input gate, the peepholes, the projection and the normalization.
  private static let lstmOptionalInputs: Set = [1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23]
  /// The same but the normalization in both directions, and the auxiliary input.
  private static let bidirectionalLSTMOptionalInputs = Set([1, 5, 9, 10, 11, 12, 16, 17])
    .union([18, 22, 26, 27, 28, 29, 33, 34]).union(39...47)
}

// MARK: - Options

extension OperatorTraits {
  /// An option that must be at least one, with what it is without being said.
  typealias PositiveOption = (field: Int, standard: Int32, name: String)

  private static let requiredOptionsTypes: [String: UInt8] = [
    "CONV_2D": 1, "DEPTHWISE_CONV_2D": 2, "AVERAGE_POOL_2D": 5, "MAX_POOL_2D": 5, "L2_POOL_2D": 5,
    "CALL": 16, "SPACE_TO_DEPTH": 19, "SPLIT": 35, "TRANSPOSE_CONV": 49, "SPLIT_V": 79, "IF": 92,
    "WHILE": 93, "DEPTH_TO_SPACE": 94, "CALL_ONCE": 103, "CONV_3D": 106, "CONV_3D_TRANSPOSE": 106,
  ]

  private static let positiveOptions: [String: [PositiveOption]] = [
    "CONV_2D": strideOptions + [(4, 1, "dilation"), (5, 1, "dilation")],
    "DEPTHWISE_CONV_2D": strideOptions + [(5, 1, "dilation"), (6, 1, "dilation")],
    "AVERAGE_POOL_2D": strideOptions + filterSizeOptions, "MAX_POOL_2D": strideOptions + filterSizeOptions,
    "L2_POOL_2D": strideOptions + filterSizeOptions, "TRANSPOSE_CONV": strideOptions,
    "CONV_3D": strideOptions + depthOptions, "CONV_3D_TRANSPOSE": strideOptions + depthOptions,
    "SPACE_TO_DEPTH": blockSizeOptions, "DEPTH_TO_SPACE": blockSizeOptions,
    "SPLIT": splitCountOptions, "SPLIT_V": splitCountOptions,
  ]
  private static let strideOptions: [PositiveOption] = [(1, 0, "stride"), (2, 0, "stride")]
  private static let filterSizeOptions: [PositiveOption] = [(3, 0, "window"), (4, 0, "window")]
  private static let blockSizeOptions: [PositiveOption] = [(0, 0, "block size")]
  private static let splitCountOptions: [PositiveOption] = [(0, 0, "number of parts")]
  private static let depthOptions: [PositiveOption] = [
    (3, 0, "stride"), (5, 1, "dilation"), (6, 1, "dilation"), (7, 1, "dilation"),
  ]
}

extension OperatorTraits {
  private static let operatorsRequiringScales: Set = [
    "ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "DEQUANTIZE", "FULLY_CONNECTED", "MUL", "QUANTIZE",
    "SUB",
  ]
}

// MARK: - Graphs that are run

extension OperatorTraits {
  private static let subgraphFields: [String: [Int]] = [
    "IF": [0, 1], "WHILE": [0, 1], "CALL_ONCE": [0], "CALL": [0],
  ]
  private static let subgraphFieldsInOptions2: [String: [Int]] = [
    "STABLEHLO_WHILE": [0, 1], "STABLEHLO_REDUCE": [1], "STABLEHLO_REDUCE_WINDOW": [5],
    "STABLEHLO_SORT": [2], "STABLEHLO_SCATTER": [7], "STABLEHLO_COMPOSITE": [1],
  ]
}

extension ParsedOperator {
  /// The graphs that the operator runs.
  func calledSubgraphs(_ kind: OperatorTraits) throws(ModelValidationError) -> [Int] {
    guard !kind.subgraphFields.isEmpty, let options = kind.usesBuiltinOptions2 ? builtinOptions2 : builtinOptions else {
      return []
    }
    var callees: [Int] = []
    for field in kind.subgraphFields {
      callees.append(Int(try options.option(field, as: Int32.self)))
    }
    return callees
  }
}

extension FlatBufferTable {
  /// An option of an operator.
  func option<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, default standard: Number = 0, as type: Number.Type = Number.self
  ) throws(ModelValidationError) -> Number {
    do throws(FlatBufferError) {
      return try number(field, default: standard)
    } catch {
      throw ModelValidationError(.bounds, "an option lies outside the file")
    }
  }
}
