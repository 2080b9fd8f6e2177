public import TensorIOBundle
public import TensorIOCore

extension Array where Element: BitwiseCopyable {
  /// The elements' memory representation.
  public var rawBytes: [UInt8] {
    unsafe withUnsafeBytes { unsafe Array<UInt8>($0) }
  }
}

extension [UInt8] {
  /// Returns the bytes as elements of a type.
  public func values<Value: BitwiseCopyable>(of type: Value.Type) -> [Value] {
    let size = MemoryLayout<Value>.stride
    return unsafe withUnsafeBytes { bytes in
      (0..<count / size).map { index in
        unsafe bytes.loadUnaligned(fromByteOffset: index * size, as: type)
      }
    }
  }
}

extension Session {
  /// Fills an input with bytes, whose count must match.
  public func fill(_ input: Int, bytes: [UInt8]) throws(ModelError) {
    try fill(input) { (memory) throws(ModelError) in
      guard memory.byteCount == bytes.count else {
        throw ModelError(.input, .wrongByteCount(expected: memory.byteCount, actual: bytes.count))
      }
      unsafe memory.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
    }
  }

  /// Returns the bytes of an output.
  public func bytes(ofOutput index: Int = 0) throws(ModelError) -> [UInt8] {
    var result: [UInt8] = []
    try read(index) { (memory, _) throws(ModelError) in
      result = unsafe memory.withUnsafeBytes { unsafe Array($0) }
    }
    return result
  }
}
