import CTensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// The outputs of a run that C code owns, with what it has read from them.
@safe final class OutputHandle {
  /// The model; `nil` for the outputs of several rows, or of a training step.
  private let handle: ModelHandle?
  let output: ModelOutput
  private let timings: Timings
  private let names: [CString]
  private var tensors: [Int: TensorMemory] = [:]
  private var json: CString?
  private var png: UnsafeMutableRawBufferPointer?

  init(
    _ handle: ModelHandle?, _ output: ModelOutput, _ timings: Timings
  ) {
    (self.handle, self.output, self.timings) = (handle, output, timings)
    names = output.layers.map { CString($0.name) }
  }

  deinit { unsafe png?.deallocate() }

  var count: Int { names.count }

  func name(at index: Int) -> CString? { names.indices.contains(index) ? names[index] : nil }

  /// Returns an output as a tensor; `nil` if the index is out of range.
  func tensor(at index: Int) throws(ModelError) -> TensorMemory? {
    if let tensor = tensors[index] { return tensor }
    guard names.indices.contains(index) else { return nil }
    let layer = output.layers[index]
    do throws(ModelError) {
      let tensor = try TensorMemory(Tensor(layer.value))
      tensors[index] = tensor
      return tensor
    } catch {
      throw error.at(layer: layer.name)
    }
  }

  /// Returns the model that the output is from; throws for those of several rows or of a training step.
  func modelHandle() throws(ModelError) -> ModelHandle {
    guard let handle else {
      throw ModelError(
        .output, .unsupported("the task of outputs of several rows or of a training step"))
    }
    return handle
  }

  /// Returns the record of the run as JSON.
  func json(_ options: OutputOptions) throws(ModelError) -> CString {
    let handle = try modelHandle()
    let processed = try handle.postprocessor.applying(options.resultOptions).process(output)
    var success = RunRecord.Success(processed, timings)
    for layer in processed.output.layers {
      guard let image = layer.value.image, let png = try? image.encoded(as: .png) else { continue }
      success.images[layer.name] = .png(png)
    }
    let record = RunRecord(
      model: RunRecord.ModelIdentity(handle.model.bundle), input: options.input,
      result: .success(success))
    var writer = JSONWriter(.compact)
    record.write(
      to: &writer,
      labels: options.resultOptions.labelSelection(for: handle.model.bundle.description.task))
    let text = CString(String(decoding: writer.bytes, as: UTF8.self))
    json = text
    return text
  }

  /// Returns the results of several runs of a model as a column of records.
  static func column(
    of outputs: [OutputHandle], _ options: OutputOptions
  ) throws(ModelError) -> ResultColumn {
    guard let handle = try outputs.first?.modelHandle() else { return .records([]) }
    let postprocessor = handle.postprocessor.applying(options.resultOptions)
    let runs = try outputs.map { (output) throws(ModelError) in
      guard output.handle === handle else {
        throw ModelError(.output, .unsupported("outputs of several models"))
      }
      return try postprocessor.process(output.output)
    }
    return TaskPostprocessor.ProcessedOutput.column(
      of: runs,
      labels: options.resultOptions.labelSelection(for: handle.model.bundle.description.task))
  }

  /// Draws the result on an image and returns the PNG.
  func draw(on value: LayerValue) throws(ModelError) -> UnsafeMutableRawBufferPointer {
    do {
      let image: ImageBuffer
      switch value {
      case .image(let buffer): image = buffer
      case .bytes(let bytes): image = try ImageBuffer(decoding: bytes)
      default: throw ModelError(.input, .wrongType(expected: "an image", actual: "another value"))
      }
      _ = try modelHandle()
      let bytes = try output.drawn(on: image).encoded(as: .png)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      unsafe memory.copyBytes(from: bytes)
      unsafe png?.deallocate()
      unsafe png = memory
      return unsafe memory
    } catch let error as ModelError {
      throw error
    } catch let error as ImageError {
      throw ModelError(.input, .image(error))
    } catch {
      throw ModelError(.output, .failed("the result could not be drawn: \(error)"))
    }
  }
}
