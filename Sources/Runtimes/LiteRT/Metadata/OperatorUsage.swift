/// The operators that a `.tflite` file uses, for hints when the runtime rejects the model without
/// naming a cause.
///
/// The file is untrusted; values that cannot be read are skipped.
struct OperatorUsage {
  /// The names of the custom operators with their versions.
  let customOperators: [(name: String, version: Int)]
  /// The builtin operators with their versions.
  let builtinOperators: [(name: String, version: Int)]

  /// Reads the operator codes of a model, or returns `nil` if the bytes are not a model.
  init?(_ bytes: ModelBytes) {
    guard let model = try? FlatBufferTable(bytes, identifier: "TFL3") else { return nil }
    let codes = model.tables(SchemaField.operatorCodes)
    customOperators = codes.map { code in
      (code.string(SchemaField.customName), Self.version(of: code))
    }.filter { !$0.0.isEmpty }
    builtinOperators = codes.filter { $0.string(SchemaField.customName).isEmpty }.map { code in
      // Older files store the code in one byte; newer ones store both fields.
      let number = max(
        Int(code.byte(SchemaField.smallNumber)), Int(code.integer(SchemaField.number) ?? 0))
      return (BuiltinOperators.name(forCode: number), Self.version(of: code))
    }
  }

  private static func version(of code: FlatBufferTable) -> Int {
    Int(code.integer(SchemaField.version) ?? 1)
  }

  private enum SchemaField {
    static let operatorCodes = 1
    static let (smallNumber, customName, version, number) = (0, 1, 2, 3)
  }
}

extension OperatorUsage {
  /// A hint about the operators that a runtime may not support, or `nil` if there is none.
  var compatibilityHint: String? {
    guard customOperators.isEmpty else {
      return customOperators.map { "it uses the custom operator '\($0.name)'" }.joined(
        separator: ", ")
    }
    return newestBuiltin.map { "its newest operator is \($0.name), version \($0.version)" }
  }

  /// Returns a hint about custom operators that are not available; `nil` for no names.
  static func unavailableOperatorsHint(_ names: [String]) -> String? {
    guard let first = names.first else { return nil }
    let flex = names.filter { $0.hasPrefix(flexPrefix) }
    guard flex.isEmpty else {
      let names = flex.map { $0.dropFirst(flexPrefix.count) }.joined(separator: ", ")
      // The converter computes the shapes of gradients at run time only if the number of items is not fixed.
      let remedy =
        flex == [flexPrefix + "BroadcastGradientArgs"]
        ? "convert its training signature for a fixed number of items" : "convert it without them"
      return "it uses TensorFlow operators (\(names)): \(remedy), "
        + "or use a bundle with the backend 'tensorflow'"
    }
    let others = names.count > 1 ? " and \(names.count - 1) more" : ""
    return "it uses the custom operator '\(first)'\(others), which is not available: register a "
      + "CustomOperator of this name in the process that runs the model"
  }

  /// The operator with the highest version, the most likely one to be unsupported.
  private var newestBuiltin: (name: String, version: Int)? {
    builtinOperators.filter { $0.version > 1 }.max { $0.version < $1.version }
  }

  /// The prefix of TensorFlow operators in a `.tflite` file.
  private static let flexPrefix = "Flex"
}

/// The builtin operators of the `.tflite` format.
enum BuiltinOperators {
  static func name(forCode number: Int) -> String {
    names.indices.contains(number) ? names[number] : "operator \(number)"
  }

