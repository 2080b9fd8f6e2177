package import TensorIOBundle

extension TensorStorage {
  /// Copies all elements in bytes.
  init(_ memory: [UInt8], _ elementType: ElementType) {
    self.init(
      unsafe memory.span.bytes, elementType, count: memory.count / (elementType.byteCount ?? 1))
  }

  /// Calls `body` with the memory of the array.
  func withBytes<Value>(
    _ body: (RawSpan) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    switch self {
    case .float32(let values): try body(unsafe values.span.bytes)
    case .float16(let values): try body(unsafe values.span.bytes)
    case .float64(let values): try body(unsafe values.span.bytes)
    case .uint8(let values): try body(unsafe values.span.bytes)
    case .int8(let values): try body(unsafe values.span.bytes)
    case .int16(let values): try body(unsafe values.span.bytes)
    case .int32(let values): try body(unsafe values.span.bytes)
    case .int64(let values): try body(unsafe values.span.bytes)
    case .bool(let values): try body(unsafe values.span.bytes)
    case .string:
      throw ModelError(.output, .wrongType(expected: "a type of fixed size", actual: "string"))
    }
  }
}

extension Tensor {
  /// Creates a tensor from a copy of memory in the layout of the element type, at any address.
  ///
  /// - Parameters:
  ///   - memory: The elements, in row-major order.
  ///   - elementType: The type of the elements.
  ///   - shape: The dimensions.
  /// - Throws: A ``ModelError`` if the shape does not match the memory, or for strings.
  package init(
    memory: RawSpan, elementType: ElementType, shape: [Int]
  ) throws(ModelError) {
    guard let size = elementType.byteCount else {
      throw ModelError(.input, .wrongType(expected: "a type of fixed size", actual: "string"))
    }
    let expected = shape.allSatisfy { $0 >= 0 } ? (shape + [size]).checkedProduct : nil
    guard expected == memory.byteCount else {
      throw ModelError(
        .input, .wrongByteCount(expected: expected ?? .max, actual: memory.byteCount))
    }
    self.init(
      TensorStorage(memory, elementType, count: memory.byteCount / size), shape: shape)
  }

  /// Creates a tensor from a copy of bytes in the layout of the element type.
  ///
  /// - Throws: A ``ModelError`` if the shape does not match the bytes, or for strings.
  package init(
    memory: ArraySlice<UInt8>, elementType: ElementType, shape: [Int]
  ) throws(ModelError) {
    try self.init(memory: unsafe memory.span.bytes, elementType: elementType, shape: shape)
  }
}

extension MutableRawSpan {
  /// Copies elements to the start of the memory; returns false if they are strings or the memory is
  /// too small.
  mutating func copy(_ storage: TensorStorage, _ elementType: ElementType) -> Bool {
    guard let size = elementType.byteCount, storage.count <= byteCount / size else { return false }
    return unsafe withUnsafeMutableBytes { memory in
      unsafe storage.visit(CopyingVisitor(memory: memory)) != nil
    }
  }
}

@safe private struct CopyingVisitor: TensorStorageVisitor {
  let memory: UnsafeMutableRawBufferPointer

  func visit<Element: TensorNumber>(_ elements: [Element]) {
    unsafe elements.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
  }
}

extension RawSpan {
  /// Calls `body` with the first elements; the memory has to be aligned and large enough.
  func withElements<Element: BitwiseCopyable, Value>(
    of type: Element.Type, count: Int,
    _ body: (Span<Element>) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    try unsafe withUnsafeBytes { (bytes) throws(ModelError) in
      let elements = unsafe bytes.bindMemory(to: type)
      return try body(
        unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: elements[..<count])))
    }
  }
}
