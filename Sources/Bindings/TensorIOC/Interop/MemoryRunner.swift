import CTensorIO
import TensorIOBundle
import TensorIOCore

/// Runs a model between memory of C code.
@safe final class MemoryRunner: @unchecked Sendable {  // immutable after initialization
  private let runner: TensorRunner
  private let info: ModelInfo
  /// The input, without data.
  let input: tio_tensor
  /// The output, without data.
  let output: tio_tensor

  /// Creates a runner; `nil` if a run needs more than copying two tensors.
  init?(_ model: Model) {
    guard let runner = model.tensorRunner else { return nil }
    (self.runner, info) = (runner, model.info)
    unsafe input = Self.tensor(runner.input)
    unsafe output = Self.tensor(runner.output)
  }

  deinit {
    unsafe input.shape?.deallocate()
    unsafe output.shape?.deallocate()
  }

  private static func tensor(_ slot: TensorRunner.Slot) -> tio_tensor {
    let shape = UnsafeMutablePointer<Int64>.allocate(capacity: max(1, slot.shape.count))
    for (axis, count) in slot.shape.enumerated() { unsafe shape[axis] = Int64(count) }
    return unsafe tio_tensor(
      dtype: slot.elementType.dtype, rank: Int32(slot.shape.count), shape: UnsafePointer(shape),
      data: nil, byte_count: slot.byteCount)
  }

  /// Whether the tensors are numbers of type `float32` with these counts.
  func takesFloats(_ inputCount: Int, _ outputCount: Int) -> Bool {
    runner.takesFloats(inputCount, outputCount)
  }

  /// Runs the model on items one after another.
  func run(
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int
  ) throws(ModelError) {
    let (inputSize, isInputTooLarge) = runner.input.byteCount.multipliedReportingOverflow(by: count)
    let (outputSize, isOutputTooLarge) =
      runner.output.byteCount.multipliedReportingOverflow(by: count)
    guard !isInputTooLarge, !isOutputTooLarge else {
      throw ModelError(.input, .invalidValue("\(count, as: "count") items"))
    }
    try unsafe runner.run(
      UnsafeRawBufferPointer(start: input, count: inputSize),
      into: UnsafeMutableRawBufferPointer(start: output, count: outputSize), count: count)
  }

  /// Returns the output of one item.
  func value(_ memory: UnsafeRawPointer) throws(ModelError) -> ModelOutput {
    try unsafe runner.output(
      UnsafeRawBufferPointer(start: memory, count: runner.output.byteCount), from: info)
  }
}
