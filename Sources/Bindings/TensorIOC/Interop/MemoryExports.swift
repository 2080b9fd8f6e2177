public import CTensorIO
import TensorIOBundle
import TensorIOCore

// The functions that run a model between the caller's memory.

/// Implements `tio_model_memory`.
@c(tio_model_memory)
public func modelMemory(
  _ model: OpaquePointer?, _ input: UnsafeMutablePointer<tio_tensor>?,
  _ output: UnsafeMutablePointer<tio_tensor>?
) -> Int32 {
  guard let model = unsafe model, let input = unsafe input, let output = unsafe output,
    let runner = unsafe object(model, as: ModelHandle.self).memoryRunner
  else { return 0 }
  unsafe input.pointee = runner.input
  unsafe output.pointee = runner.output
  return 1
}

/// Implements `tio_model_run_memory`.
@c(tio_model_run_memory)
public func runModelMemory(
  _ model: OpaquePointer?, _ input: UnsafeRawPointer?, _ output: UnsafeMutableRawPointer?,
  _ itemCount: Int, _ error: ErrorPointer
) -> tio_status {
  guard let model = unsafe model, let input = unsafe input, let output = unsafe output,
    itemCount > 0
  else {
    return unsafe invalidArgument(
      "tio_model_run_memory needs a model, two tensors and items", error)
  }
  // A small model runs in less than a microsecond: the handle is used without a reference of its own.
  return unsafe Unmanaged<ModelHandle>.fromOpaque(UnsafeRawPointer(model))
    ._withUnsafeGuaranteedRef { handle in
      guard let runner = handle.memoryRunner else {
        return unsafe invalidArgument("the model needs more than one input and output", error)
      }
      unsafe error?.pointee = nil
      do throws(ModelError) {
        try unsafe runner.run(input, output, itemCount)
        return TIO_OK
      } catch let failure {
        return unsafe store(ErrorHandle(failure), error)
      }
    }
}

/// Implements `tio_model_output`.
@c(tio_model_output)
public func modelOutput(
  _ model: OpaquePointer?, _ memory: UnsafeRawPointer?, _ nanoseconds: Int64,
  _ output: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe output?.pointee = nil
  guard let model = unsafe model, let memory = unsafe memory, let output = unsafe output,
    let runner = unsafe object(model, as: ModelHandle.self).memoryRunner
  else {
    return unsafe invalidArgument(
      "tio_model_output needs a model of tio_model_memory, an output and its memory", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(model, as: ModelHandle.self)
    var timings = Timings()
    timings.add(.nanoseconds(nanoseconds), to: \.run)
    unsafe output.pointee = retained(OutputHandle(handle, try runner.value(memory), timings))
  }
}

/// Implements `tio_model_run_rows`.
@c(tio_model_run_rows)
public func runModelRows(
  _ model: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ output: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe output?.pointee = nil
  guard let model = unsafe model, let values = unsafe values, let output = unsafe output, count > 0
  else {
    return unsafe invalidArgument("tio_model_run_rows needs a model, values and an output", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(model, as: ModelHandle.self)
    let input = try unsafe InputValue.modelInput(UnsafeBufferPointer(start: values, count: count))
    unsafe output.pointee = retained(
      OutputHandle(nil, try handle.model.run(rows: input), Timings()))
  }
}
