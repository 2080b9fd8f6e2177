import CLiteRTFloor

/// Training with LiteRT's C API alone, in this process: the floor under every training step.
@safe final class LiteRTTrainingFloor {
  private let handle: OpaquePointer
  private let pictures: UnsafeMutableBufferPointer<Float>
  private let labels: UnsafeMutableBufferPointer<Int32>

  /// Opens a model for one batch, which it is trained on again and again.
  init(model: String, threads: Int, pictures: [Float], shape: [Int], labels: [Int32]) {
    unsafe self.pictures = .allocate(capacity: pictures.count)
    unsafe self.labels = .allocate(capacity: labels.count)
    _ = unsafe self.pictures.initialize(fromContentsOf: pictures)
    _ = unsafe self.labels.initialize(fromContentsOf: labels)
    guard let first = unsafe self.pictures.baseAddress, let last = unsafe self.labels.baseAddress
    else { preconditionFailure("a batch has items") }
    unsafe handle = litert_training_open(
      model, Int32(threads), first, shape.map(Int32.init), shape.count, last)
  }

  deinit {
    unsafe litert_training_close(handle)
    unsafe pictures.deallocate()
    unsafe labels.deallocate()
  }

  /// Steps that copy the batch in and the loss out.
  func steps(times: Int) -> Float { unsafe litert_training_steps(handle, times) }
}
