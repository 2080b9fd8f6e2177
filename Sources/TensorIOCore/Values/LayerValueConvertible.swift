public import TensorIOImage

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type of an application whose values can go into a layer.
///
/// Numbers, arrays of numbers however nested, `Data`, texts and pictures conform. Make your own
/// type conform by saying which of these it stands for:
///
///     extension House: LayerValueConvertible {
///       var layerValue: LayerValue { [area, bedrooms, bathrooms].layerValue }
///     }
public protocol LayerValueConvertible: ModelInputConvertible {
  /// The value as layers understand it.
  var layerValue: LayerValue { get }
}

/// A type whose arrays can go into a layer.
public protocol LayerValueElement: LayerValueConvertible {
  /// The value that an array of such elements stands for.
  static func layerValue(of elements: [Self]) -> LayerValue
}

extension LayerValue: LayerValueElement {
  /// The value itself.
  public var layerValue: LayerValue { self }

  /// A list, joined into one array of numbers where its rows are alike.
  public static func layerValue(of elements: [LayerValue]) -> LayerValue {
    Numbers(stacking: elements).map(LayerValue.numbers) ?? .list(elements)
  }
}

extension Array: LayerValueConvertible, ModelInputConvertible where Element: LayerValueElement {
  /// The elements in order.
  public var layerValue: LayerValue { Element.layerValue(of: self) }
}

extension Array: LayerValueElement where Element: LayerValueElement {
  /// The rows, joined into one array of numbers where they are alike.
  public static func layerValue(of elements: [[Element]]) -> LayerValue {
    LayerValue.layerValue(of: elements.map(\.layerValue))
  }
}

extension Float: LayerValueElement {
  /// One number.
  public var layerValue: LayerValue { .numbers(Numbers(.floats([self]), shape: [])) }
  /// The numbers, in order.
  public static func layerValue(of elements: [Float]) -> LayerValue {
    .numbers(Numbers(.floats(elements)))
  }
}

extension Double: LayerValueElement {
  /// One number.
  public var layerValue: LayerValue { .numbers(Numbers(.doubles([self]), shape: [])) }
  /// The numbers, in order.
  public static func layerValue(of elements: [Double]) -> LayerValue {
    .numbers(Numbers(.doubles(elements)))
  }
}

extension Bool: LayerValueElement {
  /// One truth value.
  public var layerValue: LayerValue { .numbers(Numbers(.booleans([self]), shape: [])) }
  /// The truth values, in order.
  public static func layerValue(of elements: [Bool]) -> LayerValue {
    .numbers(Numbers(.booleans(elements)))
  }
}

extension LayerValueElement where Self: FixedWidthInteger {
  /// One integer.
  public var layerValue: LayerValue {
    .numbers(Numbers(.integers([Int64(clamping: self)]), shape: []))
  }
  /// The integers, in order.
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
  /// One text.
  public var layerValue: LayerValue { .strings([Array(utf8)]) }
  /// The texts, in order.
  public static func layerValue(of elements: [String]) -> LayerValue {
    .strings(elements.map { Array($0.utf8) })
  }
}

extension Data: LayerValueElement {
  /// The bytes.
  public var layerValue: LayerValue { .bytes([UInt8](self)) }
  /// The bytes of several inputs, in order.
  public static func layerValue(of elements: [Data]) -> LayerValue {
    .list(elements.map(\.layerValue))
  }
}

extension ImageBuffer: LayerValueElement {
  /// The picture.
  public var layerValue: LayerValue { .image(self) }
  /// The pictures of several inputs, or of one with a fixed batch, in order.
  public static func layerValue(of elements: [ImageBuffer]) -> LayerValue {
    .list(elements.map(\.layerValue))
  }
}

extension Numbers: LayerValueConvertible {
  /// The numbers.
  public var layerValue: LayerValue { .numbers(self) }

  /// The rows as one array, when all are numbers of one shape.
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
  /// All parts in a row, in the narrowest kind that holds each of them exactly.
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
