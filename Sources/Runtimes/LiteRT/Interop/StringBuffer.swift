import CLiteRT
import TensorIOBundle

/// A tensor buffer of strings in host memory.
///
/// LiteRT does not allocate buffers for elements of varying length.
@safe final class StringBuffer {
  /// The capacity of an output in bytes.
  ///
  /// LiteRT reports an error if the strings do not fit. Pages that are never written use no memory.
  static let outputCapacity = 16 << 20
  /// The alignment that LiteRT requires of host memory.
  private static let alignment = 64
  /// The minimum size per element that LiteRT requires.
  private static let minBytesPerElement = 16

  let handle: LiteRtTensorBuffer
  private let memory: UnsafeMutableRawBufferPointer
  private let compiledModel: CompiledModel

  /// Creates a buffer with the given strings and at least `capacity` bytes.
  init(
    _ strings: [[UInt8]], _ layout: LiteRtLayout, capacity: Int = 0, of compiled: CompiledModel
  ) throws(ModelError) {
    guard let byteCount = PackedStrings.byteCount(of: strings) else {
      throw ModelError(
        .input,
        .unsupported("a string tensor of more than \(PackedStrings.maxByteCount) bytes"))
    }
    let minByteCount = Self.minBytesPerElement * (strings.count + 1)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(byteCount, minByteCount, capacity), alignment: Self.alignment)
    unsafe PackedStrings.pack(strings, into: memory)
    do throws(ModelError) {
      unsafe handle = try Self.makeHandle(memory, layout, of: compiled)
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    unsafe self.memory = memory
    self.compiledModel = compiled
  }

  deinit {
    unsafe compiledModel.functions.pointee.LiteRtDestroyTensorBuffer(handle)
    unsafe memory.deallocate()
  }

  private static func makeHandle(
    _ memory: UnsafeMutableRawBufferPointer, _ layout: LiteRtLayout, of compiled: CompiledModel
  ) throws(ModelError) -> LiteRtTensorBuffer {
    guard let start = memory.baseAddress else { preconditionFailure("the memory is empty") }
    var type = LiteRtRankedTensorType(element_type: ElementType.string.liteRTCode, layout: layout)
    return try unsafe compiled.graph.outputHandle(
      "LiteRtCreateTensorBufferFromHostMemory"
    ) { buffer in
      unsafe compiled.functions.pointee.LiteRtCreateTensorBufferFromHostMemory(
        &type, start, memory.count, nil, &buffer)
    }
  }

  /// Returns the strings in the buffer.
  func strings() throws(ModelError) -> [[UInt8]] {
    guard let strings = unsafe PackedStrings.unpack(UnsafeRawBufferPointer(memory)) else {
      throw ModelError(
        .output, .failed("the runtime returned strings with invalid offsets"))
    }
    return strings
  }
}

/// TensorFlow Lite's encoding of a string tensor: the count, the offset of each string and of the
/// end as 32-bit integers, and the bytes.
enum PackedStrings {
  /// The maximum size of an encoded tensor.
  static let maxByteCount = 1 << 30
  private static let wordSize = MemoryLayout<Int32>.size

  /// Returns the encoded size of the strings, or `nil` if it exceeds the limit.
  static func byteCount(of strings: [[UInt8]]) -> Int? {
    let count = strings.reduce(wordSize * (strings.count + 2)) { $0 + $1.count }
    return count <= maxByteCount ? count : nil
  }

  /// Encodes strings to memory of at least `byteCount(of:)` bytes.
  static func pack(_ strings: [[UInt8]], into memory: UnsafeMutableRawBufferPointer) {
    var offset = wordSize * (strings.count + 2)
    unsafe store(strings.count, at: 0, in: memory)
    unsafe store(offset, at: 1, in: memory)
    for (index, string) in strings.enumerated() {
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + string.count])
        .copyBytes(from: string)
      offset += string.count
      unsafe store(offset, at: index + 2, in: memory)
    }
  }

  private static func store(
    _ number: Int, at index: Int, in memory: UnsafeMutableRawBufferPointer
  ) {
    unsafe memory.storeBytes(
      of: Int32(clamping: number), toByteOffset: index * wordSize, as: Int32.self)
  }

  /// Decodes the strings in memory, or returns `nil` if an offset is out of bounds.
  static func unpack(_ memory: UnsafeRawBufferPointer) -> [[UInt8]]? {
    guard let count = unsafe integer(at: 0, in: memory), count >= 0,
      count <= memory.count / wordSize - 2, var start = unsafe integer(at: 1, in: memory)
    else { return nil }
    var strings: [[UInt8]] = []
    strings.reserveCapacity(count)
    for index in 0..<count {
      guard let end = unsafe integer(at: index + 2, in: memory), start >= 0, start <= end,
        end <= memory.count
      else { return nil }
      unsafe strings.append(Array(memory[start..<end]))
      start = end
    }
    return strings
  }

  private static func integer(at index: Int, in memory: UnsafeRawBufferPointer) -> Int? {
    guard (index + 1) * wordSize <= memory.count else { return nil }
    return unsafe Int(memory.loadUnaligned(fromByteOffset: index * wordSize, as: Int32.self))
  }
}
