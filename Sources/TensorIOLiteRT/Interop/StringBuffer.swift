internal import CLiteRT
internal import TensorIOCore

/// A buffer of strings in memory of ours: LiteRT allocates none for elements that differ in
/// length.
@safe final class StringBuffer {
  /// The most bytes that an output of strings may have.
  ///
  /// Pages that nothing is written to cost nothing, and the runtime refuses to write more.
  static let outputByteCount = 16 << 20
  /// LiteRT takes memory at such addresses alone.
  private static let alignment = 64
  /// LiteRT refuses buffers that hold less than this for each element.
  private static let leastElementByteCount = 16

  let handle: LiteRtTensorBuffer
  private let memory: UnsafeMutableRawBufferPointer
  private let compiled: CompiledGraph

  /// A buffer that holds strings, with room for others where that is asked for.
  init(
    _ strings: [[UInt8]], _ layout: LiteRtLayout, room: Int = 0, of compiled: CompiledGraph
  ) throws(ModelError) {
    guard let byteCount = PackedStrings.byteCount(of: strings) else {
      throw ModelError(
        .input, .unsupported("a tensor with more than \(PackedStrings.byteLimit) bytes of text"))
    }
    let least = Self.leastElementByteCount * (strings.count + 1)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(byteCount, least, room), alignment: Self.alignment)
    unsafe PackedStrings.pack(strings, into: memory)
    do throws(ModelError) {
      unsafe handle = try Self.handle(memory, layout, of: compiled)
    } catch {
      unsafe memory.deallocate()
      throw error
    }
    unsafe self.memory = memory
    self.compiled = compiled
  }

  deinit {
    unsafe compiled.functions.pointee.LiteRtDestroyTensorBuffer(handle)
    unsafe memory.deallocate()
  }

  private static func handle(
    _ memory: UnsafeMutableRawBufferPointer, _ layout: LiteRtLayout, of compiled: CompiledGraph
  ) throws(ModelError) -> LiteRtTensorBuffer {
    guard let start = memory.baseAddress else { preconditionFailure("the memory is empty") }
    var type = LiteRtRankedTensorType(element_type: ElementType.string.liteRT, layout: layout)
    return try unsafe compiled.graph.reference(
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
