public import CTensorIO
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIORuntimes
import TensorIOSystem
import TensorIOTasks

// The functions that tensorio.h declares.

// MARK: Version

private let versionText = CString(Version.current)

/// Implements `tio_version`.
@c(tio_version)
public func version() -> UnsafePointer<CChar>? { unsafe versionText.pointer }

/// Implements `tio_abi_version`.
@c(tio_abi_version)
public func abiVersion() -> Int32 { TIO_ABI_VERSION }

// MARK: Models

/// Implements `tio_model_open`.
@c(tio_model_open)
public func openModel(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ model: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe model?.pointee = nil
  guard let path = unsafe text(path), let model = unsafe model else {
    return unsafe invalidArgument("tio_model_open needs a path and a model", error)
  }
  let parsed: ModelOptions
  do {
    parsed = try unsafe ModelOptions(text(options))
  } catch let failure {
    return unsafe invalidArgument(failure.message, error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = try ModelHandle(path, parsed)
    unsafe model.pointee = retained(handle)
  }
}

/// Implements `tio_model_retain`.
@c(tio_model_retain)
public func retainModel(_ model: OpaquePointer?) -> OpaquePointer? {
  guard let pointer = unsafe model else { return nil }
  return unsafe retained(object(pointer, as: ModelHandle.self))
}

/// Implements `tio_model_release`.
@c(tio_model_release)
public func releaseModel(_ model: OpaquePointer?) { unsafe release(model, ModelHandle.self) }

/// Implements `tio_model_description`.
@c(tio_model_description)
public func describeModel(_ model: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe model.map { unsafe object($0, as: ModelHandle.self).description.pointer }
}

/// Implements `tio_model_run`.
@c(tio_model_run)
public func runModel(
  _ model: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ output: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe output?.pointee = nil
  guard let model = unsafe model, let output = unsafe output, unsafe count == 0 || values != nil
  else {
    return unsafe invalidArgument("tio_model_run needs a model, values and an output", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(model, as: ModelHandle.self)
    let input = try unsafe InputValue.modelInput(UnsafeBufferPointer(start: values, count: count))
    var timings = Timings()
    let result = try handle.model.run(input, timings: &timings)
    unsafe output.pointee = retained(OutputHandle(handle, result, timings))
  }
}

/// Implements `tio_model_run_batch`.
@c(tio_model_run_batch)
public func runModelBatch(
  _ model: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int, _ itemCount: Int,
  _ outputs: UnsafeMutablePointer<OpaquePointer?>?, _ errors: ErrorPointer
) -> tio_status {
  guard itemCount > 0 else { return TIO_OK }
  for item in 0..<itemCount {
    unsafe outputs?[item] = nil
    unsafe errors?[item] = nil
  }
  guard let model = unsafe model, let values = unsafe values, let outputs = unsafe outputs,
    count > 0
  else {
    return unsafe invalidArgument("tio_model_run_batch needs a model, values and outputs", errors)
  }
  let handle = unsafe object(model, as: ModelHandle.self)
  var status = TIO_OK
  func finish(_ item: Int, _ result: Result<(ModelOutput, Timings), ModelError>) {
    let failure = unsafe call(errors.map { unsafe $0 + item }) { () throws(ModelError) in
      let (output, timings) = try result.get()
      unsafe outputs[item] = retained(OutputHandle(handle, output, timings))
    }
    if status == TIO_OK { status = failure }
  }
  var inputs: [(item: Int, input: ModelInput)] = []
  for item in 0..<itemCount {
    let own = unsafe UnsafeBufferPointer(start: values + item * count, count: count)
    do throws(ModelError) {
      inputs.append((item, try unsafe InputValue.modelInput(own)))
    } catch {
      finish(item, .failure(error.at(item: item)))
    }
  }
  var timings = Timings()
  if let results = try? handle.model.run(batch: inputs.map(\.input), timings: &timings) {
    for ((item, _), output) in zip(inputs, results) { finish(item, .success((output, timings))) }
    return status
  }
  // An invalid item makes the run of all of them fail.
  for (item, input) in inputs {
    var timings = Timings()
    finish(
      item,
      Result { () throws(ModelError) in
        do throws(ModelError) {
          return (try handle.model.run(input, timings: &timings), timings)
        } catch {
          throw error.at(item: item)
        }
      })
  }
  return status
}

/// Implements `tio_model_run_floats`.
@c(tio_model_run_floats)
public func runModelFloats(
  _ model: OpaquePointer?, _ input: UnsafePointer<Float>?, _ inputCount: Int,
  _ output: UnsafeMutablePointer<Float>?, _ outputCount: Int, _ rowCount: Int,
  _ error: ErrorPointer
) -> tio_status {
  guard let model = unsafe model, let input = unsafe input, let output = unsafe output,
    rowCount > 0, [inputCount, rowCount].checkedProduct != nil,
    [outputCount, rowCount].checkedProduct != nil, inputCount > 0, outputCount > 0
  else {
    return unsafe invalidArgument("tio_model_run_floats needs a model, two arrays and rows", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    try unsafe object(model, as: ModelHandle.self)
      .run(input, inputCount, into: output, outputCount, rows: rowCount)
  }
}

/// Implements `tio_model_run_columns`.
@c(tio_model_run_columns)
public func runModelColumns(
  _ model: OpaquePointer?, _ columns: UnsafePointer<tio_value>?, _ count: Int,
  _ output: UnsafeMutablePointer<Float>?, _ outputCount: Int, _ rowCount: Int,
  _ error: ErrorPointer
) -> tio_status {
  guard let model = unsafe model, let columns = unsafe columns, let output = unsafe output,
    rowCount > 0, count > 0, outputCount > 0,
    [outputCount, rowCount, MemoryLayout<Float>.size].checkedProduct != nil
  else {
    return unsafe invalidArgument(
      "tio_model_run_columns needs a model, columns, an array and rows", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(model, as: ModelHandle.self)
    var sources: [NumericColumn] = []
    for index in 0..<count {
      sources.append(try unsafe NumericColumn(columns[index], count: rowCount))
    }
    // A block of rows stays in the processor's cache.
    let blockRows = max(1, 4096 / count)
    let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockRows * count)
    defer { unsafe block.deallocate() }
    guard let matrix = block.baseAddress else { return }
    for start in stride(from: 0, to: rowCount, by: blockRows) {
      let rows = start..<min(rowCount, start + blockRows)
      for (column, source) in sources.enumerated() {
        unsafe source.copy(rows, to: matrix, column: column, width: count)
      }
      do throws(ModelError) {
        try unsafe handle.run(
          matrix, count, into: output + start * outputCount, outputCount, rows: rows.count)
      } catch {
        throw error.item.map { error.at(item: start + $0) } ?? error
      }
    }
  }
}

// MARK: Streams

/// A sequence of runs that C code owns.
private final class StreamHandle {
  let handle: ModelHandle
  let stream: ModelStream

  init(_ handle: ModelHandle) {
    self.handle = handle
    stream = handle.model.stream()
  }
}

/// Implements `tio_stream_open`.
@c(tio_stream_open)
public func openStream(
  _ model: OpaquePointer?, _ stream: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  guard let model = unsafe model, let stream = unsafe stream else {
    return unsafe invalidArgument("tio_stream_open needs a model and a stream", error)
  }
  unsafe error?.pointee = nil
  unsafe stream.pointee = retained(StreamHandle(object(model, as: ModelHandle.self)))
  return TIO_OK
}

/// Implements `tio_stream_run`.
@c(tio_stream_run)
public func runStream(
  _ stream: OpaquePointer?, _ values: UnsafePointer<tio_value>?, _ count: Int,
  _ output: UnsafeMutablePointer<OpaquePointer?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe output?.pointee = nil
  guard let stream = unsafe stream, let output = unsafe output, unsafe count == 0 || values != nil
  else {
    return unsafe invalidArgument("tio_stream_run needs a stream, values and an output", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(stream, as: StreamHandle.self)
    let input = try unsafe InputValue.modelInput(UnsafeBufferPointer(start: values, count: count))
    var timings = Timings()
    let result = try handle.stream.run(input, timings: &timings)
    unsafe output.pointee = retained(OutputHandle(handle.handle, result, timings))
  }
}

/// Implements `tio_stream_reset`.
@c(tio_stream_reset)
public func resetStream(_ stream: OpaquePointer?) {
  guard let stream = unsafe stream else { return }
  unsafe object(stream, as: StreamHandle.self).stream.reset()
}

/// Implements `tio_stream_release`.
@c(tio_stream_release)
public func releaseStream(_ stream: OpaquePointer?) { unsafe release(stream, StreamHandle.self) }

// MARK: Outputs

/// Implements `tio_output_release`.
@c(tio_output_release)
public func releaseOutput(_ output: OpaquePointer?) { unsafe release(output, OutputHandle.self) }

/// Implements `tio_output_json`.
@c(tio_output_json)
public func outputJSON(
  _ output: OpaquePointer?, _ options: UnsafePointer<CChar>?,
  _ json: UnsafeMutablePointer<UnsafePointer<CChar>?>?, _ error: ErrorPointer
) -> tio_status {
  unsafe json?.pointee = nil
  guard let output = unsafe output, let json = unsafe json else {
    return unsafe invalidArgument("tio_output_json needs an output and a string", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    let handle = unsafe object(output, as: OutputHandle.self)
    unsafe json.pointee = try handle.json(OutputOptions(text(options))).pointer
  }
}

/// Implements `tio_output_count`.
@c(tio_output_count)
public func outputCount(_ output: OpaquePointer?) -> Int {
  unsafe output.map { unsafe object($0, as: OutputHandle.self).count } ?? 0
}

/// Implements `tio_output_name`.
@c(tio_output_name)
public func outputName(_ output: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  guard let output = unsafe output else { return nil }
  return unsafe object(output, as: OutputHandle.self).name(at: index)?.pointer
}

/// Implements `tio_output_tensor`.
@c(tio_output_tensor)
public func outputTensor(
  _ output: OpaquePointer?, _ index: Int, _ tensor: UnsafeMutablePointer<tio_tensor>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let output = unsafe output, let tensor = unsafe tensor else {
    return unsafe invalidArgument("tio_output_tensor needs an output and a tensor", error)
  }
  let handle = unsafe object(output, as: OutputHandle.self)
  guard (0..<handle.count).contains(index) else {
    return unsafe invalidArgument("there is no output \(index)", error)
  }
  return unsafe call(error) { () throws(ModelError) in
    guard let memory = try handle.tensor(at: index) else { return }
    unsafe tensor.pointee = memory.tensor
  }
}

/// Implements `tio_output_string`.
@c(tio_output_string)
public func outputString(
  _ output: OpaquePointer?, _ index: Int, _ element: Int, _ byteCount: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>? {
  guard let output = unsafe output,
    let memory = unsafe try? object(output, as: OutputHandle.self).tensor(at: index),
    memory.strings.indices.contains(element)
  else { return nil }
  unsafe byteCount?.pointee = memory.stringByteCounts[element]
  return unsafe memory.strings[element].pointer
}

/// Implements `tio_output_draw`.
@c(tio_output_draw)
public func drawOutput(
  _ output: OpaquePointer?, _ image: UnsafePointer<tio_value>?,
  _ png: UnsafeMutablePointer<UnsafeRawPointer?>?, _ byteCount: UnsafeMutablePointer<Int>?,
  _ error: ErrorPointer
) -> tio_status {
  guard let output = unsafe output, let image = unsafe image, let png = unsafe png,
    let byteCount = unsafe byteCount
  else { return unsafe invalidArgument("tio_output_draw needs an output and an image", error) }
  return unsafe call(error) { () throws(ModelError) in
    let value = try unsafe InputValue.layerValue(image.pointee)
    let memory = try unsafe object(output, as: OutputHandle.self).draw(on: value)
    unsafe png.pointee = UnsafeRawPointer(memory.baseAddress)
    unsafe byteCount.pointee = memory.count
  }
}

// MARK: Errors

/// Implements `tio_error_release`.
@c(tio_error_release)
public func releaseError(_ error: OpaquePointer?) { unsafe release(error, ErrorHandle.self) }

/// Implements `tio_error_status`.
@c(tio_error_status)
public func errorStatus(_ error: OpaquePointer?) -> tio_status {
  unsafe error.map { unsafe object($0, as: ErrorHandle.self).status } ?? TIO_OK
}

/// Implements `tio_error_code`.
@c(tio_error_code)
public func errorCode(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe error.map { unsafe object($0, as: ErrorHandle.self).code.pointer }
}

/// Implements `tio_error_message`.
@c(tio_error_message)
public func errorMessage(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe error.map { unsafe object($0, as: ErrorHandle.self).message.pointer }
}

/// Implements `tio_error_layer`.
@c(tio_error_layer)
public func errorLayer(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  guard let error = unsafe error else { return nil }
  return unsafe object(error, as: ErrorHandle.self).layer?.pointer
}

/// Implements `tio_error_json`.
@c(tio_error_json)
public func errorJSON(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
  unsafe error.map { unsafe object($0, as: ErrorHandle.self).json.pointer }
}

// MARK: Workers

/// Implements `tio_worker_main`.
@c(tio_worker_main)
public func runWorker(_ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?) -> Int32 {
  let arguments = (1..<max(1, Int(count))).compactMap { unsafe text(values?[$0]) }
  return WorkerMain.run(arguments, runtimes: BuiltInRuntimes.all)
}
