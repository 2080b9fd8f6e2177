import TensorIOJSON
import TensorIOSystem

/// What a bundle consists of: every file, with its size and its digest.
///
/// It lies in the bundle as `manifest.json`. A bundle that has one is compared with it whenever it is
/// opened, before anything else of it is.
package struct BundleManifest: Sendable, Hashable {
  /// A file of the bundle.
  package struct File: Sendable, Hashable {
    /// Where it lies in the bundle's folder.
    package let path: String
    /// How many bytes it has.
    package let byteCount: Int
    /// Its SHA-256, as hexadecimal digits.
    package let digest: String
  }

  /// The bundle's identifier.
  package let id: String
  /// The bundle's version.
  package let version: String
  /// All files but the manifest and its signature, by the bytes of their paths.
  package let files: [File]

  /// What it is called in a bundle's folder.
  package static let name = "manifest.json"
  /// What its signature is called.
  package static let signatureName = name + ".minisig"
  /// The files that it does not list.
  package static let excludedNames = [name, signatureName]

  /// What says which bundle it is of, or which chain.
  static let descriptionNames = [BundleFolder.descriptionName, BundleFolder.chainName]

  /// Bundles of today have ten files, and zips of bundles have no more than this.
  static let maxFiles = 4096
  /// Enough for so many files with long names.
  static let maxBytes = 4 << 20
  /// A signature has three hundred bytes, and a comment.
  static let maxSignatureBytes = 1 << 14

  /// What a path's bytes have to be.
  func file(at path: String) -> File? {
    files.first { $0.path.utf8.elementsEqual(path.utf8) }
  }
}

extension ModelError {
  /// The bundle is not what its manifest says.
  static func manifestMismatch(_ problem: String) -> ModelError {
    ModelError(.runtime, .manifestMismatch(detail: problem))
  }
}

extension BundleManifest {
  /// Whether it can be told of another version whether it is older.
  package var hasNumericVersion: Bool { DottedVersion(version) != nil }
}

extension BundleManifest {
  private static let format = 1

  /// The text of the file, of which there is one for every manifest.
  package var bytes: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("format", Self.format)
      writer.member("id", id)
      writer.member("version", version)
      writer.member("files", array: { writer in files.forEach { $0.write(to: &writer) } })
    }
    return writer.bytes + [ASCII.lineFeed]
  }

  /// Reads the file, which must be written as it is written here, to the bit.
  package init(_ bytes: [UInt8]) throws(ModelError) {
    let limits = JSONLimits(bytes: Self.maxBytes)
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root,
      root["format"]?.int == Int64(Self.format), let id = root["id"]?.string,
      let version = root["version"]?.string, let files = root["files"]?.elements
    else { throw .manifestMismatch("\(Self.name) is no manifest of a format that is known") }
    (self.id, self.version) = (id, version)
    self.files = files.compactMap(File.init)
    guard self.bytes == bytes, isSorted else {
      throw .manifestMismatch("\(Self.name) is not written as manifests are")
    }
  }

  private var isSorted: Bool {
    zip(files, files.dropFirst()).allSatisfy {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
  }
}

extension BundleManifest.File {
  fileprivate init?(_ node: JSONNode) {
    guard let path = node["path"]?.string, let digest = node["sha256"]?.string,
      let byteCount = node["bytes"]?.int.flatMap({ Int(exactly: $0) }), byteCount >= 0
    else { return nil }
    self.init(path: path, byteCount: byteCount, digest: digest)
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("path", path)
      writer.member("bytes", byteCount)
      writer.member("sha256", digest)
    }
  }
}

extension BundleManifest {
  /// Takes the manifest of what is in a folder now.
  package init(of folder: String) throws(ModelError) {
    let paths = try BundleFileList(of: folder).paths
    if let hidden = paths.first(where: \.hasHiddenPart) {
      throw .manifestMismatch("'\(hidden)' is hidden, and hidden files are not packed: remove it")
    }
    try self.init(paths.map { ($0, "\(folder)/\($0)") })
  }

  /// Takes the manifest of files that lie anywhere, by the paths that they have in their bundle.
  package init(_ files: [(name: String, path: String)]) throws(ModelError) {
    let listed = files.filter { !Self.excludedNames.contains($0.name) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.files = try listed.map { (name, path) throws(ModelError) in try File(name, at: path) }
    let identity = try Self.identity(in: listed)
    (id, version) = (identity.id, identity.version)
  }

  /// What the description of a bundle or of a chain says, whatever else is wrong with it.
  private static func identity(
    in files: [(name: String, path: String)]
  ) throws(ModelError) -> (id: String, version: String) {
    let found = descriptionNames.lazy.compactMap { name in files.first { $0.name == name } }.first
    guard let found else {
      throw ModelError(.bundle, .missingFile(BundleFolder.descriptionName))
    }
    let bytes = try FileBytes.read(
      found.path, named: found.name, limit: JSONLimits.maxDescriptionBytes)
    let root = try? JSONDocument(parsing: bytes, dialect: .modelDescription).root
    return (root?["id"]?.string ?? "", root?["version"]?.string ?? "")
  }
}

extension BundleManifest.File {
  init(_ name: String, at path: String) throws(ModelError) {
    do throws(FileError) {
      let (digest, byteCount) = try SHA256.digest(ofFile: path)
      self.init(path: name, byteCount: byteCount, digest: digest.hexadecimal)
    } catch {
      throw ModelError(.bundle, error.reason(named: name))
    }
  }
}

extension String {
  fileprivate var hasHiddenPart: Bool {
    split(separator: "/").contains { $0.hasPrefix(".") }
  }
}

extension BundleManifest {
  /// Writes the manifest of what is in a folder into it, in the place of one that is there.
  ///
  /// A signature that is there is of another manifest, and goes; so do folders that hold nothing.
  @discardableResult
  package static func write(
    into folder: String, describedBy description: String = BundleFolder.descriptionName
  ) throws(ModelError) -> BundleManifest {
    guard FileKind(at: "\(folder)/\(description)") == .file else {
      throw ModelError(.bundle, .missingFile(description), file: folder)
    }
    removeEmptyFolders(in: folder)
    let manifest = try BundleManifest(of: folder)
    try AtomicDirectoryWriter.mapFileErrors(at: "\(folder)/\(name)") { () throws(FileError) in
      FileSystem.remove("\(folder)/\(signatureName)")
      try AtomicFile.write(manifest.bytes, to: "\(folder)/\(name)")
    }
    return manifest
  }

  /// Whether there is nothing left of a folder's content is known when that has been gone through.
  private static func removeEmptyFolders(in folder: String) {
    for name in (try? FileSystem.entryNames(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      guard FileKind(at: path, followingSymlinks: false) == .directory else { continue }
      removeEmptyFolders(in: path)
      if (try? FileSystem.entryNames(in: path))?.isEmpty == true { FileSystem.remove(path) }
    }
  }
}
