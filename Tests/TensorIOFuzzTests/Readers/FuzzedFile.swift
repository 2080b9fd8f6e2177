import TensorIOSystem

/// A file for readers that want one; it holds other bytes each time.
///
/// Beside it lies what the seeds speak of: pictures `a.png` and `b.png`, 40 pixels wide, 20 high.
enum FuzzedFile {
  private static let scratch = unlessRefused {
    let folder = try TemporaryDirectory(prefix: "tensorio-fuzz")
    for place in ["", "JPEGImages/", "images/"] {
      for name in ["a.png", "b.png"] { try write(picture, folder.path, place + name) }
    }
    return folder
  }

  private static let picture = Array("P5 40 20 255\n".utf8) + [UInt8](repeating: 7, count: 800)

  /// The folder in which all of them lie.
  static func folder() throws(BrokenPromise) -> String {
    guard let scratch else { throw BrokenPromise(description: "there is no folder for files") }
    return scratch.path
  }

  /// The path of a file that holds the bytes.
  static func holding(_ bytes: [UInt8], named name: String) throws(BrokenPromise) -> String {
    let folder = try folder()
    guard unlessRefused({ try write(bytes, folder, name) }) != nil else {
      throw BrokenPromise(description: "no file can be written")
    }
    return "\(folder)/\(name)"
  }

  private static func write(_ bytes: [UInt8], _ folder: String, _ name: String) throws(FileError) {
    let path = "\(folder)/\(name)"
    if FileKind(at: path) == nil { try FileSystem.createDirectories(FilePath.parent(of: path)) }
    var file = try AppendableFile(path)
    try file.truncate(to: 0)
    try file.append(bytes)
  }
}
