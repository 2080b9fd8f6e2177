package import TensorIOBundle
package import TensorIOCore

/// An ONNX model loaded by ONNX Runtime: one session of the runtime, which the model's sessions share.
package final class ONNXModel: SteppableRuntimeModel {
  /// The tensors that the description's layers name, in the order of the description.
  package let signature: ModelSignature
  /// The only signature, with all inputs and outputs.
  package let signatures: [ModelSignature]
  /// The file without its graph, for drafting a description.
  package let metadata: ONNXMetadata
  /// What is not supported of each output that is left out.
  var omittedOutputs: [String] { binding.omittedOutputs }
  /// The paths of the files with weights, relative to the model's folder.
  let weightFiles: [String]

  private let session: ONNXRuntimeSession
  private let binding: ONNXBinding

  /// Loads a model.
  ///
  /// - Parameters:
  ///   - file: The validated file.
  ///   - use: The binding; `nil` binds all inputs and outputs.
  ///   - library: The runtime.
  /// - Throws: `ModelError` if the model is rejected, or does not have the tensors of the binding.
  init(
    _ file: ValidatedONNXFile, for use: ModelBinding?, in library: ONNXLibrary
  ) throws(ModelError) {
    if let name = use?.signature { throw ModelBinding.unknownSignature(name, among: []) }
    (weightFiles, metadata) = (file.weightFiles, file.metadata)
    session = try ONNXRuntimeSession(file.source, threads: use?.poolThreads ?? 1, library)
    let tensors = ONNXTensors(
      inputs: try session.inputs(), outputs: try session.outputs(), file: file.summary)
    binding = if let use { try ONNXBinding(use, tensors) } else { try ONNXBinding(all: tensors) }
    signature = binding.signature
    signatures = [(try? ONNXBinding(all: tensors))?.signature ?? signature]
  }

  /// Steps, for a model that was loaded with caches.
  package var abilities: ModelAbilities {
    var abilities = ModelAbilities()
    if binding.steps != nil { abilities.steps = self }
    return abilities
  }

  /// Creates a sequence of steps.
  package func makeStepSession() throws(ModelError) -> any StepSession {
    guard let steps = binding.steps else {
      throw ModelError(.runtime, .unsupported("steps of a model without caches"))
    }
    return try ONNXStepSession(session, steps)
  }

  /// Creates a session for one caller at a time.
  package func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try ONNXSession(session, binding)
  }
}
