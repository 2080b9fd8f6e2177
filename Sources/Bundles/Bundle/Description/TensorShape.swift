/// The dimensions of a tensor; dynamic dimensions are `nil`.
public struct TensorShape: Sendable, Hashable {
  /// The dimensions, outermost first; `nil` if dynamic.
  public let dimensions: [Int?]

  /// Creates a shape.
  public init(_ dimensions: [Int?]) {
    self.dimensions = dimensions
  }

  /// Creates a shape from dimensions in which negative numbers are dynamic, as in `model.json`.
  public init(signedDimensions dimensions: [Int]) {
    self.dimensions = dimensions.map { $0 < 0 ? nil : $0 }
  }

  /// Whether any dimension is dynamic.
  public var isDynamic: Bool { dimensions.contains(nil) }

  /// Whether the first dimension is dynamic, which denotes a batch of any size.
  public var hasDynamicBatch: Bool { dimensions.first == .some(nil) }

  /// Whether a dimension after the first is dynamic: each value determines its length.
  package var hasVariableLength: Bool { dimensions.dropFirst().contains(nil) }

  /// The number of elements, with dynamic dimensions as 1, or `nil` if it overflows an `Int`.
  public var elementCount: Int? {
    dimensions.lazy.map { $0 ?? 1 }.checkedProduct
  }

  /// The dimensions, with -1 for dynamic ones.
  public var signedDimensions: [Int] { dimensions.map { $0 ?? -1 } }
}

extension TensorShape: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// Creates a shape; negative dimensions are dynamic.
  public init(arrayLiteral elements: Int...) {
    self.init(signedDimensions: elements)
  }

  /// The dimensions in brackets, as in `model.json`.
  public var description: String {
    "[" + signedDimensions.map(String.init).joined(separator: ",") + "]"
  }
}

extension Sequence<Int> {
  /// The product of all numbers, or `nil` if it overflows.
  @inlinable
  package var checkedProduct: Int? {
    var product = 1
    for factor in self {
      let (next, overflow) = product.multipliedReportingOverflow(by: factor)
      if overflow { return nil }
      product = next
    }
    return product
  }
}

/// The type of a tensor's elements.
///
/// The raw values are the names in `model.json`.
public enum ElementType: String, Sendable, Hashable, CaseIterable {
  case float32, float16, float64
  case uint8, int8, int16, int32, int64
  case bool
  case string

  /// The size of an element in bytes, or `nil` if it varies.
  public var byteCount: Int? { layout.byteCount }

  /// Whether the type is an integer type.
  public var isInteger: Bool { layout.kind == .integer }

  /// Whether the type is a floating-point type.
  public var isFloatingPoint: Bool { layout.kind == .floatingPoint }

  private enum Kind {
    case integer, floatingPoint, other
  }

  private var layout: (kind: Kind, byteCount: Int?) {
    switch self {
    case .float32: (.floatingPoint, 4)
    case .float16: (.floatingPoint, 2)
    case .float64: (.floatingPoint, 8)
    case .uint8, .int8: (.integer, 1)
    case .int16: (.integer, 2)
    case .int32: (.integer, 4)
    case .int64: (.integer, 8)
    case .bool: (.other, 1)
    case .string: (.other, nil)
    }
  }
}

extension ElementType: CustomStringConvertible {
  /// The name in `model.json`.
  public var description: String { rawValue }
}