  /// The names, indexed by operator code.
  static let names: [String] = [
    "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE",
    "DEQUANTIZE", "EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION", "L2_POOL_2D", "LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC", "LSH_PROJECTION",
    "LSTM", "MAX_POOL_2D", "MUL", "RELU", "RELU_N1_TO_1", "RELU6", "RESHAPE", "RESIZE_BILINEAR",
    "RNN", "SOFTMAX", "SPACE_TO_DEPTH", "SVDF", "TANH", "CONCAT_EMBEDDINGS", "SKIP_GRAM", "CALL",
    "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD", "UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER",
    "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND", "TRANSPOSE", "MEAN", "SUB", "DIV", "SQUEEZE",
    "UNIDIRECTIONAL_SEQUENCE_LSTM", "STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN", "EXP", "TOPK_V2",
    "SPLIT", "LOG_SOFTMAX", "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU", "MAXIMUM",
    "ARG_MAX", "MINIMUM", "LESS", "NEG", "PADV2", "GREATER", "GREATER_EQUAL", "LESS_EQUAL",
    "SELECT", "SLICE", "SIN", "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE", "EXPAND_DIMS", "EQUAL",
    "NOT_EQUAL", "LOG", "SUM", "SQRT", "RSQRT", "SHAPE", "POW", "ARG_MIN", "FAKE_QUANT",
    "REDUCE_PROD", "REDUCE_MAX", "PACK", "LOGICAL_OR", "ONE_HOT", "LOGICAL_AND", "LOGICAL_NOT",
    "UNPACK", "REDUCE_MIN", "FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE", "FILL", "FLOOR_MOD",
    "RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE", "MIRROR_PAD", "ABS",
    "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N", "GATHER_ND", "COS", "WHERE", "RANK", "ELU",
    "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG", "ROUND", "HARD_SWISH", "IF",
    "WHILE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "SCATTER_ND", "SELECT_V2",
    "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL", "PLACEHOLDER_FOR_GREATER_OP_CODES", "CUMSUM",
    "CALL_ONCE", "BROADCAST_TO", "RFFT2D", "CONV_3D", "IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE",
    "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "REDUCE_ALL", "CONV_3D_TRANSPOSE",
    "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "BROADCAST_ARGS", "RANDOM_STANDARD_NORMAL",
    "BUCKETIZE", "RANDOM_UNIFORM", "MULTINOMIAL", "GELU", "DYNAMIC_UPDATE_SLICE", "RELU_0_TO_1",
    "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
    "UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_LOGISTIC",
    "STABLEHLO_ADD", "STABLEHLO_DIVIDE", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM",
    "STABLEHLO_RESHAPE", "STABLEHLO_CLAMP", "STABLEHLO_CONCATENATE", "STABLEHLO_BROADCAST_IN_DIM",
    "STABLEHLO_CONVOLUTION", "STABLEHLO_SLICE", "STABLEHLO_CUSTOM_CALL", "STABLEHLO_REDUCE",
    "STABLEHLO_ABS", "STABLEHLO_AND", "STABLEHLO_COSINE", "STABLEHLO_EXPONENTIAL",
    "STABLEHLO_FLOOR", "STABLEHLO_LOG", "STABLEHLO_MINIMUM", "STABLEHLO_NEGATE", "STABLEHLO_OR",
    "STABLEHLO_POWER", "STABLEHLO_REMAINDER", "STABLEHLO_RSQRT", "STABLEHLO_SELECT",
    "STABLEHLO_SUBTRACT", "STABLEHLO_TANH", "STABLEHLO_SCATTER", "STABLEHLO_COMPARE",
    "STABLEHLO_CONVERT", "STABLEHLO_DYNAMIC_SLICE", "STABLEHLO_DYNAMIC_UPDATE_SLICE",
    "STABLEHLO_PAD", "STABLEHLO_IOTA", "STABLEHLO_DOT_GENERAL", "STABLEHLO_REDUCE_WINDOW",
    "STABLEHLO_SORT", "STABLEHLO_WHILE", "STABLEHLO_GATHER", "STABLEHLO_TRANSPOSE", "DILATE",
    "STABLEHLO_RNG_BIT_GENERATOR", "REDUCE_WINDOW", "STABLEHLO_COMPOSITE", "STABLEHLO_SHIFT_LEFT",
    "STABLEHLO_CBRT", "STABLEHLO_CASE",
  ]
}
