package import TensorIOBundle

/// A function that is generic over the Swift type of a tensor's elements.
///
/// ```swift
/// struct Stride: ElementVisitor {
///   func visit<Element: TensorNumber>(_ type: Element.Type) -> Int { MemoryLayout<Element>.stride }
/// }
/// let stride = elementType.visit(Stride())
/// ```
protocol ElementVisitor {
  /// The result of the function.
  associatedtype Result
  /// The error of the function.
  associatedtype Failure: Error = Never
  /// Calls the function with a type.
  func visit<Element: TensorNumber>(_ type: Element.Type) throws(Failure) -> Result
}

extension ElementType {
  /// Calls a visitor with the Swift type of the elements.
  ///
  /// The visitor is specialized for each type.
  ///
  /// - Parameter visitor: The visitor.
  /// - Returns: The result of the visitor; `nil` for strings.
  /// - Throws: The error of the visitor.
  @inline(__always)
  func visit<Visitor: ElementVisitor>(
    _ visitor: Visitor
  ) throws(Visitor.Failure) -> Visitor.Result? {
    switch self {
    case .float32: try visitor.visit(Float.self)
    case .float16: try visitor.visit(HalfFloat.self)
    case .float64: try visitor.visit(Double.self)
    case .uint8: try visitor.visit(UInt8.self)
    case .int8: try visitor.visit(Int8.self)
    case .int16: try visitor.visit(Int16.self)
    case .int32: try visitor.visit(Int32.self)
    case .int64: try visitor.visit(Int64.self)
    case .bool: try visitor.visit(Bool.self)
    case .string: nil
    }
  }

  /// The Swift type of the elements, for code that need not be specialized; `nil` for strings.
  var swiftType: (any TensorNumber.Type)? { visit(SwiftType()) }

  /// The range of an integer type; `nil` for other types.
  package var integerRange: ClosedRange<Double>? { swiftType?.integerRange }
}

private struct SwiftType: ElementVisitor {
  func visit<Element: TensorNumber>(_ type: Element.Type) -> any TensorNumber.Type { type }
}
