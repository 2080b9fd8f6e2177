import CONNXFloor

/// ONNX Runtime's C API alone, in this process: the floor under every run of an ONNX model.
@safe final class ONNXFloor {
  private let handle: OpaquePointer

  /// Opens a model with one input and one output of floats, and runs it on the input once.
  init(library: String, model: String, input: [Float]) {
    unsafe handle = input.withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { preconditionFailure("an input has elements") }
      return unsafe onnx_floor_open(library, model, start, elements.count)
    }
  }

  deinit {
    unsafe onnx_floor_close(handle)
  }

  func writeRunRead(times: Int) { unsafe onnx_floor_write_run_read(handle, times) }

  /// The output of the last run.
  var output: [Float] {
    unsafe Array(
      UnsafeBufferPointer(
        start: onnx_floor_output(handle), count: onnx_floor_output_count(handle)))
  }
}
