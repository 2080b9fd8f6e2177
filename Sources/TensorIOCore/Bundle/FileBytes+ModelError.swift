package import TensorIOSystem

extension FileBytes {
  /// All bytes of a file, as large as it may be and no larger.
  ///
  /// Messages call it by its name, or by its path when there is no better name; a failure is one
  /// of the stage that wants the file.
  package static func read(
    _ path: String, named name: String? = nil, limit: Int,
    _ kinds: ReadableFile.Kinds = .filesOnly, stage: ModelError.Stage = .bundle
  ) throws(ModelError) -> [UInt8] {
    do {
      return try contents(of: path, limit: limit, kinds)
    } catch {
      throw ModelError(stage, error.reason(named: name ?? path))
    }
  }
}

extension FileFault {
  /// The fault as the pipeline tells it.
  package func reason(named name: String) -> ModelError.Reason {
    switch self {
    case .missing: .missingFile(name)
    case .nulInPath: .unsafeName(name)
    case .oversized(let bytes, let limit): .oversizedFile(name, bytes: bytes, limit: limit)
    case .notAFile, .shrank, .system: .unreadableFile(name, problem: problem)
    }
  }
}
