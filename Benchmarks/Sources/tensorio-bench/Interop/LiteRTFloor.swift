import CLiteRTFloor

/// LiteRT's C API alone, in this process: the floor under every run.
@safe final class LiteRTFloor {
  private let handle: OpaquePointer

  /// Opens a model of one input and one output, and runs it on the input once.
  init<Element: BitwiseCopyable>(model: String, threads: Int = 1, input: [Element]) {
    unsafe handle = input.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("an input has elements") }
      return unsafe litert_floor_open(model, Int32(threads), start, bytes.count)
    }
  }

  deinit {
    unsafe litert_floor_close(handle)
  }

  func invoke(times: Int) { unsafe litert_floor_invoke(handle, times) }

  func writeInvokeRead(times: Int) { unsafe litert_floor_write_invoke_read(handle, times) }

  /// What came out of the last run that was read.
  func output<Element: BitwiseCopyable>(as type: Element.Type) -> [Element] {
    let bytes = unsafe UnsafeRawBufferPointer(
      start: litert_floor_output(handle), count: litert_floor_output_size(handle))
    return unsafe Array(bytes.bindMemory(to: type))
  }
}
