import CResultRunner

/// TensorIO's library for C in this process: an encoded image in, the result as JSON out.
@safe final class ResultRunner {
  private let handle: OpaquePointer

  /// Opens a bundle or a bare model, to run it on an encoded image.
  init(model: String, library: String, image: [UInt8]) {
    let options = #"{"threads": 1, "libraries": {"tflite": "\#(library)"}}"#
    unsafe handle = image.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { preconditionFailure("an image has bytes") }
      return unsafe result_runner_open(model, options, start, bytes.count)
    }
  }

  deinit {
    unsafe result_runner_close(handle)
  }

  /// Runs the model a number of times; returns the number of bytes of the result as JSON.
  @discardableResult
  func run(times: Int) -> Int { unsafe result_runner_run(handle, times) }
}
