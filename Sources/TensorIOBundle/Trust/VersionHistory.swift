import TensorIOJSON
import TensorIOSystem

/// A file that remembers the highest version that was seen of each signed bundle.
///
/// A signature does not age: with this, an old bundle is not taken for the newest because it is
/// signed. It guards against others, and not against whoever can write the file.
public struct VersionHistory: Sendable {
  /// Where the file lies; it need not be there yet.
  public let path: String

  /// The versions that a file remembers.
  public init(at path: String) {
    self.path = path
  }

  /// Refuses a version that is older than one that was seen of the same bundle and signer.
  func throwIfDowngrade(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let seen = try read().first { $0.matches(id: manifest.id, key: signer) }
    guard let seen, seen.isNewer(than: manifest.version) else { return }
    throw ModelError(.runtime, .bundleDowngrade(version: manifest.version, installed: seen.version))
  }

  /// Remembers a version, unless a higher one was seen.
  func record(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let new = Entry(id: manifest.id, key: signer, version: manifest.version)
    guard try !read().contains(new) else { return }
    try withLock { () throws(ModelError) in
      let all = try read()
      guard !all.contains(where: { $0.matches(id: new.id, key: new.key) && $0.isNewer(than: new.version) }) else {
        return
      }
      try write(all.filter { !$0.matches(id: new.id, key: new.key) } + [new])
    }
  }

  private func withLock(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    let folder = FilePath.parent(of: path)
    do throws(FileError) {
      try FileSystem.createDirectories(folder)
    } catch {
      throw ModelError(.run, .unwritable(folder, detail: error.message))
    }
    let lock = DirectoryLock.acquire(folder)
    defer { withExtendedLifetime(lock) {} }
    try body()
  }
}

// MARK: The file

extension VersionHistory {
  /// The highest version of a bundle by a signer.
  struct Entry: Hashable {
    let id: String
    let key: String
    let version: String

    func matches(id: String, key: String) -> Bool {
      self.id.utf8.elementsEqual(id.utf8) && self.key == key
    }

    /// What cannot be compared is older, unless it is the same.
    func isNewer(than other: String) -> Bool {
      guard !version.utf8.elementsEqual(other.utf8) else { return false }
      guard let own = DottedVersion(version), let other = DottedVersion(other) else { return true }
      return own > other
    }
  }

  private static let maxBytes = 16 << 20

  private func read() throws(ModelError) -> [Entry] {
    guard FileKind(at: path) != nil else { return [] }
    let bytes = try FileBytes.read(path, limit: Self.maxBytes, stage: .run)
    let root = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: Self.maxBytes)).root
    let versions = root?["versions"]?.elements?.map(Entry.init)
    guard let versions, !versions.contains(nil) else {
      throw ModelError(
        .run, .unreadableFile(path, detail: "it is no record of versions; mend or remove it"))
    }
    return versions.compactMap(\.self)
  }

  private func write(_ versions: [Entry]) throws(ModelError) {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("versions", array: { writer in versions.forEach { $0.write(to: &writer) } })
    }
    let text = writer.bytes + [ASCII.lineFeed]
    try Staging.file(at: path, overwriting: true, mapError: ModelError.init) {
      (staging) throws(ModelError) in
      try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in try AtomicFile.write(text, to: staging) }
    }
  }
}

extension VersionHistory.Entry {
  fileprivate init?(_ node: JSONNode) {
    guard let id = node["id"]?.string, let key = node["key"]?.string,
      let version = node["version"]?.string
    else { return nil }
    self.init(id: id, key: key, version: version)
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("key", key)
      writer.member("version", version)
    }
  }
}

/// A version that is made of numbers with dots between them.
struct DottedVersion: Comparable {
  private let numbers: [UInt64]

  /// Reads a version; `nil` when it is made of something else.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false)
    let numbers = parts.map { part in
      part.allSatisfy(\.isDigit) ? UInt64(String(Substring(part))) : nil
    }
    guard !numbers.contains(nil) else { return nil }
    let read = numbers.compactMap(\.self)
    // 1.0 is the same as 1.
    self.numbers = Array(read.prefix((read.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  static func < (left: DottedVersion, right: DottedVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
