import TensorIOBundle

/// The elements of a tensor, in an array of their own type.
enum TensorStorage: Sendable, Hashable {
  case float32([Float])
  case float16([HalfFloat])
  case float64([Double])
  case uint8([UInt8])
  case int8([Int8])
  case int16([Int16])
  case int32([Int32])
  case int64([Int64])
  case bool([Bool])
  case string(Strings)

  /// Stores an array without copying it.
  init<Element: TensorElement>(_ elements: [Element]) {
    guard let storage = Element.elementType.visit(Storing(elements: elements)) ?? nil else {
      preconditionFailure("\(Element.self) cannot be the element of a tensor")
    }
    self = storage
  }

  /// Copies elements from memory, which is large enough and whose type has a fixed size.
  init(_ memory: RawSpan, _ elementType: ElementType, count: Int) {
    self = elementType.swiftType?.storage(in: memory, count: count) ?? .string([])
  }

  /// Calls a visitor with the array.
  ///
  /// - Parameter visitor: The visitor, which is specialized for each type.
  /// - Returns: The result of the visitor; `nil` for strings.
  @inline(__always)
  func visit<Visitor: TensorStorageVisitor>(_ visitor: Visitor) -> Visitor.Result? {
    switch self {
    case .float32(let values): visitor.visit(values)
    case .float16(let values): visitor.visit(values)
    case .float64(let values): visitor.visit(values)
    case .uint8(let values): visitor.visit(values)
    case .int8(let values): visitor.visit(values)
    case .int16(let values): visitor.visit(values)
    case .int32(let values): visitor.visit(values)
    case .int64(let values): visitor.visit(values)
    case .bool(let values): visitor.visit(values)
    case .string: nil
    }
  }
}

/// A function that is generic over the elements of a tensor.
protocol TensorStorageVisitor {
  /// The result of the function.
  associatedtype Result
  /// Calls the function with the elements.
  func visit<Element: TensorNumber>(_ elements: [Element]) -> Result
}

extension TensorNumber {
  fileprivate static func storage(in memory: RawSpan, count: Int) -> TensorStorage {
    storage(of: elements(in: memory, count: count))
  }
}

extension Array {
  /// Returns the array itself, if it has elements of a type.
  ///
  /// A cast of an array casts each element; a cast of `Any` that contains the array does not.
  fileprivate func cast<Other>(to type: Other.Type) -> [Other]? {
    let array: Any = self
    return array as? [Other]
  }
}

private struct Storing<Source: TensorElement>: ElementVisitor {
  let elements: [Source]

  func visit<Element: TensorNumber>(_ type: Element.Type) -> TensorStorage? {
    elements.cast(to: type).map(Element.storage(of:))
  }
}

extension TensorStorage {
  private struct ElementTypeVisitor: TensorStorageVisitor {
    func visit<Element: TensorNumber>(_ elements: [Element]) -> ElementType { Element.elementType }
  }

  /// The type of the elements.
  var elementType: ElementType { visit(ElementTypeVisitor()) ?? .string }

  private struct CountVisitor: TensorStorageVisitor {
    func visit<Element: TensorNumber>(_ elements: [Element]) -> Int { elements.count }
  }

  /// The number of elements.
  var count: Int {
    if case .string(let strings) = self { return strings.count }
    return visit(CountVisitor()) ?? 0
  }

  private struct CastVisitor<Target>: TensorStorageVisitor {
    func visit<Element: TensorNumber>(_ elements: [Element]) -> [Target]? {
      elements.cast(to: Target.self)
    }
  }

  /// Returns the array without copying it, if it has elements of a type.
  func array<Element: TensorElement>(of type: Element.Type) -> [Element]? {
    guard elementType == Element.elementType else { return nil }
    return visit(CastVisitor<Element>()) ?? nil
  }

  private struct NumberVisitor: TensorStorageVisitor {
    let index: Int
    func visit<Element: TensorNumber>(_ elements: [Element]) -> Double { elements[index].float64 }
  }

  /// The element at a row-major index, converted to `Double`; 0 for a string.
  subscript(index: Int) -> Double { visit(NumberVisitor(index: index)) ?? 0 }

  private struct NumbersVisitor: TensorStorageVisitor {
    func visit<Element: TensorNumber>(_ elements: [Element]) -> Numbers.Elements {
      Element.numbers(elements)
    }
  }

  /// The elements as numbers, in the narrowest type that represents them exactly.
  var elements: Numbers.Elements { visit(NumbersVisitor()) ?? .integers([]) }

  private struct FloatsVisitor: TensorStorageVisitor {
    func visit<Element: TensorNumber>(_ elements: [Element]) -> [Float] { Element.floats(elements) }
  }

  /// All elements as `Float`.
  var floats: [Float] { visit(FloatsVisitor()) ?? [] }

  private struct DequantizingVisitor: TensorStorageVisitor {
    let quantization: QuantizationTransform
    func visit<Element: TensorNumber>(_ elements: [Element]) -> [Float] {
      elements.map { quantization.dequantize($0.float32) }
    }
  }

  /// Returns the numbers that quantized elements represent.
  func dequantized(by quantization: QuantizationTransform) -> [Float] {
    visit(DequantizingVisitor(quantization: quantization)) ?? []
  }

  private struct SliceVisitor: TensorStorageVisitor {
    let range: Range<Int>
    func visit<Element: TensorNumber>(_ elements: [Element]) -> TensorStorage {
      Element.storage(of: Array(elements[range]))
    }
  }

  /// Returns the elements in a range.
  func slice(_ range: Range<Int>) -> TensorStorage {
    if case .string(let strings) = self {
      return .string(Strings(bytes: Array(strings.bytes[range])))
    }
    return visit(SliceVisitor(range: range)) ?? self
  }
}

extension Numbers.Elements {
  /// The elements as the storage of a tensor, without copying them.
  var storage: TensorStorage {
    switch self {
    case .floats(let values): .float32(values)
    case .doubles(let values): .float64(values)
    case .integers(let values): .int64(values)
    case .booleans(let values): .bool(values)
    }
  }
}
