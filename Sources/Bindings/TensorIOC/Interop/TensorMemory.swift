import CTensorIO
import TensorIOBundle
import TensorIOCore

/// A tensor in memory that does not move.
@safe final class TensorMemory {
  let shape: UnsafeMutablePointer<Int64>
  let bytes: UnsafeMutableRawBufferPointer
  let rank: Int
  let dtype: Int32
  let strings: [CString]
  let stringByteCounts: [Int]

  init(_ tensor: Tensor) throws(ModelError) {
    rank = tensor.shape.count
    dtype = tensor.elementType.dtype
    unsafe shape = .allocate(capacity: max(1, rank))
    for (axis, count) in tensor.shape.enumerated() { unsafe shape[axis] = Int64(count) }
    if let strings = tensor.strings {
      self.strings = strings.map { CString($0) }
      stringByteCounts = strings.map(\.utf8.count)
      unsafe bytes = .allocate(byteCount: 0, alignment: 1)
      return
    }
    (strings, stringByteCounts) = ([], [])
    let memory = try unsafe tensor.withBytes { (span) throws(ModelError) in
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: span.byteCount, alignment: 64)
      unsafe span.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
      return unsafe Memory(bytes: memory)
    }
    unsafe bytes = memory.bytes
  }

  @unsafe private struct Memory {
    let bytes: UnsafeMutableRawBufferPointer
  }

  deinit {
    unsafe shape.deallocate()
    unsafe bytes.deallocate()
  }
}

extension TensorMemory {
  /// The tensor in the form of the header.
  var tensor: tio_tensor {
    let isString = dtype == ElementType.string.dtype
    return unsafe tio_tensor(
      dtype: dtype, rank: Int32(rank), shape: UnsafePointer(shape),
      data: isString ? nil : UnsafeRawPointer(bytes.baseAddress), byte_count: bytes.count)
  }
}
