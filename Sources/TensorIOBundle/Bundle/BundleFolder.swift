import TensorIOJSON
import TensorIOSystem

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
  package let root: String
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
    at path: String, unpacking archives: (any BundleUnpacker)? = nil,
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self.path = FilePath.removingTrailingSlashes(path)
    guard !path.utf8.contains(0) else {
      throw ModelError(.bundle, .unsafeName(path))
    }
    unpacked = FileKind(at: path) == .file ? try archives?.unpack(path) : nil
    let folder = unpacked?.path ?? path
    guard let kind = FileKind(at: folder), let root = FilePath.resolved(folder) else {
      throw ModelError(.bundle, .missingBundle, file: path)
    }
    guard kind == .directory else {
      let found = kind == .file ? "a file" : "neither a file nor a folder"
      throw ModelError(.bundle, .notABundle(found: found), file: path)
    }
    self.root = root
    do throws(ModelError) {
      manifest = try trust.verifiedManifest(in: root)
    } catch {
      throw error.in(file: path)
    }
  }

  /// The text of the description.
  package func descriptionBytes() throws(ModelError) -> [UInt8] {
    try bytes(of: BundleFolder.descriptionName, limit: JSONLimits.maxDescriptionBytes)
  }

  /// The bytes of a file of the bundle.
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

  /// Where a file or folder of the bundle lies, which must be there and inside.
  package func resolvedPath(of name: String) throws(ModelError) -> String {
    guard BundlePath.rejectionReason(for: name) == nil else {
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
  func manifestVerifier(for path: String) -> ManifestVerifier? {
    manifest.map { manifest in
      let prefix = root == "/" ? root : root + "/"
      return ManifestVerifier(
        manifest: manifest,
        path: String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
  }

  /// What is wrong, or doubtful, about the folder's own name.
  package func nameDiagnostic(_ severity: Diagnostic.Severity) -> Diagnostic? {
    let extensions = [path, root].map(BundleFolder.pathExtension(of:))
    if extensions.contains(BundleFolder.pathExtension) { return nil }
    if extensions.contains(BundleFolder.deprecatedExtension) {
      return Diagnostic(
        .warning, .deprecatedExtension, path: "", expected: ".tiobundle", found: ".tfbundle",
        message: "The name of the folder ends as those of older bundles do.",
        suggestion: "rename it to end in .tiobundle")
    }
    return Diagnostic(
      severity, .wrongExtension, path: "", expected: "a name that ends in .tiobundle",
      found: BundleFolder.lastPathComponent(of: path),
      message: "The name of the folder does not end in .tiobundle.",
      suggestion: "rename it to end in .tiobundle",
      legacyCode: severity == .error ? .wrongExtension : nil)
  }

  // MARK: Names

  /// The name of a path's last part.
  static func lastPathComponent(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// What follows the last dot of a name, in small letters.
  package static func pathExtension(of path: String) -> String {
    let name = lastPathComponent(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}

/// The names by which a bundle speaks of its own files.
package enum BundlePath {
  /// As many bytes as a name may have; more than any file system's.
  package static let maxLength = 1024

  /// Why a name cannot be that of a file inside a bundle, or `nil` when it can.
  package static func rejectionReason(for name: String) -> String? {
    let bytes = name.utf8
    let parts = bytes.split(separator: ASCII.slash, omittingEmptySubsequences: true)
    let isEmpty = parts.allSatisfy { $0.elementsEqual([ASCII.dot]) }
    if bytes.first == ASCII.slash { return "it is an absolute path" }
    if parts.contains(where: { $0.elementsEqual([ASCII.dot, ASCII.dot]) }) {
      return "it has a part '..'"
    }
    if bytes.contains(ASCII.backslash) { return "it has a backslash" }
    if bytes.contains(where: { $0 < ASCII.space || $0 == 0x7F }) {
      return "it has a control character"
    }
    if bytes.count > maxLength { return "it is longer than \(maxLength) bytes" }
    return isEmpty ? "it names no file" : nil
  }
}

/// The description that a bundle was opened with, by which one sees that the bundle is still there.
struct DescriptionSnapshot: Sendable, Hashable {
  /// What was read.
  let bytes: [UInt8]
  private let identity: FileIdentity?

  init(_ folder: BundleFolder) throws(ModelError) {
    identity = Self.identity(in: folder)
    bytes = try folder.descriptionBytes()
  }

  /// Whether another description has come into the folder.
  ///
  /// One that was only touched, or of which a link was made, is the same.
  func hasChanged(in folder: BundleFolder) -> Bool {
    guard Self.identity(in: folder) != identity else { return false }
    guard let now = try? folder.descriptionBytes() else { return false }
    return now != bytes
  }

  /// Bundles are the same by what they say, whenever their files were touched.
  static func == (one: DescriptionSnapshot, other: DescriptionSnapshot) -> Bool { one.bytes == other.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  private static func identity(in folder: BundleFolder) -> FileIdentity? {
    FileIdentity(folder.root + "/" + BundleFolder.descriptionName)
  }
}

/// What makes folders of bundles that come as files.
///
/// The pipeline knows folders and nothing of archives: whoever opens a bundle may bring along
/// something that does. `import TensorIO` brings one for zips.
public protocol BundleUnpacker: Sendable {
  /// Unpacks the bundle that a file holds.
  func unpack(_ path: String) throws(ModelError) -> UnpackedBundle
}

/// The folder of a bundle that came as a file, for as long as anything opened from it is in use.
public final class UnpackedBundle: Sendable {
  /// Where the folder lies.
  public let path: String

  private let remove: @Sendable () -> Void

  /// A folder, and what removes it when nobody uses it any more.
  public init(path: String, onRelease remove: @escaping @Sendable () -> Void) {
    self.path = path
    self.remove = remove
  }

  deinit { remove() }
}

extension UnpackedBundle: Hashable {
  /// Whether both are the same copy.
  public static func == (left: UnpackedBundle, right: UnpackedBundle) -> Bool { left === right }

  /// Hashes the identity of the copy.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
