public import TensorIOBundle
public import TensorIOImage

/// A type of an application that can be read from what comes out of a layer.
///
/// Numbers, arrays of them, texts, pictures and ``Classification`` conform. Make your own type
/// conform by building it from one of these:
///
///     extension Price: LayerValueReadable {
///       init(_ value: LayerValue) throws(ModelError) { self.init(dollars: try Double(value)) }
///     }
public protocol LayerValueReadable {
  /// Reads a value, or says that the layer holds something else.
  init(_ value: LayerValue) throws(ModelError)
}

extension LayerValue {
  /// The value as a type of the application's.
  public func value<Value: LayerValueReadable>(
    as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    try Value(self)
  }

  /// The error of a layer that does not hold what was asked for.
  func typeMismatch(expected: String) -> ModelError {
    ModelError(.output, .wrongType(expected: expected, actual: kindDescription))
  }

  /// The numbers of this value; the scores of a classification count as such.
  public var numbers: Numbers? {
    switch self {
    case .numbers(let numbers): numbers
    case .classification(let classification): Numbers(.floats(classification.scores))
    case .bytes, .strings, .image, .list: nil
    }
  }

  /// The one number of this value, when it is one.
  public var number: Double? {
    guard let numbers, numbers.count == 1 else { return nil }
    return numbers[0]
  }

  /// The picture that this value is, when it is one.
  public var image: ImageBuffer? {
    if case .image(let image) = self { image } else { nil }
  }

  /// The labels and scores that this value holds, when it does.
  public var classification: Classification? {
    if case .classification(let classification) = self { classification } else { nil }
  }
}

extension Double: LayerValueReadable {
  /// The one number of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let number = value.number else { throw value.typeMismatch(expected: "a number") }
    self = number
  }
}

extension Float: LayerValueReadable {
  /// The one number of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    self = Float(try Double(value))
  }
}

extension Int: LayerValueReadable {
  /// The one integer of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let integers = value.numbers?.integers, integers.count == 1,
      let integer = Int(exactly: integers[0])
    else { throw value.typeMismatch(expected: "an integer") }
    self = integer
  }
}

extension Bool: LayerValueReadable {
  /// The one truth value of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard case .numbers(let numbers) = value, case .booleans(let flags) = numbers.elements,
      flags.count == 1
    else { throw value.typeMismatch(expected: "a truth value") }
    self = flags[0]
  }
}

extension String: LayerValueReadable {
  /// The one text of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    let texts = try String.elements(of: value)
    guard texts.count == 1 else { throw value.typeMismatch(expected: "a text") }
    self = texts[0]
  }
}

extension Array: LayerValueReadable where Element: LayerValueReadableElement {
  /// All numbers of a layer, in row-major order.
  public init(_ value: LayerValue) throws(ModelError) {
    guard case .list(let items) = value else {
      self = try Element.elements(of: value)
      return
    }
    self = []
    for item in items { self += try Element.elements(of: item) }
  }
}

/// A type whose arrays can be read from a layer.
public protocol LayerValueReadableElement {
  /// The elements of a layer, in row-major order.
  static func elements(of value: LayerValue) throws(ModelError) -> [Self]
}

extension Array: LayerValueReadableElement where Element: LayerValueReadableElement {
  /// The rows of a layer: `[[Float]]` reads a matrix, `[[[Float]]]` a volume.
  public static func elements(of value: LayerValue) throws(ModelError) -> [[Element]] {
    guard let numbers = value.numbers, numbers.shape.count > 1 else {
      throw value.typeMismatch(expected: "rows of numbers")
    }
    var rows: [[Element]] = []
    for row in numbers.rows { rows.append(try Element.elements(of: .numbers(row))) }
    return rows
  }
}

extension Float: LayerValueReadableElement {
  /// The numbers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Float] {
    guard let numbers = value.numbers else { throw value.typeMismatch(expected: "numbers") }
    return numbers.floats
  }
}

extension Double: LayerValueReadableElement {
  /// The numbers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Double] {
    guard let numbers = value.numbers else { throw value.typeMismatch(expected: "numbers") }
    return numbers.doubles
  }
}

extension Int64: LayerValueReadableElement {
  /// The integers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Int64] {
    guard let integers = value.numbers?.integers else { throw value.typeMismatch(expected: "integers") }
    return integers
  }
}

extension Int: LayerValueReadableElement {
  /// The integers of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Int] {
    try Int64.elements(of: value).map { Int(clamping: $0) }
  }
}

extension UInt8: LayerValueReadableElement {
  /// The bytes of a layer, or its integers when all are bytes.
  public static func elements(of value: LayerValue) throws(ModelError) -> [UInt8] {
    if case .bytes(let bytes) = value { return bytes }
    guard let integers = value.numbers?.integers else { throw value.typeMismatch(expected: "bytes") }
    let bytes = integers.compactMap { UInt8(exactly: $0) }
    guard bytes.count == integers.count else { throw value.typeMismatch(expected: "bytes") }
    return bytes
  }
}

extension Bool: LayerValueReadableElement {
  /// The truth values of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [Bool] {
    guard case .numbers(let numbers) = value, case .booleans(let flags) = numbers.elements
    else { throw value.typeMismatch(expected: "truth values") }
    return flags
  }
}

extension String: LayerValueReadableElement {
  /// The texts of a layer.
  public static func elements(of value: LayerValue) throws(ModelError) -> [String] {
    guard case .strings(let strings) = value else { throw value.typeMismatch(expected: "texts") }
    return strings.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension ImageBuffer: LayerValueReadable {
  /// The picture of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let image = value.image else { throw value.typeMismatch(expected: "a picture") }
    self = image
  }
}

extension Classification: LayerValueReadable {
  /// The labels and scores of a layer.
  public init(_ value: LayerValue) throws(ModelError) {
    guard let classification = value.classification else {
      throw value.typeMismatch(expected: "labels with scores")
    }
    self = classification
  }
}
