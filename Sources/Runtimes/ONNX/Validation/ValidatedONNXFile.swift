import TensorIOBundle
import TensorIOCore

/// An ONNX file that has been validated, without the contents that the runtime reads from the file.
///
/// ONNX Runtime copies the constants of a model. Of a large file, whose contents do not have to be changed, this program
/// stores a fingerprint only while the runtime reads it, so that there are not two copies in memory.
struct ValidatedONNXFile {
  /// What the runtime loads.
  let source: ONNXRuntimeSession.Source
  /// What a session has to know about the nodes.
  let summary: ONNXFileSummary
  /// The file without its graph.
  let metadata: ONNXMetadata
  /// The paths of the files with weights, relative to the model's folder.
  let weightFiles: [String]

  /// The minimum size of a file that the runtime reads: a copy of a smaller one costs less than a second reading.
  static let minStreamedByteCount = 16 << 20

  /// Validates a file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: The file, in whose folder files with weights are searched for.
  ///   - minStreamedByteCount: The minimum size of a file that the runtime reads; `nil` if there is no file.
  /// - Throws: `ModelError` if the model is rejected.
  init(
    _ bytes: [UInt8], of file: ModelFile, minStreamedByteCount: Int?
  ) throws(ModelError) {
    let (contents, external) = try Self.validate(bytes)
    let files = try ExternalWeights.files(of: external) { (name) throws(ModelError) in
      try file.companion(named: name).contents(limit: ONNXFile.maxByteCount)
    }
    weightFiles = files.map(\.name)
    (summary, metadata) = (ONNXFileSummary(contents), ONNXMetadata(contents))
    if !summary.zipMaps.isEmpty {
      // Fields that have been parsed once do not fail the second time.
      let replaced = try? ONNXFile.replacingZipMaps(of: summary.zipMaps.keys, in: bytes)
      source = .bytes(replaced ?? bytes, files)
    } else if let minStreamedByteCount, bytes.count >= minStreamedByteCount, files.isEmpty,
      VerifiedFileStream.isAvailable
    {
      source = .file(file, ContentFingerprint(bytes))
    } else {
      source = .bytes(bytes, files)
    }
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
}
