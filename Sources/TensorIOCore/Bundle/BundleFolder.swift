internal import TensorIOSystem

/// The folder of a bundle: what lies where, and nothing from elsewhere.
package struct BundleFolder: Sendable, Hashable {
  /// The name of the description in every bundle.
  package static let descriptionName = "model.json"
  /// The name of the description of a chain of bundles.
  package static let chainName = "chain.json"
  /// The name of the folder with labels and other files for the application.
  static let assetsName = "assets"
  /// What the name of a bundle ends in.
  static let pathExtension = "tiobundle"
  /// What the names of older bundles end in.
  static let deprecatedExtension = "tfbundle"
  /// What the names of all bundles end in.
  static let extensions = [pathExtension, deprecatedExtension]

  /// The folder, or the file that holds it, as the caller named it.
  package let path: String
  /// The folder itself, without links on the way.
  let root: String
  /// What keeps the folder there, when it was unpacked.
  let unpacked: UnpackedBundle?
  /// What all that is in it was compared with, where it says what that should be.
  let manifest: BundleManifest?

  init(path: String, root: String, unpacked: UnpackedBundle?, manifest: BundleManifest?) {
    (self.path, self.root, self.unpacked) = (path, root, unpacked)
    self.manifest = manifest
  }

  /// Finds the folder, and sees that it is what it was made and of somebody who is trusted.
  package init(
    at path: String, unpacking archives: (any BundleUnpacking)? = nil,
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    self.path = FilePath.withoutTrailingSlashes(path)
    guard !path.utf8.contains(0) else {
      throw ModelError(.bundle, .unsafeName(path))
    }
    unpacked = FileKind(at: path) == .file ? try archives?.unpack(path) : nil
    let folder = unpacked?.path ?? path
    guard let kind = FileKind(at: folder), let root = FilePath.resolved(folder) else {
      throw ModelError(.bundle, .missingBundle, file: path)
    }
    guard kind == .folder else {
      let found = kind == .file ? "a file" : "neither a file nor a folder"
      throw ModelError(.bundle, .notABundle(found: found), file: path)
    }
    self.root = root
    do throws(ModelError) {
      manifest = try trust.manifest(in: root)
    } catch {
      throw error.in(file: path)
    }
  }

  /// The text of the description.
  func descriptionBytes() throws(ModelError) -> [UInt8] {
    try bytes(of: BundleFolder.descriptionName, limit: JSONLimits.descriptionBytes)
  }

  /// The bytes of a file of the bundle.
  package func bytes(of name: String, limit: Int) throws(ModelError) -> [UInt8] {
    let path = try locate(name)
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, named: name, limit: limit)
      try listed(path)?.check(digest: SHA256.digest(of: bytes), of: "")
      return bytes
    } catch {
      throw error.in(file: self.path)
    }
  }

  /// Where a file or folder of the bundle lies, which must be there and inside.
  func locate(_ name: String) throws(ModelError) -> String {
    guard BundlePath.fault(of: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    guard let resolved = FilePath.resolved(root + "/" + name) else {
      throw ModelError(.bundle, .missingFile(name), file: path)
    }
    // A link may lead to another file of the bundle, and nowhere else.
    guard resolved.utf8.starts(with: (root == "/" ? root : root + "/").utf8) else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    return resolved
  }

  /// What the manifest says of a file or folder that was located; `nil` without one.
  func listed(_ path: String) -> ListedFiles? {
    manifest.map { manifest in
      let prefix = root == "/" ? root : root + "/"
      return ListedFiles(
        manifest: manifest,
        path: String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
  }

  /// What is wrong, or doubtful, about the folder's own name.
  func nameProblem(_ severity: Problem.Severity) -> Problem? {
    let extensions = [path, root].map(BundleFolder.pathExtension(of:))
    if extensions.contains(BundleFolder.pathExtension) { return nil }
    if extensions.contains(BundleFolder.deprecatedExtension) {
      return Problem(
        .warning, .deprecatedExtension, path: "", expected: ".tiobundle", found: ".tfbundle",
        message: "The name of the folder ends as those of older bundles do.",
        suggestion: "rename it to end in .tiobundle")
    }
    return Problem(
      severity, .wrongExtension, path: "", expected: "a name that ends in .tiobundle",
      found: BundleFolder.lastPart(of: path),
      message: "The name of the folder does not end in .tiobundle.",
      suggestion: "rename it to end in .tiobundle",
      original: severity == .error ? .wrongExtension : nil)
  }

  // MARK: Names

  /// The name of a path's last part.
  static func lastPart(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// What follows the last dot of a name, in small letters.
  static func pathExtension(of path: String) -> String {
    let name = lastPart(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}
