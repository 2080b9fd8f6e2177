/// The properties of an operator that LiteRT assumes without checking.
struct OperatorTraits {
  let name: String
  /// The name of a custom operator, else empty.
  let customName: String
  /// The inputs that may be omitted, written as -1; `nil` if any input may be.
  let optionalInputs: Set<Int>?
  /// The type of the options that the operator cannot do without, because LiteRT would divide by
  /// zero or run an arbitrary subgraph.
  let requiredOptionsType: UInt8?
  /// The options that LiteRT uses as divisors.
  let positiveOptions: [PositiveOption]
  /// Whether the operator requires quantization scales for 8-bit tensors.
  let requiresScales: Bool
  /// The option fields that hold indices of subgraphs.
  let subgraphFields: [Int]
  /// Whether `subgraphFields` refers to `builtin_options_2`.
  let usesBuiltinOptions2: Bool
  /// The rule for the shapes of the outputs.
  let shapeKind: ShapeRule.Kind
  /// The inputs with values that determine the shape of an output.
  let shapeInputs: [Int]
  /// Whether the shape of an output depends on the elements that the operator processes.
  let hasDataDependentShape: Bool

  init(_ code: FlatBufferTable) {
    // Older files store the code in one byte; newer ones store both fields.
    let number = max(Int(code.byte(0)), Int(code.integer(3) ?? 0))
    name = BuiltinOperators.name(forCode: number)
    customName = name == "CUSTOM" ? code.string(1) : ""
    optionalInputs = name == "CUSTOM" ? nil : Self.optionalInputs[name] ?? []
    requiredOptionsType = Self.requiredOptionsTypes[name]
    positiveOptions = Self.positiveOptions[name] ?? []
    requiresScales = Self.operatorsRequiringScales.contains(name)
    subgraphFields = Self.subgraphFields[name] ?? Self.subgraphFieldsInOptions2[name] ?? []
    usesBuiltinOptions2 = Self.subgraphFields[name] == nil
    shapeKind = ShapeRule.Kind(of: name)
    shapeInputs = Self.shapeInputs[name] ?? []
    hasDataDependentShape = Self.operatorsWithDataDependentShapes.contains(name)
  }
}

// MARK: - Optional inputs

extension OperatorTraits {
  private static let optionalInputs: [String: Set<Int>] = [
    "FULLY_CONNECTED": [2], "CONV_2D": [2], "DEPTHWISE_CONV_2D": [2], "CONV_3D": [2],
    "TRANSPOSE_CONV": [3], "CONV_3D_TRANSPOSE": [3], "SVDF": [3],
    "BIDIRECTIONAL_SEQUENCE_RNN": [9, 10, 11],
    "LSTM": lstmOptionalInputs, "UNIDIRECTIONAL_SEQUENCE_LSTM": lstmOptionalInputs,
    "BIDIRECTIONAL_SEQUENCE_LSTM": bidirectionalLSTMOptionalInputs,
  ]

  /// The input gate, the peepholes, the projection and the layer normalization.
  private static let lstmOptionalInputs: Set = [1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23]
  /// The same inputs in both directions without layer normalization, and the auxiliary input.
  private static let bidirectionalLSTMOptionalInputs = Set([1, 5, 9, 10, 11, 12, 16, 17])
    .union([18, 22, 26, 27, 28, 29, 33, 34]).union(39...47)
}

// MARK: - Options

extension OperatorTraits {
  /// An option that must be at least 1, with its default value.
  typealias PositiveOption = (field: Int, defaultValue: Int32, name: String)

  private static let requiredOptionsTypes: [String: UInt8] = [
    "CONV_2D": 1, "DEPTHWISE_CONV_2D": 2, "AVERAGE_POOL_2D": 5, "MAX_POOL_2D": 5, "L2_POOL_2D": 5,
    "CALL": 16, "SPACE_TO_DEPTH": 19, "SPLIT": 35, "TRANSPOSE_CONV": 49, "SPLIT_V": 79, "IF": 92,
    "WHILE": 93, "DEPTH_TO_SPACE": 94, "CALL_ONCE": 103, "CONV_3D": 106, "CONV_3D_TRANSPOSE": 106,
  ]

  private static let positiveOptions: [String: [PositiveOption]] = [
    "CONV_2D": strideOptions + [(4, 1, "dilation"), (5, 1, "dilation")],
    "DEPTHWISE_CONV_2D": strideOptions + [(5, 1, "dilation"), (6, 1, "dilation")],
    "AVERAGE_POOL_2D": strideOptions + filterSizeOptions,
    "MAX_POOL_2D": strideOptions + filterSizeOptions,
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

// MARK: - Shapes

extension OperatorTraits {
  /// LiteRT knows the shapes before a run only if these inputs are constants.
  private static let shapeInputs: [String: [Int]] = [
    "ARG_MAX": [1], "ARG_MIN": [1], "BATCH_TO_SPACE_ND": [1, 2], "BROADCAST_TO": [1],
    "CONV_3D_TRANSPOSE": [0], "EXPAND_DIMS": [1], "FILL": [0], "MEAN": [1], "MIRROR_PAD": [1],
    "MULTINOMIAL": [1], "NON_MAX_SUPPRESSION_V4": [2], "NON_MAX_SUPPRESSION_V5": [2],
    "ONE_HOT": [1], "PAD": [1], "PADV2": [1], "RANDOM_STANDARD_NORMAL": [0], "RANDOM_UNIFORM": [0],
    "RANGE": [0, 1, 2], "REDUCE_ALL": [1], "REDUCE_ANY": [1], "REDUCE_MAX": [1],
    "REDUCE_MIN": [1], "REDUCE_PROD": [1], "RESHAPE": [1], "RESIZE_BILINEAR": [1],
    "RESIZE_NEAREST_NEIGHBOR": [1], "RFFT2D": [1], "SCATTER_ND": [2], "SLICE": [1, 2],
    "SPACE_TO_BATCH_ND": [1, 2], "SPARSE_TO_DENSE": [1], "SPLIT": [0], "SPLIT_V": [1, 2],
    "STRIDED_SLICE": [1, 2, 3], "SUM": [1], "TILE": [1], "TOPK_V2": [1], "TRANSPOSE": [1],
    "TRANSPOSE_CONV": [0], "UNSORTED_SEGMENT_MAX": [2], "UNSORTED_SEGMENT_MIN": [2],
    "UNSORTED_SEGMENT_PROD": [2], "UNSORTED_SEGMENT_SUM": [2],
  ]

  private static let operatorsWithDataDependentShapes: Set = [
    "EMBEDDING_LOOKUP_SPARSE", "SEGMENT_SUM", "SKIP_GRAM", "UNIQUE", "WHERE",
  ]
}

// MARK: - Subgraph calls

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
  /// Returns the indices of the subgraphs that the operator runs.
  func calledSubgraphs(_ traits: OperatorTraits) throws(ModelValidationError) -> [Int] {
    guard !traits.subgraphFields.isEmpty,
      let options = traits.usesBuiltinOptions2 ? builtinOptions2 : builtinOptions
    else { return [] }
    var callees: [Int] = []
    for field in traits.subgraphFields {
      callees.append(Int(try options.option(field, as: Int32.self)))
    }
    return callees
  }
}

extension FlatBufferTable {
  /// Returns an option of an operator.
  func option<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: Int, default defaultValue: Number = 0, as type: Number.Type = Number.self
  ) throws(ModelValidationError) -> Number {
    do throws(FlatBufferError) {
      return try number(field, default: defaultValue)
    } catch {
      throw ModelValidationError(.bounds, "an operator's option is outside the file")
    }
  }
}
