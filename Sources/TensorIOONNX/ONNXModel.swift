package import TensorIOBundle
package import TensorIOCore

/// An ONNX model loaded by ONNX Runtime: one session of the runtime, which the model's sessions share.
package final class ONNXModel: RuntimeModel {
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

  /// Validates and loads a model.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - use: The binding; `nil` binds all inputs and outputs.
  ///   - library: The runtime.
  ///   - contents: Returns the contents of a file with weights, given its path relative to the
  ///     model's folder.
  /// - Throws: `ModelError` if the model is rejected, or does not have the tensors of the binding.
  init(
    _ bytes: [UInt8], for use: ModelBinding?, in library: ONNXLibrary,
    contents: (String) throws(ModelError) -> [UInt8]
  ) throws(ModelError) {
    let (file, external) = try Self.validate(bytes)
    let files = try ExternalWeights.files(of: external, contents)
    weightFiles = files.map(\.name)
    let summary = ONNXFileSummary(file)
    // Fields that have been parsed once do not fail the second time.
    let loaded =
      summary.zipMaps.isEmpty
      ? bytes
      : (try? ONNXFile.replacingZipMaps(of: summary.zipMaps.keys, in: bytes)) ?? bytes
    session = try ONNXRuntimeSession(
      loaded, files, threads: use?.threads ?? 1, library)
    let tensors = ONNXTensors(
      inputs: try session.inputs(), outputs: try session.outputs(), file: summary)
    binding = if let use { try ONNXBinding(use, tensors) } else { try ONNXBinding(all: tensors) }
    signature = binding.signature
    signatures = [(try? ONNXBinding(all: tensors))?.signature ?? signature]
    metadata = ONNXMetadata(file)
  }

  private static func validate(
    _ bytes: [UInt8]
  ) throws(ModelError) -> (file: ONNXFile, external: [ONNXTensor]) {
    let detail: String
    do {
      let file = try ONNXFile(bytes)
      return (file, try ONNXValidator.validate(file))
    } catch let error as ONNXValidationError {
      detail = error.message
    } catch {
      detail =
        "the file is not an ONNX model, or is corrupt"
        + ((error as? ProtobufError).map { ": \($0.rawValue)" } ?? "")
    }
    throw ModelError(.runtime, .modelRejected(detail: detail))
  }

  /// Creates a session for one caller at a time.
  package func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try ONNXSession(session, binding)
  }
}

/// The files with weights that a model refers to.
enum ExternalWeights {
  /// The maximum number of files.
  static let maxFileCount = 1000

  /// Reads the files of constants, and checks that they contain the constants.
  static func files(
    of tensors: [ONNXTensor], _ contents: (String) throws(ModelError) -> [UInt8]
  ) throws(ModelError) -> ONNXRuntimeSession.ExternalFiles {
    var files: [String: [UInt8]] = [:]
    for tensor in tensors {
      guard let external = tensor.external, let byteCount = tensor.byteCount else { continue }
      let file =
        if let known = files[external.location] { known } else { try contents(external.location) }
      files[external.location] = file
      guard files.count <= maxFileCount else {
        throw ModelError(.runtime, .unsupported("weights in more than \(maxFileCount) files"))
      }
      guard external.offset <= file.count, byteCount <= file.count - external.offset else {
        throw ModelError(
          .runtime,
          .modelRejected(
            detail: "'\(external.location)' has \(file.count) bytes, but the constant "
              + "'\(tensor.name)' has \(byteCount) bytes at offset \(external.offset)"))
      }
    }
    return files.sorted { $0.key < $1.key }.map { (name: $0.key, bytes: $0.value) }
  }
}
