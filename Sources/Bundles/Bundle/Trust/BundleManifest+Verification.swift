import TensorIOSystem

extension BundleManifest {
  /// Returns the bytes of a folder's manifest, or `nil` if it has none.
  static func bytes(in folder: String) throws(ModelError) -> [UInt8]? {
    guard let bytes = try manifestFile(name, in: folder, limit: maxBytes) else {
      guard FileKind(at: "\(folder)/\(signatureName)", followingSymlinks: false) == nil else {
        throw .manifestMismatch("\(signatureName) exists but \(name) is missing")
      }
      return nil
    }
    return bytes
  }

  /// Returns the bytes of the signature of a folder's manifest, or `nil` if it has none.
  static func signature(in folder: String) throws(ModelError) -> [UInt8]? {
    try manifestFile(signatureName, in: folder, limit: maxSignatureBytes)
  }

  private static func manifestFile(
    _ name: String, in folder: String, limit: Int
  ) throws(ModelError) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    guard let kind = FileKind(at: path, followingSymlinks: false) else { return nil }
    guard kind == .file else { throw .manifestMismatch("'\(name)' is not a regular file") }
    do throws(FileError) {
      return try FileBytes.contents(of: path, limit: limit)
    } catch {
      throw .manifestMismatch("cannot read '\(name)': \(error.message)")
    }
  }

  /// Verifies that a folder contains exactly the listed files with the listed digests.
  func verify(_ folder: String) throws(ModelError) {
    let paths = try Self.paths(in: folder)
    // Both lists are sorted, so the first difference is a file missing from one of them.
    for (index, file) in files.enumerated() {
      guard index < paths.count, paths[index].utf8.elementsEqual(file.path.utf8) else {
        throw mismatchError(paths)
      }
      try file.verify("\(folder)/\(file.path)")
    }
    guard paths.count == files.count else { throw mismatchError(paths) }
  }

  private func mismatchError(_ paths: [String]) -> ModelError {
    let (listed, present) = (
      Set(files.map { Array($0.path.utf8) }), Set(paths.map { Array($0.utf8) })
    )
    if let file = files.first(where: { !present.contains(Array($0.path.utf8)) }) {
      return .manifestMismatch("'\(file.path)' is missing")
    }
    let added = paths.first { !listed.contains(Array($0.utf8)) } ?? ""
    return .manifestMismatch("'\(added)' is not listed in the manifest")
  }
}

extension BundleManifest.File {
  fileprivate func verify(_ path: String) throws(ModelError) {
    // The size is checked first because it does not require reading the file.
    guard FileStamp(path)?.byteCount == byteCount else {
      throw .manifestMismatch("the size of '\(self.path)' is not \(byteCount) bytes")
    }
    let found: [UInt8]
    do throws(FileError) {
      found = try SHA256.digest(ofFile: path).digest
    } catch {
      throw .manifestMismatch("cannot read '\(self.path)': \(error.message)")
    }
    try verify(digest: found)
  }

  /// Throws an error if a digest differs from the listed one.
  func verify(digest found: [UInt8]) throws(ModelError) {
    guard found.hexadecimal == digest else {
      throw .manifestMismatch("the digest of '\(path)' differs from the manifest")
    }
  }
}

extension BundleManifest {
  /// Returns the relative paths of a folder's files without manifest and signature, sorted by their
  /// bytes.
  static func paths(in folder: String) throws(ModelError) -> [String] {
    let tree: BundleFileTree
    do throws(ArchiveError) {
      tree = try BundleFileTree(
        of: folder, hiddenNames: .included, maxBytes: .max, excluding: excludedNames)
    } catch {
      throw .manifestMismatch(error.folderDescription)
    }
    if let folder = tree.emptyFolder { throw .manifestMismatch("folder '\(folder)' is empty") }
    return tree.files.map(\.path)
  }
}

/// Verifies digests of one file or folder of a bundle against the manifest.
package struct ManifestVerifier: Sendable, Hashable {
  let manifest: BundleManifest
  /// The path of the file or folder, relative to the bundle.
  let path: String

  /// Throws an error if a digest is not that of the file, or of the file at a path in the folder.
  func verify(digest: [UInt8], of part: String) throws(ModelError) {
    let path = part.isEmpty ? path : "\(path)/\(part)"
    guard let file = manifest.file(at: path) else {
      throw .manifestMismatch("'\(path)' is not listed in the manifest")
    }
    try file.verify(digest: digest)
  }

  /// Returns the verifier of a file, given its path relative to the folder of this one.
  func companion(at path: String) -> ManifestVerifier {
    let folder = self.path.contains("/") ? FilePath.parent(of: self.path) + "/" : ""
    return ManifestVerifier(manifest: manifest, path: folder + path)
  }
}

extension ModelFile {
  /// Throws an error if a digest differs from the bundle's manifest; does nothing without one.
  ///
  /// The bundle was verified when it was opened. A runtime calls this with the digest of the bytes
  /// it is about to use, because the file may have changed since.
  package func verify(
    _ digest: @autoclosure () -> [UInt8], of part: String = ""
  ) throws(ModelError) {
    do throws(ModelError) {
      try manifestVerifier?.verify(digest: digest(), of: part)
    } catch {
      throw error.in(file: path)
    }
  }

  /// Throws an error if the digest of a file's bytes differs from the bundle's manifest.
  package func verify(bytes: [UInt8], of part: String = "") throws(ModelError) {
    try verify(SHA256.digest(of: bytes), of: part)
  }
}
