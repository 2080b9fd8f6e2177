import CTensorFlowFloor

/// TensorFlow's C API alone, in this process: the floor under every training step.
@safe final class TensorFlowFloor {
  private let handle: OpaquePointer
  private let pictures: UnsafeMutableBufferPointer<Float>
  private let labels: UnsafeMutableBufferPointer<Int32>

  /// Opens a SavedModel for one batch, which it is trained on again and again.
  init(model: String, threads: Int, pictures: [Float], shape: [Int], labels: [Int32]) {
    unsafe self.pictures = .allocate(capacity: pictures.count)
    unsafe self.labels = .allocate(capacity: labels.count)
    _ = unsafe self.pictures.initialize(fromContentsOf: pictures)
    _ = unsafe self.labels.initialize(fromContentsOf: labels)
    guard let first = unsafe self.pictures.baseAddress, let last = unsafe self.labels.baseAddress
    else { preconditionFailure("a batch has items") }
    unsafe handle = training_open(
      model, Int32(threads), first, shape.map(Int64.init), Int32(shape.count), last)
  }

  deinit {
    unsafe training_close(handle)
    unsafe pictures.deallocate()
    unsafe labels.deallocate()
  }

  /// Steps that compute the loss in the run that trains.
  func stepsWithLoss(times: Int) -> Float { unsafe training_steps_during(handle, times) }

  /// Steps that compute the loss in a separate run.
  func stepsThenLoss(times: Int) -> Float { unsafe training_steps_after(handle, times) }
}
