package import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// The backend that runs ONNX models on the CPU with ONNX Runtime.
///
/// The ONNX Runtime library is not linked. It is located and opened when the first model is loaded;
/// see `RuntimeLibrarySearch` for the search order. Copies of a backend share the open library.
package struct ONNXBackend: Backend {
  /// The backend's name in `model.json`.
  package let identifier = BackendIdentifier.onnx
  /// The search for the library.
  package let search: RuntimeLibrarySearch

  /// The minimum size of a file that the runtime reads.
  var minStreamedByteCount = ValidatedONNXFile.minStreamedByteCount

  private let loadedLibrary = LazyResource<LoadedLibrary>()

  /// Creates an ONNX backend.
  ///
  /// - Parameters:
  ///   - library: The path of the library; `nil` searches the default locations.
  ///   - environment: The environment variables that configure the search; `nil` uses those of
  ///     the process.
  package init(library: String? = nil, environment: [String: String]? = nil) {
    search = RuntimeLibrarySearch(
      for: .onnxRuntime, explicitPath: library, environment: environment)
  }

  /// Loads an `.onnx` file, whose layers are matched to tensors by name.
  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    try model(at: file, for: use)
  }

  /// Loads an `.onnx` file as an ``ONNXModel`` with all its inputs and outputs.
  package func model(at file: ModelFile) throws(ModelError) -> ONNXModel {
    try model(at: file, for: nil)
  }

  private func model(at file: ModelFile, for use: ModelBinding?) throws(ModelError) -> ONNXModel {
    // The contents of a large file are released before the runtime reads it.
    try model(of: file, for: use) { () throws(ModelError) in
      let bytes = try file.contents(limit: ONNXFile.maxByteCount)
      return try ValidatedONNXFile(bytes, of: file, minStreamedByteCount: minStreamedByteCount)
    }
  }

  /// Loads a model from the bytes of an `.onnx` file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - file: The file, in whose folder other files with weights are searched for.
  ///   - use: The binding; `nil` binds all inputs and outputs.
  /// - Returns: The loaded model.
  /// - Throws: `ModelError` if the library is missing or the model is rejected.
  package func model(
    bytes: [UInt8], of file: ModelFile, for use: ModelBinding?
  ) throws(ModelError) -> ONNXModel {
    try model(of: file, for: use) { () throws(ModelError) in
      try ValidatedONNXFile(bytes, of: file, minStreamedByteCount: nil)
    }
  }

  private func model(
    of file: ModelFile, for use: ModelBinding?,
    _ validated: () throws(ModelError) -> ValidatedONNXFile
  ) throws(ModelError) -> ONNXModel {
    let library = try loadLibrary().library
    do throws(ModelError) {
      return try ONNXModel(validated(), for: use, in: library)
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Opens the library and returns its location.
  ///
  /// - Throws: `ModelError` with the reason `runtimeMissing` if no library can be opened.
  package func locateLibrary() throws(ModelError) -> RuntimeLibraryCandidate {
    try loadLibrary().candidate
  }

  private typealias LoadedLibrary = (library: ONNXLibrary, candidate: RuntimeLibraryCandidate)

  private func loadLibrary() throws(ModelError) -> LoadedLibrary {
    try loadedLibrary.getOrOpen { () throws(ModelError) in try search.open(ONNXLibrary.open) }
  }
}

extension ONNXBackend: WeightStoringBackend {
  /// Returns a copy of an `.onnx` file whose float weights have half precision.
  package func copyInHalfPrecision(of file: ModelFile) throws(ModelError) -> [UInt8] {
    let bytes = try file.contents(limit: ONNXFile.maxByteCount)
    var files: [String: [UInt8]] = [:]
    do throws(ModelError) {
      return try HalfPrecisionGraph.file(of: bytes) { (name) throws(ModelError) in
        if let known = files[name] { return known }
        let contents = try file.companion(named: name).contents(limit: ONNXFile.maxByteCount)
        files[name] = contents
        return contents
      }
    } catch {
      throw error.in(file: file.path)
    }
  }

  /// Returns the names of the files with weights.
  package func companionFiles(of file: ModelFile) throws(ModelError) -> [String] {
    try ValidatedONNXFile(
      file.contents(limit: ONNXFile.maxByteCount), of: file, minStreamedByteCount: nil
    ).weightFiles
  }
}

extension RuntimeLibrarySpecification {
  /// The ONNX Runtime library and the Python wheels that contain it.
  package static let onnxRuntime = RuntimeLibrarySpecification(
    backend: .onnx, name: "onnx", displayName: "ONNX Runtime", libraryFileName: libraryFile,
    environmentVariable: "TENSORIO_ONNX_LIBRARY", version: version,
    wheels: [
      wheel(
        .x86_64, platform: "manylinux_2_27_x86_64",
        sha256: "a166b78ee04f3a37fa1ef82034b6a3ce96d9684e582d4d30b296de83e9998bb5",
        byteCount: 19_193_162),
      wheel(
        .aarch64, platform: "manylinux_2_27_aarch64",
        sha256: "8d66f9ceb29909c70839e4e4fb3435c7b490050d8f162bd5f3aba4ca01ee517f",
        byteCount: 17_039_880),
    ])

  private static let version = "1.28.0"

  #if canImport(Darwin)
    private static let libraryFile = "libonnxruntime.\(version).dylib"
  #else
    private static let libraryFile = "libonnxruntime.so.\(version)"
  #endif

  private static func wheel(
    _ architecture: CPUArchitecture, platform: String, sha256: String, byteCount: Int
  ) -> RuntimeWheel {
    RuntimeWheel(
      architecture: architecture, package: "onnxruntime", version: version,
      pythonVersion: "3.11", abi: "cp311", platform: platform, sha256: sha256,
      libraries: ["onnxruntime/capi/libonnxruntime.so.\(version)"], byteCount: byteCount)
  }
}
