package import TensorIOSystem

extension FileBytes {
  /// Reads all bytes of a file, up to a limit.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The name used in error messages; the path if `nil`.
  ///   - limit: The maximum number of bytes.
  ///   - kinds: The kinds of files that may be read.
  ///   - stage: The stage of errors.
  /// - Returns: The bytes.
  /// - Throws: ``ModelError`` if the file does not exist, is too large or cannot be read.
  package static func read(
    _ path: String, named name: String? = nil, limit: Int,
    _ kinds: ReadableFile.AllowedKinds = .regularFilesOnly, stage: ModelError.Stage = .bundle
  ) throws(ModelError) -> [UInt8] {
    do {
      return try contents(of: path, limit: limit, kinds)
    } catch {
      throw ModelError(stage, error.reason(named: name ?? path))
    }
  }
}

extension FileError {
  /// Returns the error as the reason of a ``ModelError``.
  package func reason(named name: String) -> ModelError.Reason {
    switch self {
    case .notFound: .missingFile(name)
    case .nulInPath: .unsafeName(name)
    case .oversized(let bytes, let limit): .oversizedFile(name, bytes: bytes, limit: limit)
    case .notARegularFile, .truncated, .system: .unreadableFile(name, detail: message)
    }
  }
}
