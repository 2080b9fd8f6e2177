internal import TensorIOSystem

/// Pictures as files.
enum PictureFile {
  /// The bytes of a picture's file, or of a pipe that gives them.
  static func contents(of path: String) throws(ImageError) -> [UInt8] {
    do {
      return try FileBytes.contents(of: path, limit: ImageLimits.fileBytes, .anything)
    } catch {
      throw ImageError(error.reason)
    }
  }

  /// Writes a picture's file, completely or not at all.
  static func store(_ bytes: [UInt8], at path: String) throws(ImageError) {
    do {
      try CompleteFile.write(bytes, to: path)
    } catch {
      throw ImageError(.unwritable(problem: error.problem))
    }
  }
}

extension FileFault {
  fileprivate var reason: ImageError.Reason {
    switch self {
    case .oversized(let bytes, let limit): .oversizedFile(bytes: bytes, limit: limit)
    case .missing, .nulInPath, .notAFile, .shrank, .system: .unreadable(problem: problem)
    }
  }
}
