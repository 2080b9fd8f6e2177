import TensorIOSystem

/// A file with the fuzzed bytes, for readers that read files.
///
/// The folder also contains the images to which seeds refer: `a.png` and `b.png`, 40 × 20 pixels.
enum FuzzedFile {
  private static let scratch = unlessRejected {
    let folder = try TemporaryDirectory(prefix: "tensorio-fuzz")
    for subfolder in ["", "JPEGImages/", "images/"] {
      for name in ["a.png", "b.png"] { try write(image, folder.path, subfolder + name) }
    }
    return folder
  }

  private static let image = Array("P5 40 20 255\n".utf8) + [UInt8](repeating: 7, count: 800)

  /// Returns the path of the folder.
  static func folder() throws(PropertyViolation) -> String {
    guard let scratch else {
      throw PropertyViolation(description: "no temporary folder could be created")
    }
    return scratch.path
  }

  /// Writes the bytes to a file and returns its path.
  static func holding(_ bytes: [UInt8], named name: String) throws(PropertyViolation) -> String {
    let folder = try folder()
    guard unlessRejected({ try write(bytes, folder, name) }) != nil else {
      throw PropertyViolation(description: "no file could be written")
    }
    return "\(folder)/\(name)"
  }

  private static func write(_ bytes: [UInt8], _ folder: String, _ name: String) throws(FileError) {
    let path = "\(folder)/\(name)"
    if FileKind(at: path) == nil { try FileSystem.createDirectories(FilePath.parent(of: path)) }
    // Without a lock: a child process of another test may hold it until it has started its program.
    try AtomicFile.write(bytes, to: path, isDurable: false)
  }
}
