package import TensorIOBundle

/// An element of a tensor that is a number or can be read as one: any but a string.
///
/// To add an element type, make its Swift type conform, and add it to
/// ``TensorIOBundle/ElementType/visit(_:)`` and to ``TensorStorage``.
protocol TensorNumber: TensorElement, CustomStringConvertible {
  /// The range of an integer type; `nil` for other types.
  static var integerRange: ClosedRange<Double>? { get }
  /// Returns a copy of elements in memory, which is large enough.
  static func elements(in memory: RawSpan, count: Int) -> [Self]
  /// Returns an array as the storage of a tensor, without copying it.
  static func storage(of elements: [Self]) -> TensorStorage
  /// Returns the elements as numbers, in the narrowest type that represents them exactly.
  static func numbers(_ elements: [Self]) -> Numbers.Elements
  /// Returns the elements in single precision.
  static func floats(_ elements: [Self]) -> [Float]

  /// The number in single precision.
  var float32: Float { get }
  /// The number in double precision.
  var float64: Double { get }
  /// Returns the number as an integer type; `nil` if it is not exactly representable.
  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer?
  /// Whether the number has a fractional part.
  var hasFraction: Bool { get }
}

extension TensorNumber {
  static var integerRange: ClosedRange<Double>? { nil }

  static func elements(in memory: RawSpan, count: Int) -> [Self] {
    memory.array(of: Self.self, count: count)
  }

  static func floats(_ elements: [Self]) -> [Float] { elements.map(\.float32) }
}

extension TensorNumber where Self: FixedWidthInteger {
  static var integerRange: ClosedRange<Double>? { Double(Self.min)...Double(Self.max) }

  static func numbers(_ elements: [Self]) -> Numbers.Elements {
    .integers(elements.map { Int64(truncatingIfNeeded: $0) })
  }

  var float32: Float { Float(self) }
  var float64: Double { Double(self) }

  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }

  var hasFraction: Bool { false }
}

extension TensorNumber where Self: BinaryFloatingPoint {
  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }

  var hasFraction: Bool { isFinite && rounded(.towardZero) != self }
}

extension Float: TensorNumber {
  static func storage(of elements: [Float]) -> TensorStorage { .float32(elements) }
  static func numbers(_ elements: [Float]) -> Numbers.Elements { .floats(elements) }
  static func floats(_ elements: [Float]) -> [Float] { elements }
  var float32: Float { self }
  var float64: Double { Double(self) }
}

extension Double: TensorNumber {
  static func storage(of elements: [Double]) -> TensorStorage { .float64(elements) }
  static func numbers(_ elements: [Double]) -> Numbers.Elements { .doubles(elements) }
  var float32: Float { Float(self) }
  var float64: Double { self }
}

extension UInt8: TensorNumber {
  static func storage(of elements: [UInt8]) -> TensorStorage { .uint8(elements) }
}

extension Int8: TensorNumber {
  static func storage(of elements: [Int8]) -> TensorStorage { .int8(elements) }
}

extension Int16: TensorNumber {
  static func storage(of elements: [Int16]) -> TensorStorage { .int16(elements) }
}

extension Int32: TensorNumber {
  static func storage(of elements: [Int32]) -> TensorStorage { .int32(elements) }
}

extension Int64: TensorNumber {
  static func storage(of elements: [Int64]) -> TensorStorage { .int64(elements) }
  static func numbers(_ elements: [Int64]) -> Numbers.Elements { .integers(elements) }
}

extension Bool: TensorNumber {
  static func elements(in memory: RawSpan, count: Int) -> [Bool] {
    memory.map(UInt8.self, count: count) { $0 != 0 }
  }

  static func storage(of elements: [Bool]) -> TensorStorage { .bool(elements) }
  static func numbers(_ elements: [Bool]) -> Numbers.Elements { .booleans(elements) }
  var float32: Float { self ? 1 : 0 }
  var float64: Double { self ? 1 : 0 }

  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    self ? 1 : 0
  }

  var hasFraction: Bool { false }
}

extension HalfFloat: TensorNumber {
  package static var elementType: ElementType { .float16 }
  static func storage(of elements: [HalfFloat]) -> TensorStorage { .float16(elements) }

  static func numbers(_ elements: [HalfFloat]) -> Numbers.Elements {
    .floats(elements.map(\.float32))
  }

  var float32: Float { Self.value(of: bits) }
  var float64: Double { Double(float32) }

  func exactInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: float32)
  }

  var hasFraction: Bool { float32.hasFraction }
  package var description: String { "\(float64)" }
}
