/// The sides of a tensor; an axis whose length is not known yet is `nil`.
public struct TensorShape: Sendable, Hashable {
  /// The length of every axis, outermost first; `nil` where it varies.
  public let axes: [Int?]

  /// A shape of known or varying axes.
  public init(_ axes: [Int?]) {
    self.axes = axes
  }

  /// A shape as runtimes and `model.json` write it, where a negative length means "varies".
  public init(signed axes: [Int]) {
    self.axes = axes.map { $0 < 0 ? nil : $0 }
  }

  /// Whether any axis varies.
  public var isDynamic: Bool { axes.contains(nil) }

  /// Whether the first axis varies, which is how a variable batch is written.
  public var hasVariableBatch: Bool { axes.first == .some(nil) }

  /// How many elements the tensor has when every varying axis has length one, or `nil` when that
  /// number does not fit an `Int`.
  public var elementCount: Int? {
    axes.lazy.map { $0 ?? 1 }.checkedProduct
  }

  /// The lengths as runtimes write them, with -1 for an axis that varies.
  public var signed: [Int] { axes.map { $0 ?? -1 } }
}

extension TensorShape: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// A shape of known axes.
  public init(arrayLiteral elements: Int...) {
    self.init(signed: elements)
  }

  /// The lengths in brackets, as in `model.json`.
  public var description: String {
    "[" + signed.map(String.init).joined(separator: ",") + "]"
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
