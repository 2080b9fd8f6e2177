internal import TensorIOSystem

/// What a bundle's manifest says of the file, or of the folder, that holds its model.
package struct ListedFiles: Sendable, Hashable {
  let manifest: BundleManifest
  /// Where it lies in the bundle.
  let path: String

  /// Refuses another digest than that of the file, or of a file in the folder.
  func check(digest: [UInt8], of part: String) throws(ModelError) {
    let path = part.isEmpty ? path : "\(path)/\(part)"
    guard let file = manifest.file(at: path) else {
      throw .altered("'\(path)' is not of the bundle")
    }
    try file.check(digest: digest)
  }
}

extension ModelFile {
  /// Refuses bytes that are not those that the bundle's manifest lists, where there is one.
  ///
  /// The bundle was checked when it was opened. A runtime calls this with what it has read since, and is
  /// about to use.
  package func check(
    _ digest: @autoclosure () -> [UInt8], of part: String = ""
  ) throws(ModelError) {
    do throws(ModelError) {
      try listed?.check(digest: digest(), of: part)
    } catch {
      throw error.in(file: path)
    }
  }

  /// The same for all bytes of a file.
  package func check(bytes: [UInt8], of part: String = "") throws(ModelError) {
    try check(SHA256.digest(of: bytes), of: part)
  }
}
