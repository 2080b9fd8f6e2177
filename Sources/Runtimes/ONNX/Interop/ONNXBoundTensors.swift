import CONNX
import TensorIOBundle

/// Inputs and outputs that ONNX Runtime has looked up once, so that a run passes neither names nor values.
///
/// The values are kept until the list is released.
@safe final class ONNXBoundTensors {
  private let session: ONNXRuntimeSession
  private let handle: OpaquePointer
  private let values: [ONNXValue]

  /// Binds the values to names, in the order of the names.
  init(
    _ session: ONNXRuntimeSession, inputs: [ONNXValue], named inputNames: CStringTable,
    outputs: [ONNXValue], named outputNames: CStringTable
  ) throws(ModelError) {
    self.session = session
    values = inputs + outputs
    let functions = unsafe session.library.functions.pointee
    unsafe handle = try session.library.handle {
      unsafe functions.OrtCreateIoBinding(session.handle, &$0)
    }
    for (index, value) in inputs.enumerated() {
      guard let name = unsafe inputNames.pointers[index] else { continue }
      unsafe try session.library.check(functions.OrtBindInput(handle, name, value.handle))
    }
    for (index, value) in outputs.enumerated() {
      guard let name = unsafe outputNames.pointers[index] else { continue }
      unsafe try session.library.check(functions.OrtBindOutput(handle, name, value.handle))
    }
  }

  deinit {
    unsafe session.library.functions.pointee.OrtReleaseIoBinding(handle)
  }

  /// Reads the inputs and writes the outputs.
  func run(options: OpaquePointer) throws(ModelError) {
    unsafe try session.library.check(
      session.library.functions.pointee.OrtRunWithBinding(session.handle, options, handle),
      at: .run)
  }
}
