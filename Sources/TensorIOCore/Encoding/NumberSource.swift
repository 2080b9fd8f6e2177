/// A number as an application gives it, on its way to an element of a tensor.
protocol NumberSource {
  /// The number as a fraction of single precision.
  var single: Float { get }
  /// The number as a fraction of double precision.
  var double: Double { get }
  /// The number as an integer of a type, or `nil` when it is not exactly one.
  func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer?
  /// Whether the number is a fraction.
  var isFraction: Bool { get }
}

extension Float: NumberSource {
  var single: Float { self }
  var double: Double { Double(self) }
  func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }
  var isFraction: Bool { isFinite && rounded(.towardZero) != self }
}

extension Double: NumberSource {
  var single: Float { Float(self) }
  var double: Double { self }
  func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }
  var isFraction: Bool { isFinite && rounded(.towardZero) != self }
}

extension Int64: NumberSource {
  var single: Float { Float(self) }
  var double: Double { Double(self) }
  func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    Integer(exactly: self)
  }
  var isFraction: Bool { false }
}

extension Bool: NumberSource {
  var single: Float { self ? 1 : 0 }
  var double: Double { self ? 1 : 0 }
  func whole<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? { self ? 1 : 0 }
  var isFraction: Bool { false }
}
