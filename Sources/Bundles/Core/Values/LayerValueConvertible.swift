public import TensorIOImage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type whose values can be passed to an input layer.
///
/// Numbers, nested arrays of numbers, `Data`, strings and images conform. To make your own type
/// conform, convert it to one of these:
///
/// ```swift
/// import TensorIO
///
/// struct House: LayerValueConvertible {
///   var area: Double
///   var bedrooms: Double
///   var layerValue: LayerValue { [area, bedrooms].layerValue }
/// }
/// ```
public protocol LayerValueConvertible: ModelInputConvertible {
  /// The value as a layer value.
  var layerValue: LayerValue { get }
}

/// A type whose arrays can be passed to an input layer.
public protocol LayerValueElement: LayerValueConvertible {
  /// Returns the layer value of an array of elements.
  static func layerValue(of elements: [Self]) -> LayerValue
}

extension LayerValue: LayerValueElement {
  /// The value itself.
  public var layerValue: LayerValue { self }

  /// Returns the elements as one array of numbers if they have the same shape, otherwise as a list.
  public static func layerValue(of elements: [LayerValue]) -> LayerValue {
    Numbers(stacking: elements).map(LayerValue.numbers) ?? .list(elements)
  }
}

extension Array: LayerValueConvertible, ModelInputConvertible where Element: LayerValueElement {
  /// The elements, in order.
  public var layerValue: LayerValue { Element.layerValue(of: self) }
}

extension Array: LayerValueElement where Element: LayerValueElement {
  /// Returns the rows as one array of numbers if they have the same shape, otherwise as a list.
  public static func layerValue(of elements: [[Element]]) -> LayerValue {
    LayerValue.layerValue(of: elements.map(\.layerValue))
  }
}

extension Float: LayerValueElement {
  /// The number.
  public var layerValue: LayerValue { .numbers(Numbers(.floats([self]), shape: [])) }
  /// Returns the numbers, in order.
  public static func layerValue(of elements: [Float]) -> LayerValue {
    .numbers(Numbers(.floats(elements)))
  }
}

extension Double: LayerValueElement {
  /// The number.
  public var layerValue: LayerValue { .numbers(Numbers(.doubles([self]), shape: [])) }
  /// Returns the numbers, in order.
  public static func layerValue(of elements: [Double]) -> LayerValue {
    .numbers(Numbers(.doubles(elements)))
  }
}

extension Bool: LayerValueElement {
  /// The Boolean value.
  public var layerValue: LayerValue { .numbers(Numbers(.booleans([self]), shape: [])) }
  /// Returns the Boolean values, in order.
  public static func layerValue(of elements: [Bool]) -> LayerValue {
    .numbers(Numbers(.booleans(elements)))
  }
}

extension LayerValueElement where Self: FixedWidthInteger {
  /// The integer, clamped to `Int64`.
  public var layerValue: LayerValue {
    .numbers(Numbers(.integers([Int64(clamping: self)]), shape: []))
  }
  /// Returns the integers, in order, clamped to `Int64`.
  public static func layerValue(of elements: [Self]) -> LayerValue {
    .numbers(Numbers(.integers(elements.map { Int64(clamping: $0) })))
  }
}

extension Int: LayerValueElement {}
extension Int8: LayerValueElement {}
extension Int16: LayerValueElement {}
extension Int32: LayerValueElement {}
extension Int64: LayerValueElement {}
extension UInt8: LayerValueElement {}
extension UInt16: LayerValueElement {}
extension UInt32: LayerValueElement {}

extension String: LayerValueElement {
  /// The string.
  public var layerValue: LayerValue { .strings([self]) }
  /// Returns the strings, in order.
  public static func layerValue(of elements: [String]) -> LayerValue {
    .strings(Strings(elements))
  }
}

extension Data: LayerValueElement {
  /// The bytes: an encoded image, or memory in the tensor's own layout.
  public var layerValue: LayerValue { .bytes([UInt8](self)) }
  /// Returns the bytes of several inputs or items, in order.
  public static func layerValue(of elements: [Data]) -> LayerValue {
    .list(elements.map(\.layerValue))
  }
}

extension ImageBuffer: LayerValueElement {
  /// The image.
  public var layerValue: LayerValue { .image(self) }
  /// Returns the images of several inputs, or of one with a fixed batch, in order.
  public static func layerValue(of elements: [ImageBuffer]) -> LayerValue {
    .list(elements.map(\.layerValue))
  }
}

extension Numbers: LayerValueConvertible {
  /// The numbers.
  public var layerValue: LayerValue { .numbers(self) }

  /// Creates an array of rows; `nil` unless all rows are numbers of the same shape.
  init?(stacking rows: [LayerValue]) {
    let parts = rows.compactMap { row -> Numbers? in
      if case .numbers(let numbers) = row { numbers } else { nil }
    }
    guard let first = parts.first, parts.count == rows.count else { return nil }
    guard parts.allSatisfy({ $0.shape == first.shape }) else { return nil }
    self.init(Elements(concatenating: parts.map(\.elements)), shape: [rows.count] + first.shape)
  }
}

extension Numbers.Elements {
  /// Creates the elements of all parts, in the narrowest type that represents them exactly.
  init(concatenating parts: [Numbers.Elements]) {
    let numbers = parts.map { Numbers($0) }
    if parts.allSatisfy(\.isBooleans) {
      self = .booleans(parts.flatMap(\.booleanValues))
    } else if parts.allSatisfy(\.isIntegers) {
      self = .integers(numbers.flatMap { $0.integers ?? [] })
    } else if parts.allSatisfy(\.isFloats) {
      self = .floats(numbers.flatMap(\.floats))
    } else {
      self = .doubles(numbers.flatMap(\.doubles))
    }
  }

  private var isFloats: Bool { if case .floats = self { true } else { false } }
  private var isIntegers: Bool { if case .integers = self { true } else { false } }
  private var isBooleans: Bool { if case .booleans = self { true } else { false } }
  private var booleanValues: [Bool] { if case .booleans(let values) = self { values } else { [] } }
}
