import TensorIOJSON
import TensorIOSystem

/// A file with the highest version opened so far of each signed bundle.
///
/// Signatures do not expire, so the signature of an old version with known defects remains
/// valid. The history prevents downgrades to such versions. It does not protect against users who
/// can write to the file.
public struct VersionHistory: Sendable {
  /// The path of the file, which need not exist yet.
  public let path: String
  private let isReadOnly: @Sendable (String) -> Bool

  /// Creates a version history stored in a file.
  public init(at path: String) { self.init(at: path, isReadOnly: FileSystem.isReadOnly) }

  /// Creates a version history with another check whether files can be created in a folder.
  init(at path: String, isReadOnly: @escaping @Sendable (String) -> Bool) {
    (self.path, self.isReadOnly) = (path, isReadOnly)
  }

  /// Throws an error if a version is older than the recorded one of the same bundle and signer.
  func throwIfDowngrade(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let recorded = try read().first { $0.matches(id: manifest.id, key: signer) }
    guard let recorded, recorded.isNewer(than: manifest.version) else { return }
    throw ModelError(
      .runtime, .bundleDowngrade(version: manifest.version, installed: recorded.version))
  }

  /// Records a version, unless a higher one is recorded.
  ///
  /// In a read-only folder, as in some containers, the record does not change: bundles older than
  /// the recorded versions are still rejected, and newer ones open.
  func record(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let new = Entry(id: manifest.id, key: signer, version: manifest.version)
    guard try !read().contains(new) else { return }
    guard !isReadOnly(FilePath.parent(of: path)) else { return }
    try withLock { () throws(ModelError) in
      let entries = try read()
      let recorded = entries.filter { $0.matches(id: new.id, key: new.key) }
      guard !recorded.contains(where: { $0.isNewer(than: new.version) }) else { return }
      try write(entries.filter { !$0.matches(id: new.id, key: new.key) } + [new])
    }
  }

  private func withLock(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    let folder = FilePath.parent(of: path)
    let lock: DirectoryLock
    do throws(FileError) {
      try FileSystem.createDirectories(folder)
      lock = try DirectoryLock.acquire(folder)
    } catch {
      throw ModelError(.run, .unwritable(folder, detail: error.message))
    }
    defer { withExtendedLifetime(lock) {} }
    try body()
  }
}

// MARK: File format

extension VersionHistory {
  /// The highest version of a bundle by one signer.
  struct Entry: Hashable {
    var id = ""
    var key = ""
    var version = ""

    func matches(id: String, key: String) -> Bool {
      self.id.utf8.elementsEqual(id.utf8) && self.key == key
    }

    /// Returns whether this version is newer than another.
    ///
    /// Two different versions that cannot be compared count as a downgrade.
    func isNewer(than other: String) -> Bool {
      guard !version.utf8.elementsEqual(other.utf8) else { return false }
      guard let recorded = DottedVersion(version), let other = DottedVersion(other) else {
        return true
      }
      return recorded > other
    }
  }

  private static let maxBytes = 16 << 20

  private static let format = ObjectFormat<[Entry]>("a version history", schema: "history", []) {
    Field("versions", \.self, .list(of: Entry.format.value, "versions"), "The highest versions.")
  }

  private func read() throws(ModelError) -> [Entry] {
    guard FileKind(at: path) != nil else { return [] }
    let bytes = try FileBytes.read(path, limit: Self.maxBytes, stage: .run)
    do throws(ModelError) {
      return try Self.format.value.read(bytes, limits: JSONLimits(bytes: Self.maxBytes))
    } catch {
      throw ModelError(
        .run, .unreadableFile(path, detail: "not a valid version history; repair or delete it"))
    }
  }

  private func write(_ versions: [Entry]) throws(ModelError) {
    let text = Self.format.value.document(versions)
    try Staging.file(at: path, overwriting: true, mapError: ModelError.init) {
      (staging) throws(ModelError) in
      try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
        try AtomicFile.write(text, to: staging, isDurable: false)
      }
    }
  }
}

extension VersionHistory.Entry {
  fileprivate static let format = ObjectFormat("a version", schema: "version", Self()) {
    Field("id", \.id, .string, "The identifier of the bundle.")
    Field("key", \.key, .string, "The key of the signer.")
    Field("version", \.version, .string, "The highest version that was opened.")
  }
}

/// A version made of numbers separated by dots.
struct DottedVersion: Comparable {
  private let numbers: [UInt64]

  /// Parses a version, or returns `nil` if it has another form.
  init?(_ text: String) {
    let components = text.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false)
    let parsed = components.map { component in
      component.allSatisfy(\.isDigit) ? UInt64(String(Substring(component))) : nil
    }
    guard !parsed.contains(nil) else { return nil }
    let numbers = parsed.compactMap(\.self)
    // Trailing zeros do not count: 1.0 equals 1.
    self.numbers = Array(numbers.prefix((numbers.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  static func < (left: DottedVersion, right: DottedVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
