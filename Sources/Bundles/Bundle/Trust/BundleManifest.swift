import TensorIOJSON
import TensorIOSystem

/// The list of a bundle's files with their sizes and digests, stored as `manifest.json`.
///
/// A bundle with a manifest is verified against it on every opening, before any other file is read.
package struct BundleManifest: Sendable, Hashable {
  /// A file of the bundle.
  package struct File: Sendable, Hashable {
    /// The path relative to the bundle's folder.
    package fileprivate(set) var path: String
    /// The size in bytes.
    package fileprivate(set) var byteCount: Int
    /// The SHA-256 digest as hexadecimal digits.
    package fileprivate(set) var digest: String
  }

  /// The bundle's identifier.
  package private(set) var id: String
  /// The bundle's version.
  package private(set) var version: String
  /// All files except the manifest and its signature, sorted by the bytes of their paths.
  package private(set) var files: [File]

  /// The file name of the manifest.
  package static let name = "manifest.json"
  /// The file name of the manifest's signature.
  package static let signatureName = name + ".minisig"
  /// The files that are not listed in the manifest.
  package static let excludedNames = [name, signatureName]

  /// The files that hold the id and version of a bundle or chain.
  static let descriptionNames = [BundleFolder.descriptionName, BundleFolder.chainName]

  /// The maximum number of files, as in an archive.
  static let maxFiles = ArchiveLimits.maxEntries
  /// The maximum size of a manifest in bytes.
  static let maxBytes = 4 << 20
  /// The maximum size of a signature in bytes.
  static let maxSignatureBytes = 1 << 14

  /// Returns the entry of a file, or `nil` if it is not listed.
  func file(at path: String) -> File? {
    files.first { $0.path.utf8.elementsEqual(path.utf8) }
  }
}

extension ModelError {
  /// Returns an error for a bundle that does not match its manifest.
  static func manifestMismatch(_ detail: String) -> ModelError {
    ModelError(.runtime, .manifestMismatch(detail: detail))
  }
}

extension BundleManifest {
  /// Whether the version consists of numbers, so that it can be compared with others.
  package var hasNumericVersion: Bool { DottedVersion(version) != nil }
}

extension BundleManifest {
  private static let format = ObjectFormat(
    "a manifest", schema: "manifest", BundleManifest(id: "", version: "", files: [])
  ) {
    Field("format", \.formatVersion, .integer(1...1), "The version of the format.")
    Field("id", \.id, .string, "The bundle's identifier.")
    Field("version", \.version, .string, "The bundle's version.")
    Field("files", \.files, .list(of: File.format.value, "files"), "The files, sorted by path.")
  }

  private var formatVersion: Int {
    get { 1 }
    set {}
  }

  /// The canonical text of the file.
  package var bytes: [UInt8] { Self.format.value.document(self) }

  /// Parses a manifest, which must be in canonical form, byte for byte.
  package init(_ bytes: [UInt8]) throws(ModelError) {
    let limits = JSONLimits(bytes: Self.maxBytes)
    var reader = FormatReader()
    guard let root = try? JSONDocument(parsing: bytes, limits: limits).root,
      let manifest = Self.format.read(root, &reader)
    else { throw .manifestMismatch("\(Self.name) has an unknown format") }
    guard manifest.bytes == bytes, manifest.isSorted else {
      throw .manifestMismatch("\(Self.name) is not in canonical form")
    }
    self = manifest
  }

  private var isSorted: Bool {
    zip(files, files.dropFirst()).allSatisfy {
      $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
  }
}

extension BundleManifest.File {
  fileprivate static let format = ObjectFormat(
    "a file", schema: "file", Self(path: "", byteCount: 0, digest: "")
  ) {
    Field("path", \.path, .string, "The path relative to the bundle's folder.")
    Field("bytes", \.byteCount, .integer(0...Int.max), "The size.")
    Field("sha256", \.digest, .string, "The digest as hexadecimal digits.")
  }
}

extension BundleManifest {
  /// Creates the manifest of the files in a folder.
  package init(of folder: String) throws(ModelError) {
    let paths = try Self.paths(in: folder)
    if let hidden = paths.first(where: \.hasHiddenPart) {
      throw .manifestMismatch("hidden file '\(hidden)' cannot be packed; remove it")
    }
    try self.init(paths.map { ($0, "\(folder)/\($0)") })
  }

  /// Creates the manifest of files at any location, given their paths in the bundle.
  package init(_ files: [(name: String, path: String)]) throws(ModelError) {
    let listed = files.filter { !Self.excludedNames.contains($0.name) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.files = try listed.map { (name, path) throws(ModelError) in try File(name, at: path) }
    let identity = try Self.identity(in: listed)
    (id, version) = (identity.id, identity.version)
  }

  /// Returns id and version from the description of a bundle or chain, which need not be valid.
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
  /// Writes the manifest of a folder's files into it, replacing an existing one.
  ///
  /// Removes an existing signature, which would no longer match, and empty folders.
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

  /// Removes empty folders, depth first because removing a folder may empty its parent.
  private static func removeEmptyFolders(in folder: String) {
    for name in (try? FileSystem.entryNames(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      guard FileKind(at: path, followingSymlinks: false) == .directory else { continue }
      removeEmptyFolders(in: path)
      if (try? FileSystem.entryNames(in: path))?.isEmpty == true { FileSystem.remove(path) }
    }
  }
}
