import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The files with weights that a model refers to.
struct ExternalWeights {
  /// The paths, relative to the model's folder.
  let names: [String]
  private let tensors: [ONNXTensor]
  private let model: ModelFile

  private static let maxFileCount = 1000

  /// Creates the files of constants.
  ///
  /// - Parameters:
  ///   - tensors: The constants in other files.
  ///   - model: The model's file, in whose folder the files are.
  /// - Throws: `ModelError` if there are too many files.
  init(of tensors: [ONNXTensor], beside model: ModelFile) throws(ModelError) {
    (self.tensors, self.model) = (tensors, model)
    names = Set(tensors.compactMap(\.external?.location)).sorted()
    guard names.count <= Self.maxFileCount else {
      throw ModelError(.runtime, .unsupported("weights in more than \(Self.maxFileCount) files"))
    }
  }

  /// Reads the files, and verifies their digests if the bundle has a manifest.
  ///
  /// - Throws: `ModelError` if a file is missing, changed or too short.
  func contents() throws(ModelError) -> ONNXRuntimeSession.ExternalFiles {
    let files = try self.files(byteCount: \.count) { (file) throws(ModelError) in
      try file.contents(limit: ONNXFile.maxByteCount)
    }
    return names.compactMap { name in files[name].map { (name: name, bytes: $0) } }
  }

  /// Opens the files, without verifying digests.
  ///
  /// - Throws: `ModelError` if a file is missing or too short.
  func opened() throws(ModelError) -> [String: WeightFile] {
    try files(byteCount: \.byteCount) { (file) throws(ModelError) in try WeightFile(file) }
  }

  /// Returns the files by name after checking that they contain the constants.
  private func files<File>(
    byteCount: (File) -> Int, _ open: (ModelFile) throws(ModelError) -> File
  ) throws(ModelError) -> [String: File] {
    var files: [String: File] = [:]
    for name in names { files[name] = try open(model.companion(named: name)) }
    for tensor in tensors {
      guard let external = tensor.external, let needed = tensor.byteCount,
        let count = files[external.location].map(byteCount),
        external.offset > count || needed > count - external.offset
      else { continue }
      throw ModelError(
        .runtime,
        .modelRejected(
          detail: "'\(external.location)' has \(count) bytes, but the constant "
            + "'\(tensor.name)' has \(needed) bytes at offset \(external.offset)"))
    }
    return files
  }
}

/// An open file with weights, which stays the same if another one gets its name.
final class WeightFile: Sendable {
  let contents: ReadableFile
  let byteCount: Int

  /// Opens a file.
  init(_ file: ModelFile) throws(ModelError) {
    do throws(FileError) {
      contents = try ReadableFile(file.path)
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    byteCount = contents.byteCount ?? 0
  }
}
