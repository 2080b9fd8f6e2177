import CLiteRT
import TensorIOBundle

/// A buffer of strings in memory of ours: LiteRT allocates none for elements that differ in
/// length.
@safe final class StringBuffer {
  /// The most bytes that an output of strings may have.
  ///
  /// Pages that nothing is written to cost nothing, and the runtime refuses to write more.
  static let outputCapacity = 16 << 20
  /// LiteRT takes memory at such addresses alone.
  private static let alignment = 64
  /// LiteRT refuses buffers that hold less than this for each element.
  private static let minBytesPerElement = 16

  let makeHandle: LiteRtTensorBuffer
  private let memory: UnsafeMutableRawBufferPointer
  private let compiledModel: CompiledModel

  /// A buffer that holds strings, with room for others where that is asked for.
  init(
    _ strings: [[UInt8]], _ layout: LiteRtLayout, capacity: Int = 0, of compiled: CompiledModel
  ) throws(ModelError) {
    guard let byteCount = PackedStrings.byteCount(of: strings) else {
      throw ModelError(
        .input, .unsupported("a tensor with more than \(PackedStrings.maxByteCount) bytes of text"))
    }
    let least = Self.minBytesPerElement * (strings.count + 1)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(byteCount, least, capacity), alignment: Self.alignment)
    unsafe PackedStrings.pack(strings, into: memory)
    do throws(ModelError) {
      unsafe makeHandle = try Self.makeHandle(memory, layout, of: compiled)
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    unsafe self.memory = memory
    self.compiledModel = compiled
  }

  deinit {
    unsafe compiledModel.functions.pointee.LiteRtDestroyTensorBuffer(makeHandle)
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

  /// The strings that the buffer holds.
  func strings() throws(ModelError) -> [[UInt8]] {
    guard let strings = unsafe PackedStrings.unpack(UnsafeRawBufferPointer(memory)) else {
      throw ModelError(
        .output, .failed("the runtime gave strings that lie outside of their tensor"))
    }
    return strings
  }
}

/// Strings as TensorFlow Lite packs them into one tensor: how many there are, where each begins
/// and the last ends, and their bytes, with all numbers in four bytes.
enum PackedStrings {
  /// More bytes than this are not packed into one tensor.
  static let maxByteCount = 1 << 30
  private static let wordSize = MemoryLayout<Int32>.size

  /// How many bytes strings take when they are packed; `nil` when those are too many.
  static func byteCount(of strings: [[UInt8]]) -> Int? {
    let count = strings.reduce(wordSize * (strings.count + 2)) { $0 + $1.count }
    return count <= maxByteCount ? count : nil
  }

  /// Packs strings into memory that holds them.
  static func pack(_ strings: [[UInt8]], into memory: UnsafeMutableRawBufferPointer) {
    var place = wordSize * (strings.count + 2)
    unsafe store(strings.count, at: 0, in: memory)
    unsafe store(place, at: 1, in: memory)
    for (index, string) in strings.enumerated() {
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + string.count])
        .copyBytes(from: string)
      place += string.count
      unsafe store(place, at: index + 2, in: memory)
    }
  }

  private static func store(
    _ number: Int, at index: Int, in memory: UnsafeMutableRawBufferPointer
  ) {
    unsafe memory.storeBytes(
      of: Int32(clamping: number), toByteOffset: index * wordSize, as: Int32.self)
  }

  /// The strings in memory, or `nil` when the numbers in it lead out of it.
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
