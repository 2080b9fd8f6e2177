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
  /// Returns the layer value of an array of values.
  static func layerValue(of elements: [Self]) -> LayerValue
}

extension LayerValueConvertible {
  /// Returns the values as one array of numbers if they have the same shape, otherwise as a list.
  public static func layerValue(of elements: [Self]) -> LayerValue {
    LayerValue.layerValue(of: elements.map(\.layerValue))
  }
}

/// The former name of a protocol that ``LayerValueConvertible`` includes.
@available(*, deprecated, renamed: "LayerValueConvertible")
public typealias LayerValueElement = LayerValueConvertible

extension LayerValue: LayerValueConvertible {
  /// The value itself.
  public var layerValue: LayerValue { self }

  /// Returns the elements as one array of numbers if they have the same shape, otherwise as a list.
  public static func layerValue(of elements: [LayerValue]) -> LayerValue {
    Numbers(stacking: elements).map(LayerValue.numbers) ?? .list(elements)
  }
}

extension Array: LayerValueConvertible, ModelInputConvertible
where Element: LayerValueConvertible {
  /// The elements, in order.
  public var layerValue: LayerValue { Element.layerValue(of: self) }
}

extension Float: LayerValueConvertible {
  /// The number.
  public var layerValue: LayerValue { .numbers(Numbers(.floats([self]), shape: [])) }
  /// Returns the numbers, in order.
  public static func layerValue(of elements: [Float]) -> LayerValue {
    .numbers(Numbers(.floats(elements)))
  }
}

extension Double: LayerValueConvertible {
  /// The number.
  public var layerValue: LayerValue { .numbers(Numbers(.doubles([self]), shape: [])) }
  /// Returns the numbers, in order.
  public static func layerValue(of elements: [Double]) -> LayerValue {
    .numbers(Numbers(.doubles(elements)))
  }
}

extension Bool: LayerValueConvertible {
  /// The Boolean value.
  public var layerValue: LayerValue { .numbers(Numbers(.booleans([self]), shape: [])) }
  /// Returns the Boolean values, in order.
  public static func layerValue(of elements: [Bool]) -> LayerValue {
    .numbers(Numbers(.booleans(elements)))
  }
}

extension LayerValueConvertible where Self: FixedWidthInteger {
  /// The integer, clamped to `Int64`.
  public var layerValue: LayerValue {
    .numbers(Numbers(.integers([Int64(clamping: self)]), shape: []))
  }
  /// Returns the integers, in order, clamped to `Int64`.
  public static func layerValue(of elements: [Self]) -> LayerValue {
    .numbers(Numbers(.integers(elements.map { Int64(clamping: $0) })))
  }
}

extension Int: LayerValueConvertible {}
extension Int8: LayerValueConvertible {}
extension Int16: LayerValueConvertible {}
extension Int32: LayerValueConvertible {}
extension Int64: LayerValueConvertible {}
extension UInt8: LayerValueConvertible {}
extension UInt16: LayerValueConvertible {}
extension UInt32: LayerValueConvertible {}

extension String: LayerValueConvertible {
  /// The string.
  public var layerValue: LayerValue { .strings([self]) }
  /// Returns the strings, in order.
  public static func layerValue(of elements: [String]) -> LayerValue {
    .strings(Strings(elements))
  }
}

extension Data: LayerValueConvertible {
  /// The bytes: an encoded image, or memory in the tensor's own layout.
  public var layerValue: LayerValue { .bytes([UInt8](self)) }
}

extension ImageBuffer: LayerValueConvertible {
  /// The image.
  public var layerValue: LayerValue { .image(self) }
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
