import TensorIOSystem

extension BundleManifest {
  /// The bytes of a folder's manifest; `nil` when it has none.
  static func bytes(in folder: String) throws(ModelError) -> [UInt8]? {
    guard let bytes = try manifestFile(name, in: folder, limit: maxBytes) else {
      guard FileKind(at: "\(folder)/\(signatureName)", followingSymlinks: false) == nil else {
        throw .manifestMismatch("there is a signature, and the manifest that it is of is gone")
      }
      return nil
    }
    return bytes
  }

  /// The bytes of the signature of a folder's manifest; `nil` when it has none.
  static func signature(in folder: String) throws(ModelError) -> [UInt8]? {
    try manifestFile(signatureName, in: folder, limit: maxSignatureBytes)
  }

  private static func manifestFile(
    _ name: String, in folder: String, limit: Int
  ) throws(ModelError) -> [UInt8]? {
    let path = "\(folder)/\(name)"
    guard let kind = FileKind(at: path, followingSymlinks: false) else { return nil }
    guard kind == .file else { throw .manifestMismatch("'\(name)' is no file") }
    do throws(FileError) {
      return try FileBytes.contents(of: path, limit: limit)
    } catch {
      throw .manifestMismatch("'\(name)' cannot be read: \(error.message)")
    }
  }

  /// Sees that a folder has these files and no others, with these bytes.
  func verify(_ folder: String) throws(ModelError) {
    let paths = try BundleFileList(of: folder).paths
    // In the order of both lists, so that the first that differs is lacking in one of them.
    for (index, file) in files.enumerated() {
      guard index < paths.count, paths[index].utf8.elementsEqual(file.path.utf8) else {
        throw mismatchError(paths)
      }
      try file.verify("\(folder)/\(file.path)")
    }
    guard paths.count == files.count else { throw mismatchError(paths) }
  }

  private func mismatchError(_ paths: [String]) -> ModelError {
    let (listed, there) = (
      Set(files.map { Array($0.path.utf8) }), Set(paths.map { Array($0.utf8) })
    )
    if let file = files.first(where: { !there.contains(Array($0.path.utf8)) }) {
      return .manifestMismatch("'\(file.path)' is gone")
    }
    let added = paths.first { !listed.contains(Array($0.utf8)) } ?? ""
    return .manifestMismatch("'\(added)' is not of the bundle")
  }
}

extension BundleManifest.File {
  fileprivate func verify(_ path: String) throws(ModelError) {
    // A file of another size need not be read.
    guard FileStamp(path)?.byteCount == byteCount else {
      throw .manifestMismatch("'\(self.path)' has not the \(byteCount) bytes that it should have")
    }
    let found: [UInt8]
    do throws(FileError) {
      found = try SHA256.digest(ofFile: path).digest
    } catch {
      throw .manifestMismatch("'\(self.path)' cannot be read: \(error.message)")
    }
    try verify(digest: found)
  }

  /// Refuses a file with another digest.
  func verify(digest found: [UInt8]) throws(ModelError) {
    guard found.hexadecimal == digest else {
      throw .manifestMismatch("'\(path)' is not the file that the manifest lists")
    }
  }
}

/// The files that are in a bundle's folder, if there is nothing but files and folders that they lie in.
struct BundleFileList {
  /// Where the files lie in the folder, by the bytes of their paths; without the manifest and its
  /// signature.
  private(set) var paths: [String] = []

  private let root: String

  /// Lists a folder.
  init(of root: String) throws(ModelError) {
    self.root = root
    for name in try names(in: "") where !BundleManifest.excludedNames.contains(name) {
      try add(name)
    }
    paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func add(_ path: String) throws(ModelError) {
    guard paths.count < BundleManifest.maxFiles else {
      throw .manifestMismatch("there are more than \(BundleManifest.maxFiles) files")
    }
    // Also keeps a folder from being gone through for ever.
    guard BundlePath.rejectionReason(for: path) == nil else {
      throw .manifestMismatch("'\(path)' cannot be the name of a file in a bundle")
    }
    switch FileKind(at: "\(root)/\(path)", followingSymlinks: false) {
    case .file: paths.append(path)
    case .directory: try addFolder(path)
    case .other: throw .manifestMismatch("'\(path)' is a link or a device")
    case nil: throw .manifestMismatch("'\(path)' went while it was looked at")
    }
  }

  private mutating func addFolder(_ path: String) throws(ModelError) {
    let names = try names(in: path)
    guard !names.isEmpty else { throw .manifestMismatch("the folder '\(path)' is empty") }
    for name in names { try add("\(path)/\(name)") }
  }

  private func names(in path: String) throws(ModelError) -> [String] {
    do throws(FileError) {
      return try FileSystem.entryNames(in: path.isEmpty ? root : "\(root)/\(path)")
    } catch {
      throw .manifestMismatch("the folder '\(path)' cannot be read: \(error.message)")
    }
  }
}

/// What a bundle's manifest says of the file, or of the folder, that holds its model.
package struct ManifestVerifier: Sendable, Hashable {
  let manifest: BundleManifest
  /// Where it lies in the bundle.
  let path: String

  /// Refuses another digest than that of the file, or of a file in the folder.
  func verify(digest: [UInt8], of part: String) throws(ModelError) {
    let path = part.isEmpty ? path : "\(path)/\(part)"
    guard let file = manifest.file(at: path) else {
      throw .manifestMismatch("'\(path)' is not of the bundle")
    }
    try file.verify(digest: digest)
  }
}

extension ModelFile {
  /// Refuses bytes that are not those that the bundle's manifest lists, where there is one.
  ///
  /// The bundle was checked when it was opened. A runtime calls this with what it has read since, and is
  /// about to use.
  package func verify(
    _ digest: @autoclosure () -> [UInt8], of part: String = ""
  ) throws(ModelError) {
    do throws(ModelError) {
      try manifestVerifier?.verify(digest: digest(), of: part)
    } catch {
      throw error.in(file: path)
    }
  }

  /// The same for all bytes of a file.
  package func verify(bytes: [UInt8], of part: String = "") throws(ModelError) {
    try verify(SHA256.digest(of: bytes), of: part)
  }
}
