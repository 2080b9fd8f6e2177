/// The properties of an operator that LiteRT assumes without checking.
struct OperatorTraits {
  let name: String
  /// The name of a custom operator, else empty.
  let customName: String
  /// The inputs that may be omitted, written as -1; `nil` if any input may be.
  let optionalInputs: [Int]?
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
    optionalInputs = name == "CUSTOM" ? nil : Self.optionalInputs(of: name)
    requiredOptionsType = Self.requiredOptionsType(of: name)
    positiveOptions = Self.positiveOptions(of: name)
    requiresScales = Self.requiresScales(name)
    let fields = Self.subgraphFields(of: name)
    usesBuiltinOptions2 = fields.isEmpty
    subgraphFields = fields.isEmpty ? Self.subgraphFieldsInOptions2(of: name) : fields
    shapeKind = ShapeRule.Kind(of: name)
    shapeInputs = Self.shapeInputs(of: name)
    hasDataDependentShape = Self.hasDataDependentShape(name)
  }
}

// Switches, and not dictionaries, whose types and contents took a quarter of the instructions that loading a small model
// takes.

// MARK: - Optional inputs

extension OperatorTraits {
  private static func optionalInputs(of name: String) -> [Int] {
    switch name {
    case "FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D", "CONV_3D": [2]
    case "TRANSPOSE_CONV", "CONV_3D_TRANSPOSE", "SVDF": [3]
    case "BIDIRECTIONAL_SEQUENCE_RNN": [9, 10, 11]
    // The input gate, the peepholes, the projection and the layer normalization.
    case "LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM": [1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23]
    // The same inputs in both directions without layer normalization, and the auxiliary input.
    case "BIDIRECTIONAL_SEQUENCE_LSTM":
      [1, 5, 9, 10, 11, 12, 16, 17, 18, 22, 26, 27, 28, 29, 33, 34] + Array(39...47)
    default: []
    }
  }
}

// MARK: - Options

extension OperatorTraits {
  /// An option that must be at least 1, with its default value.
  typealias PositiveOption = (field: Int, defaultValue: Int32, name: String)

  private static func requiredOptionsType(of name: String) -> UInt8? {
    switch name {
    case "CONV_2D": 1
    case "DEPTHWISE_CONV_2D": 2
    case "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D": 5
    case "CALL": 16
    case "SPACE_TO_DEPTH": 19
    case "SPLIT": 35
    case "TRANSPOSE_CONV": 49
    case "SPLIT_V": 79
    case "IF": 92
    case "WHILE": 93
    case "DEPTH_TO_SPACE": 94
    case "CALL_ONCE": 103
    case "CONV_3D", "CONV_3D_TRANSPOSE": 106
    default: nil
    }
  }

  private static func positiveOptions(of name: String) -> [PositiveOption] {
    let strides: [PositiveOption] = [(1, 0, "stride"), (2, 0, "stride")]
    switch name {
    case "CONV_2D": return strides + [(4, 1, "dilation"), (5, 1, "dilation")]
    case "DEPTHWISE_CONV_2D": return strides + [(5, 1, "dilation"), (6, 1, "dilation")]
    case "AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D":
      return strides + [(3, 0, "window"), (4, 0, "window")]
    case "TRANSPOSE_CONV": return strides
    case "CONV_3D", "CONV_3D_TRANSPOSE":
      return strides + [
        (3, 0, "stride"), (5, 1, "dilation"), (6, 1, "dilation"), (7, 1, "dilation"),
      ]
    case "SPACE_TO_DEPTH", "DEPTH_TO_SPACE": return [(0, 0, "block size")]
    case "SPLIT", "SPLIT_V": return [(0, 0, "number of parts")]
    default: return []
    }
  }

  private static func requiresScales(_ name: String) -> Bool {
    switch name {
    case "ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "DEQUANTIZE", "FULLY_CONNECTED", "MUL",
      "QUANTIZE", "SUB":
      true
    default: false
    }
  }
}

// MARK: - Shapes

extension OperatorTraits {
  /// LiteRT knows the shapes before a run only if these inputs are constants.
  private static func shapeInputs(of name: String) -> [Int] {
    switch name {
    case "CONV_3D_TRANSPOSE", "FILL", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM", "SPLIT",
      "TRANSPOSE_CONV":
      [0]
    case "ARG_MAX", "ARG_MIN", "BROADCAST_TO", "EXPAND_DIMS", "MEAN", "MIRROR_PAD", "MULTINOMIAL",
      "ONE_HOT", "PAD", "PADV2", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN",
      "REDUCE_PROD", "RESHAPE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "RFFT2D",
      "SPARSE_TO_DENSE", "SUM", "TILE", "TOPK_V2", "TRANSPOSE":
      [1]
    case "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND",
      "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN", "UNSORTED_SEGMENT_PROD",
      "UNSORTED_SEGMENT_SUM":
      [2]
    case "BATCH_TO_SPACE_ND", "SLICE", "SPACE_TO_BATCH_ND", "SPLIT_V": [1, 2]
    case "RANGE": [0, 1, 2]
    case "STRIDED_SLICE": [1, 2, 3]
    default: []
    }
  }

  private static func hasDataDependentShape(_ name: String) -> Bool {
    switch name {
    case "EMBEDDING_LOOKUP_SPARSE", "SEGMENT_SUM", "SKIP_GRAM", "UNIQUE", "WHERE": true
    default: false
    }
  }
}

// MARK: - Subgraph calls

extension OperatorTraits {
  private static func subgraphFields(of name: String) -> [Int] {
    switch name {
    case "IF", "WHILE": [0, 1]
    case "CALL_ONCE", "CALL": [0]
    default: []
    }
  }

  private static func subgraphFieldsInOptions2(of name: String) -> [Int] {
    switch name {
    case "STABLEHLO_WHILE": [0, 1]
    case "STABLEHLO_REDUCE", "STABLEHLO_COMPOSITE": [1]
    case "STABLEHLO_REDUCE_WINDOW": [5]
    case "STABLEHLO_SORT": [2]
    case "STABLEHLO_SCATTER": [7]
    default: []
    }
  }
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
