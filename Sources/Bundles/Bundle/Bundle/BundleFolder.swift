import TensorIOJSON
import TensorIOSystem

/// The folder of a bundle.
///
/// Resolves paths to its files and rejects paths outside of it.
package struct BundleFolder: Sendable, Hashable {
  /// The file name of a bundle's description.
  package static let descriptionName = "model.json"
  /// The file name of a chain's description.
  package static let chainName = "chain.json"
  /// The path extension of chains.
  package static let chainExtension = "tiochain"
  /// The name of the folder with labels and other assets.
  package static let assetsName = "assets"
  /// The name of the folder with inputs to try.
  package static let samplesName = "samples"
  /// The file with the distributions of inputs and results on reference data, which describe one model.
  package static let referenceName = "reference.json"
  /// The path extension of bundles.
  static let pathExtension = "tiobundle"
  /// The deprecated path extension of bundles.
  static let deprecatedExtension = "tfbundle"
  /// All path extensions of bundles.
  static let extensions = [pathExtension, deprecatedExtension]

  /// The path of the folder or archive, as given by the caller.
  package let path: String
  /// The path of the folder with all symbolic links resolved.
  package let root: String
  /// The path of the folder itself, which differs from ``path`` if that is an archive.
  package var folderPath: String { unpacked?.path ?? path }
  /// The unpacked archive, which exists as long as this reference.
  let unpacked: UnpackedBundle?
  /// The verified manifest, if the bundle has one.
  let manifest: BundleManifest?

  init(path: String, root: String, unpacked: UnpackedBundle?, manifest: BundleManifest?) {
    (self.path, self.root, self.unpacked) = (path, root, unpacked)
    self.manifest = manifest
  }

  /// Resolves the folder and verifies its manifest and signature.
  ///
  /// - Parameters:
  ///   - path: The path of the bundle's folder or archive.
  ///   - archives: Unpacks the bundle if the path is not that of its folder.
  ///   - trust: The policy for signatures and versions.
  /// - Throws: ``ModelError`` if there is no such folder, or it is not trusted.
  package init(
    at path: String, unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self.path = FilePath.removingTrailingSlashes(path)
    guard !path.utf8.contains(0) else {
      throw ModelError(.bundle, .unsafeName(path))
    }
    unpacked = try archives?.unpack(path)
    let folder = unpacked?.path ?? path
    guard let kind = FileKind(at: folder), let root = FilePath.resolved(folder) else {
      throw ModelError(.bundle, .missingBundle, file: path)
    }
    guard kind == .directory else {
      let found = kind == .file ? "a file" : "a special file"
      throw ModelError(.bundle, .notABundle(found: found), file: path)
    }
    self.root = root
    do throws(ModelError) {
      manifest = try trust.verifiedManifest(in: root)
    } catch {
      throw error.in(file: path)
    }
  }

  /// Returns the bytes of the description.
  package func descriptionBytes() throws(ModelError) -> [UInt8] {
    try bytes(of: BundleFolder.descriptionName, limit: JSONLimits.maxDescriptionBytes)
  }

  /// Returns the bytes of the model card.
  package func cardBytes() throws(ModelError) -> [UInt8] {
    try bytes(of: "CARD.md", limit: JSONLimits.maxDescriptionBytes)
  }

  /// Returns the bytes of a file of the bundle, verified against the manifest.
  package func bytes(of name: String, limit: Int) throws(ModelError) -> [UInt8] {
    let path = try resolvedPath(of: name)
    do throws(ModelError) {
      let bytes = try FileBytes.read(path, named: name, limit: limit)
      try manifestVerifier(for: path)?.verify(digest: SHA256.digest(of: bytes), of: "")
      return bytes
    } catch {
      throw error.in(file: self.path)
    }
  }

  /// Returns the path of an existing file or folder of the bundle.
  package func resolvedPath(of name: String) throws(ModelError) -> String {
    guard BundlePath.rejectionReason(for: name) == nil else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    guard let resolved = FilePath.resolved(root + "/" + name) else {
      throw ModelError(.bundle, .missingFile(name), file: path)
    }
    // A symbolic link may point to another file of the bundle but not outside.
    let folders = [root == "/" ? "" : root] + (unpacked?.linkedFolders ?? [])
    guard folders.contains(where: { resolved.utf8.starts(with: "\($0)/".utf8) }) else {
      throw ModelError(.bundle, .unsafeName(name), file: path)
    }
    return resolved
  }

  /// Returns a verifier for the file or folder at a resolved path, or `nil` without a manifest.
  func manifestVerifier(for path: String) -> ManifestVerifier? {
    manifest.map { manifest in
      let prefix = root == "/" ? root : root + "/"
      return ManifestVerifier(
        manifest: manifest,
        path: String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
  }

  /// Returns a diagnostic about the folder's name, or `nil` if the name is valid.
  package func nameDiagnostic(_ severity: Diagnostic.Severity) -> Diagnostic? {
    let extensions = [path, root].map(FilePath.pathExtension(of:))
    if extensions.contains(BundleFolder.pathExtension) { return nil }
    if extensions.contains(BundleFolder.deprecatedExtension) {
      return Diagnostic(
        .warning, .deprecatedExtension, path: "", expected: ".tiobundle", found: ".tfbundle",
        message: "the folder has the deprecated extension .tfbundle",
        suggestion: "rename it to end in .tiobundle")
    }
    return Diagnostic(
      severity, .wrongExtension, path: "", expected: "a name that ends in .tiobundle",
      found: FilePath.lastComponent(of: path),
      message: "the folder's name does not end in .tiobundle",
      suggestion: "rename it to end in .tiobundle",
      legacyCode: severity == .error ? .wrongExtension : nil)
  }
}

/// The rules for paths inside a bundle.
package enum BundlePath {
  /// The maximum length of a path in bytes.
  package static let maxLength = 1024

  /// Returns the reason why a path is not allowed inside a bundle, or `nil` if it is.
  package static func rejectionReason(for name: String) -> String? {
    let bytes = name.utf8
    let components = bytes.split(separator: ASCII.slash, omittingEmptySubsequences: true)
    let isEmpty = components.allSatisfy { $0.elementsEqual([ASCII.dot]) }
    if bytes.first == ASCII.slash { return "absolute path" }
    if components.contains(where: { $0.elementsEqual([ASCII.dot, ASCII.dot]) }) {
      return "path contains '..'"
    }
    if bytes.contains(ASCII.backslash) { return "path contains a backslash" }
    if bytes.contains(where: { $0 < ASCII.space || $0 == 0x7F }) {
      return "path contains a control character"
    }
    if bytes.count > maxLength { return "path is longer than \(maxLength) bytes" }
    return isEmpty ? "empty path" : nil
  }
}

/// The description that a bundle was opened with, used to detect changes on disk.
struct DescriptionSnapshot: Sendable, Hashable {
  /// The bytes of the description.
  let bytes: [UInt8]
  private let identity: FileIdentity?

  init(_ folder: BundleFolder) throws(ModelError) {
    identity = Self.identity(in: folder)
    bytes = try folder.descriptionBytes()
  }

  /// Returns whether the folder now holds a different description.
  ///
  /// A change of timestamps, permissions or link count alone is not a change.
  func hasChanged(in folder: BundleFolder) -> Bool {
    guard Self.identity(in: folder) != identity else { return false }
    // Without the manifest, which is the old bundle's and would reject every new description.
    guard let path = try? folder.resolvedPath(of: BundleFolder.descriptionName),
      let current = try? FileBytes.read(path, limit: JSONLimits.maxDescriptionBytes)
    else { return false }
    return current != bytes
  }

  /// Compares the bytes; the identity of the file does not matter.
  static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  private static func identity(in folder: BundleFolder) -> FileIdentity? {
    FileIdentity(folder.root + "/" + BundleFolder.descriptionName)
  }
}

/// Makes folders of bundles that are stored in another form.
///
/// ``ZipBundleUnpacker`` unpacks zip archives.
package protocol BundleUnpacker: Sendable {
  /// Makes the folder of a bundle; returns `nil` for a path that is that of a folder already.
  func unpack(_ path: String) throws(ModelError) -> UnpackedBundle?
}

/// A temporary folder with a bundle, which is removed when nothing opened from it is in use.
package final class UnpackedBundle: Sendable {
  /// The path of the folder.
  package let path: String
  /// The folders, without links in their paths, that links in the folder may lead to.
  package let linkedFolders: [String]
  /// What was guessed of the bundle and should be reviewed.
  package let notes: [String]

  private let remove: @Sendable () -> Void

  /// Creates a reference to a folder, with a closure that removes it.
  package init(
    path: String, linkedFolders: [String] = [], notes: [String] = [],
    onRelease remove: @escaping @Sendable () -> Void
  ) {
    (self.path, self.linkedFolders, self.notes) = (path, linkedFolders, notes)
    self.remove = remove
  }

  deinit { remove() }
}

extension UnpackedBundle: Hashable {
  /// Returns whether both refer to the same unpacked copy.
  package static func == (left: UnpackedBundle, right: UnpackedBundle) -> Bool { left === right }

  /// Hashes the identity of the copy.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
