public import TensorIOBundle
public import TensorIOImage

/// A type that can be created from the value of an output layer.
///
/// Numbers, arrays of numbers, strings, images and ``Classification`` conform. To make your own
/// type conform, create it from one of these:
///
/// ```swift
/// import TensorIO
///
/// struct Price: LayerValueReadable {
///   var dollars: Double
///   init(_ value: LayerValue) throws(ModelError) { dollars = try Double(value) }
/// }
/// ```
public protocol LayerValueReadable {
  /// Creates the value.
  ///
  /// - Throws: A ``ModelError`` of the stage `output` if the layer has another kind of value.
  init(_ value: LayerValue) throws(ModelError)

  /// Returns the values of a layer as an array, in row-major order.
  ///
  /// The default creates one value from the layer.
  ///
  /// - Throws: A ``ModelError`` of the stage `output` if the layer has another kind of value.
  static func elements(of value: LayerValue) throws(ModelError) -> [Self]
}

extension LayerValueReadable {
  /// Returns the value of a layer as an array with one element.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Self] {
    [try Self(value)]
  }
}

/// The former name of a protocol that ``LayerValueReadable`` includes.
@available(*, deprecated, renamed: "LayerValueReadable")
public typealias LayerValueReadableElement = LayerValueReadable

extension LayerValue {
  /// Returns the value converted to a type.
  ///
  ///     let price = try output["price"].value(as: Double.self)
  ///
  /// - Throws: A ``ModelError`` of the stage `output` if the layer has another kind of value.
  public func value<Value: LayerValueReadable>(
    as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    try Value(self)
  }

  /// Returns the error for a value of an unexpected type.
  func typeMismatch(expected: String) -> ModelError {
    ModelError(.output, .wrongType(expected: expected, actual: kindDescription))
  }

  /// The numbers of the value, or the scores of a classification; `nil` for other values.
  public var numbers: Numbers? {
    switch self {
    case .numbers(let numbers): numbers
    case .classification(let classification): Numbers(.floats(classification.scores))
    case .bytes, .strings, .tokens, .image, .audio, .list: nil
    }
  }

  /// The number, if the value is a single number.
  public var number: Double? {
    guard let numbers, numbers.count == 1 else { return nil }
    return numbers[0]
  }

  /// The image, if the value is an image.
  public var image: ImageBuffer? {
    if case .image(let image) = self { image } else { nil }
  }

  /// The labels and scores, if the value is a classification.
  public var classification: Classification? {
    if case .classification(let classification) = self { classification } else { nil }
  }
}

extension Double: LayerValueReadable {
  /// Reads a single number.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let number = value.number else { throw value.typeMismatch(expected: "a number") }
    self = number
  }

  /// Returns the numbers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Double] {
    guard let numbers = value.numbers else { throw value.typeMismatch(expected: "numbers") }
    return numbers.doubles
  }
}

extension Float: LayerValueReadable {
  /// Reads a single number.
  public init(_ value: LayerValue) throws(ModelError) {
    self = Float(try Double(value))
  }

  /// Returns the numbers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Float] {
    guard let numbers = value.numbers else { throw value.typeMismatch(expected: "numbers") }
    return numbers.floats
  }
}

extension Int: LayerValueReadable {
  /// Reads a single integer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let integer = Int(exactly: try Int64(value)) else {
      throw value.typeMismatch(expected: "an integer")
    }
    self = integer
  }

  /// Returns the integers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Int] {
    try Int64.elements(of: value).map { Int(clamping: $0) }
  }
}

extension Bool: LayerValueReadable {
  /// Reads a single Boolean value.
  public init(_ value: LayerValue) throws(ModelError) {
    guard case .numbers(let numbers) = value, case .booleans(let flags) = numbers.elements,
      flags.count == 1
    else { throw value.typeMismatch(expected: "a Boolean") }
    self = flags[0]
  }

  /// Returns the Boolean values of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Bool] {
    guard case .numbers(let numbers) = value, case .booleans(let flags) = numbers.elements
    else { throw value.typeMismatch(expected: "Booleans") }
    return flags
  }
}

extension String: LayerValueReadable {
  /// Reads a single string.
  public init(_ value: LayerValue) throws(ModelError) {
    let strings = try String.elements(of: value)
    guard strings.count == 1 else { throw value.typeMismatch(expected: "a string") }
    self = strings[0]
  }

  /// Returns the strings of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [String] {
    guard case .strings(let strings) = value else {
      throw value.typeMismatch(expected: "strings")
    }
    return Array(strings)
  }
}

extension Array: LayerValueReadable where Element: LayerValueReadable {
  /// Reads all elements, in row-major order.
  public init(_ value: LayerValue) throws(ModelError) {
    guard case .list(let items) = value else {
      self = try Element.elements(of: value)
      return
    }
    self = []
    for item in items { self += try Element.elements(of: item) }
  }

  /// Returns the rows of a layer: `[[Float]]` reads a matrix, `[[[Float]]]` a volume.
  public static func elements(of value: LayerValue) throws(ModelError) -> [[Element]] {
    guard let numbers = value.numbers, numbers.shape.count > 1 else {
      throw value.typeMismatch(expected: "rows of numbers")
    }
    var rows: [[Element]] = []
    for row in numbers.rows { rows.append(try Element.elements(of: .numbers(row))) }
    return rows
  }
}

extension Int64: LayerValueReadable {
  /// Reads a single integer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let integers = value.numbers?.integers, integers.count == 1 else {
      throw value.typeMismatch(expected: "an integer")
    }
    self = integers[0]
  }

  /// Returns the integers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Int64] {
    guard let integers = value.numbers?.integers else {
      throw value.typeMismatch(expected: "integers")
    }
    return integers
  }
}

extension UInt8: LayerValueReadable {
  /// Reads a single byte.
  public init(_ value: LayerValue) throws(ModelError) {
    let bytes = try UInt8.elements(of: value)
    guard bytes.count == 1 else { throw value.typeMismatch(expected: "a byte") }
    self = bytes[0]
  }

  /// Returns the bytes of a layer, or its integers if all are from 0 to 255.
  public static func elements(of value: LayerValue) throws(ModelError) -> [UInt8] {
    if case .bytes(let bytes) = value { return bytes }
    guard let integers = value.numbers?.integers else {
      throw value.typeMismatch(expected: "bytes")
    }
    let bytes = integers.compactMap { UInt8(exactly: $0) }
    guard bytes.count == integers.count else { throw value.typeMismatch(expected: "bytes") }
    return bytes
  }
}

extension ImageBuffer: LayerValueReadable {
  /// Reads an image.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let image = value.image else { throw value.typeMismatch(expected: "an image") }
    self = image
  }
}

extension Classification: LayerValueReadable {
  /// Reads the labels and scores of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let classification = value.classification else {
      throw value.typeMismatch(expected: "labels with scores")
    }
    self = classification
  }
}
