public import TensorIOBundle

/// A Swift type whose values are the elements of a ``Tensor``.
///
/// `Float`, `Double`, `Bool`, `UInt8`, `Int8`, `Int16`, `Int32` and `Int64` conform. Other types
/// cannot be elements; do not make them conform.
public protocol TensorElement: BitwiseCopyable, Hashable, Sendable {
  /// The element type of tensors with these elements.
  static var elementType: ElementType { get }
}

extension Float: TensorElement {
  /// The element type `float32`.
  public static var elementType: ElementType { .float32 }
}

extension Double: TensorElement {
  /// The element type `float64`.
  public static var elementType: ElementType { .float64 }
}

extension Bool: TensorElement {
  /// The element type `bool`.
  public static var elementType: ElementType { .bool }
}

extension UInt8: TensorElement {
  /// The element type `uint8`.
  public static var elementType: ElementType { .uint8 }
}

extension Int8: TensorElement {
  /// The element type `int8`.
  public static var elementType: ElementType { .int8 }
}

extension Int16: TensorElement {
  /// The element type `int16`.
  public static var elementType: ElementType { .int16 }
}

extension Int32: TensorElement {
  /// The element type `int32`.
  public static var elementType: ElementType { .int32 }
}

extension Int64: TensorElement {
  /// The element type `int64`.
  public static var elementType: ElementType { .int64 }
}
