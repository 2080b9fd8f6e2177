/// How the weights of a smaller model are stored, and what it computes with.
public enum QuantizationRecipe: String, Sendable, Hashable, CaseIterable {
  /// Weights of 16 bits and computation with floats: half the size, the same speed, hardly another result.
  case float16
  /// Weights of 8 bits, and the values that a run computes in 8 bits with ranges of their own: for networks
  /// of matrices, such as those for text. Convolutions stay float in `.onnx` files.
  case dynamicInt8 = "dynamic-int8"
  /// Weights and values of 8 bits, with ranges that were measured on data: the fastest, and the one that needs
  /// a check.
  case int8
  /// Weights of 4 bits in blocks, for the matrices of language models.
  case int4

  /// Whether ranges are measured on data.
  public var requiresCalibration: Bool { self == .int8 }

  /// Whether another program quantizes the model.
  var requiresPackages: Bool { self != .float16 }
}
