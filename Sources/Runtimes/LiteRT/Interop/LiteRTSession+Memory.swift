import TensorIOBundle

extension LiteRTSession {
  /// Copies memory into the only input, computes the outputs, and copies the only output.
  func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError) {
    try allocateIfNeeded()
    guard profiler == nil else {
      try unsafe buffers.copy(input)
      try invoke()
      return try unsafe buffers.copy(to: output)
    }
    hasRun = hasState
    try unsafe buffers.run(input, into: output)
  }
}
