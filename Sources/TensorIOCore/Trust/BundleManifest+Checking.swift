internal import TensorIOSystem

extension BundleManifest {
  /// The bytes of a folder's manifest; `nil` when it has none.
  static func bytes(in folder: String) throws(ModelError) -> [UInt8]? {
    guard let bytes = try own(name, in: folder, limit: maximumBytes) else {
      guard FileKind(at: "\(folder)/\(signatureName)", followingLinks: false) == nil else {
        throw .altered("there is a signature, and the manifest that it is of is gone")
      }
      return nil
    }
    return bytes
  }

  /// The bytes of the signature of a folder's manifest; `nil` when it has none.
  static func signature(in folder: String) throws(ModelError) -> [UInt8]? {
    try own(signatureName, in: folder, limit: maximumSignatureBytes)
  }

  private static func own(
    _ name: String, in folder: String, limit: Int
  ) throws(ModelError) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    guard let kind = FileKind(at: path, followingLinks: false) else { return nil }
    guard kind == .file else { throw .altered("'\(name)' is no file") }
    do throws(FileFault) {
      return try FileBytes.contents(of: path, limit: limit)
    } catch {
      throw .altered("'\(name)' cannot be read: \(error.problem)")
    }
  }

  /// Sees that a folder has these files and no others, with these bytes.
  func check(_ folder: String) throws(ModelError) {
    let paths = try BundleListing(of: folder).paths
    // In the order of both lists, so that the first that differs is lacking in one of them.
    for (index, file) in files.enumerated() {
      guard index < paths.count, paths[index].utf8.elementsEqual(file.path.utf8) else {
        throw difference(paths)
      }
      try file.check("\(folder)/\(file.path)")
    }
    guard paths.count == files.count else { throw difference(paths) }
  }

  private func difference(_ paths: [String]) -> ModelError {
    let (listed, there) = (
      Set(files.map { Array($0.path.utf8) }), Set(paths.map { Array($0.utf8) })
    )
    if let file = files.first(where: { !there.contains(Array($0.path.utf8)) }) {
      return .altered("'\(file.path)' is gone")
    }
    let added = paths.first { !listed.contains(Array($0.utf8)) } ?? ""
    return .altered("'\(added)' is not of the bundle")
  }
}

extension BundleManifest.File {
  fileprivate func check(_ path: String) throws(ModelError) {
    // A file of another size need not be read.
    guard FileStamp(path)?.byteCount == byteCount else {
      throw .altered("'\(self.path)' has not the \(byteCount) bytes that it should have")
    }
    let found: [UInt8]
    do throws(FileFault) {
      found = try SHA256.digest(ofFile: path).digest
    } catch {
      throw .altered("'\(self.path)' cannot be read: \(error.problem)")
    }
    try check(digest: found)
  }

  /// Refuses a file with another digest.
  func check(digest found: [UInt8]) throws(ModelError) {
    guard found.hexadecimal == digest else {
      throw .altered("'\(path)' is not the file that the manifest lists")
    }
  }
}
