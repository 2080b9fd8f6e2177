/// The strings of a layer: a collection of `String` that preserves arbitrary bytes.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "sentiment.tiobundle")
/// let output = try model.run(Strings(["a good film", "a bad film"]))
/// ```
///
/// Elements that are not UTF-8 are repaired when they are read as `String`; ``bytes`` returns them
/// unchanged.
public struct Strings: Sendable, Hashable {
  /// The bytes of each element.
  public let bytes: [[UInt8]]

  /// Creates strings from text.
  ///
  /// - Parameter strings: The elements, in order.
  public init(_ strings: some Sequence<String>) {
    bytes = strings.map { Array($0.utf8) }
  }

  /// Creates strings from arbitrary bytes.
  ///
  /// - Parameter bytes: The bytes of each element, in order.
  public init(bytes: [[UInt8]]) {
    self.bytes = bytes
  }
}

extension Strings: RandomAccessCollection {
  /// The position of the first element.
  public var startIndex: Int { bytes.startIndex }
  /// The position after the last element.
  public var endIndex: Int { bytes.endIndex }
  /// The element at a position, with invalid UTF-8 repaired.
  public subscript(position: Int) -> String { String(decoding: bytes[position], as: UTF8.self) }
}

extension Strings: ExpressibleByArrayLiteral {
  /// Creates strings from text.
  public init(arrayLiteral elements: String...) { self.init(elements) }
}

extension Strings: LayerValueConvertible {
  /// The strings.
  public var layerValue: LayerValue { .strings(self) }
}
