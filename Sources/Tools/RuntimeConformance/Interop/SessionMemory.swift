import TensorIOBundle
import TensorIOCore

extension Session {
  /// Writes a tensor to an input, whose memory has to have its size.
  func fill(_ input: Int, with tensor: Tensor) throws(ModelError) {
    if let strings = tensor.strings { return try fill(input, strings: strings.bytes) }
    try tensor.withBytes { (source) throws(ModelError) in
      try fill(input) { (memory) throws(ModelError) in
        guard memory.byteCount == source.byteCount else {
          throw ModelError(
            .input, .wrongByteCount(expected: source.byteCount, actual: memory.byteCount))
        }
        unsafe memory.withUnsafeMutableBytes { target in
          unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
      }
    }
  }

  /// Returns an output.
  ///
  /// - Throws: A ``ModelError`` if the memory is smaller than the shape.
  func tensor(_ output: Int, _ elementType: ElementType) throws(ModelError) -> Tensor {
    guard elementType != .string else {
      return Tensor(Strings(bytes: try readStrings(output)))
    }
    var tensor: Tensor?
    try read(output) { (memory, shape) throws(ModelError) in
      tensor = try memory.tensor(elementType, shape: shape)
    }
    guard let tensor else {
      throw ModelError(.output, .failed("the session did not call the closure of 'read'"))
    }
    return tensor
  }
}

extension OutputReader {
  /// Returns an output, read in the memory of the runtime.
  borrowing func tensor(_ name: String) throws(ModelError) -> Tensor {
    try withBytes(of: name) { (memory, elementType, shape) throws(ModelError) in
      try memory.tensor(elementType, shape: shape)
    }
  }
}

extension Tensor {
  /// Returns a tensor with the elements several times, for a batch of equal items.
  func repeated(_ count: Int) throws(ModelError) -> Tensor {
    try withBytes { (memory) throws(ModelError) in
      let bytes = unsafe memory.withUnsafeBytes { unsafe [UInt8]($0) }
      return try Tensor(
        bytes: Array(repeating: bytes, count: count).flatMap(\.self), elementType: elementType,
        shape: [count, self.count])
    }
  }
}

extension RawSpan {
  /// Returns the elements of a shape at the start of the memory.
  fileprivate func tensor(
    _ elementType: ElementType, shape: [Int]
  ) throws(ModelError) -> Tensor {
    let count =
      shape.allSatisfy { $0 >= 0 } ? (shape + [elementType.byteCount ?? 1]).checkedProduct : nil
    guard let count, count <= byteCount else {
      throw ModelError(.output, .wrongByteCount(expected: count ?? .max, actual: byteCount))
    }
    let bytes = unsafe withUnsafeBytes { unsafe [UInt8]($0[..<count]) }
    return try Tensor(bytes: bytes, elementType: elementType, shape: shape)
  }
}
