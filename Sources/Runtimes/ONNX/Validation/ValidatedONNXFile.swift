import TensorIOBundle
import TensorIOCore

/// An ONNX file that has been validated, without the contents that the runtime reads from files.
///
/// ONNX Runtime copies the constants of a model. Those of a large one, whose contents do not have to be changed, are in this
/// program only while the runtime reads them, so that there are not two copies in memory.
struct ValidatedONNXFile {
  /// What the runtime loads.
  let source: ONNXRuntimeSession.Source
  /// What a session has to know about the nodes.
  let summary: ONNXFileSummary
  /// The file without its graph.
  let metadata: ONNXMetadata
  /// The paths of the files with weights, relative to the model's folder.
  let weightFiles: [String]

  /// The minimum size of a model that the runtime reads: a copy of a smaller one costs less than a second reading.
  static let minStreamedByteCount = 16 << 20
  /// The maximum number of files with weights that are open while the runtime reads them.
  private static let maxOpenFileCount = 16

  /// Validates a file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: The file, in whose folder files with weights are searched for.
  ///   - minStreamedByteCount: The minimum size of a model that the runtime reads; `nil` if there is no file.
  /// - Throws: `ModelError` if the model is rejected.
  init(
    _ bytes: [UInt8], of file: ModelFile, minStreamedByteCount: Int?
  ) throws(ModelError) {
    let (contents, external) = try Self.validate(bytes)
    let weights = try ExternalWeights(of: external, beside: file)
    weightFiles = weights.names
    (summary, metadata) = (ONNXFileSummary(contents), ONNXMetadata(contents))
    if !summary.zipMaps.isEmpty {
      // Fields that have been parsed once do not fail the second time.
      let replaced = try? ONNXFile.replacingZipMaps(of: summary.zipMaps.keys, in: bytes)
      source = .bytes(replaced ?? bytes, try weights.contents())
    } else if let minStreamedByteCount, ONNXFileStream.isAvailable,
      let contents = try Self.streamed(bytes, weights, of: file, minStreamedByteCount)
    {
      source = .stream(contents, of: file)
    } else {
      source = .bytes(bytes, try weights.contents())
    }
  }

  /// Returns the contents of a model that the runtime reads; `nil` if it does not.
  private static func streamed(
    _ bytes: [UInt8], _ weights: ExternalWeights, of file: ModelFile, _ minByteCount: Int
  ) throws(ModelError) -> ONNXFileStream.Contents? {
    guard !weights.names.isEmpty else {
      return bytes.count >= minByteCount
        ? .file(path: file.path, ContentFingerprint(bytes)) : nil
    }
    // The weights of a bundle with a manifest are verified, for which they are read anyway.
    guard !file.hasManifest, weights.names.count <= maxOpenFileCount,
      let parts = try? InlinedWeights.parts(of: bytes, weights.opened())
    else { return nil }
    let byteCount = parts.reduce(0) { $0 + $1.count }
    return (minByteCount...ONNXFile.maxByteCount).contains(byteCount) ? .parts(parts) : nil
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
