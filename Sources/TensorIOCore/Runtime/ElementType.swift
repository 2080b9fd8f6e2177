/// The type of one element of a tensor.
///
/// The raw values are the words that `model.json` uses.
public enum ElementType: String, Sendable, Hashable, CaseIterable {
  case float32, float16, float64
  case uint8, int8, int16, int32, int64
  case bool
  case string

  /// How many bytes one element takes, or `nil` where elements differ in length.
  public var byteCount: Int? {
    switch self {
    case .uint8, .int8, .bool: 1
    case .float16, .int16: 2
    case .float32, .int32: 4
    case .float64, .int64: 8
    case .string: nil
    }
  }

  /// Whether the elements are integers.
  public var isInteger: Bool {
    switch self {
    case .uint8, .int8, .int16, .int32, .int64: true
    case .float32, .float16, .float64, .bool, .string: false
    }
  }

  /// Whether the elements are fractions of some precision.
  public var isFloatingPoint: Bool {
    switch self {
    case .float32, .float16, .float64: true
    case .uint8, .int8, .int16, .int32, .int64, .bool, .string: false
    }
  }
}

extension ElementType: CustomStringConvertible {
  /// The word of `model.json`.
  public var description: String { rawValue }
}
