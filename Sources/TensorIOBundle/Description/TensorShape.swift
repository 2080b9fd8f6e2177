/// The sides of a tensor; an axis whose length is not known yet is `nil`.
public struct TensorShape: Sendable, Hashable {
  /// The length of every axis, outermost first; `nil` where it varies.
  public let dimensions: [Int?]

  /// A shape of known or varying axes.
  public init(_ axes: [Int?]) {
    self.dimensions = axes
  }

  /// A shape as runtimes and `model.json` write it, where a negative length means "varies".
  public init(signedDimensions axes: [Int]) {
    self.dimensions = axes.map { $0 < 0 ? nil : $0 }
  }

  /// Whether any axis varies.
  public var isDynamic: Bool { dimensions.contains(nil) }

  /// Whether the first axis varies, which is how a variable batch is written.
  public var hasDynamicBatch: Bool { dimensions.first == .some(nil) }

  /// How many elements the tensor has when every varying axis has length one, or `nil` when that
  /// number does not fit an `Int`.
  public var elementCount: Int? {
    dimensions.lazy.map { $0 ?? 1 }.checkedProduct
  }

  /// The lengths as runtimes write them, with -1 for an axis that varies.
  public var signedDimensions: [Int] { dimensions.map { $0 ?? -1 } }
}

extension TensorShape: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// A shape of known axes.
  public init(arrayLiteral elements: Int...) {
    self.init(signedDimensions: elements)
  }

  /// The lengths in brackets, as in `model.json`.
  public var description: String {
    "[" + signedDimensions.map(String.init).joined(separator: ",") + "]"
  }
}

extension Sequence<Int> {
  /// The product of all lengths, or `nil` when it does not fit an `Int`.
  package var checkedProduct: Int? {
    var product = 1
    for length in self {
      let (next, overflow) = product.multipliedReportingOverflow(by: length)
      if overflow { return nil }
      product = next
    }
    return product
  }
}

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
