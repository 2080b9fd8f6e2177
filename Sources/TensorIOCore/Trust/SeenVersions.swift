internal import TensorIOSystem

/// A file that remembers the highest version that was seen of each signed bundle.
///
/// A signature does not age: with this, an old bundle is not taken for the newest because it is
/// signed. It guards against others, and not against whoever can write the file.
public struct SeenVersions: Sendable {
  /// Where the file lies; it need not be there yet.
  public let path: String

  /// The versions that a file remembers.
  public init(at path: String) {
    self.path = path
  }

  /// Refuses a version that is older than one that was seen of the same bundle and signer.
  func check(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let seen = try read().first { $0.isOf(manifest.id, signer) }
    guard let seen, seen.isAbove(manifest.version) else { return }
    throw ModelError(.runtime, .olderBundle(version: manifest.version, seen: seen.version))
  }

  /// Remembers a version, unless a higher one was seen.
  func remember(_ manifest: BundleManifest, signer: String) throws(ModelError) {
    let new = Version(id: manifest.id, key: signer, version: manifest.version)
    guard try !read().contains(new) else { return }
    try locked { () throws(ModelError) in
      let all = try read()
      guard !all.contains(where: { $0.isOf(new.id, new.key) && $0.isAbove(new.version) }) else {
        return
      }
      try write(all.filter { !$0.isOf(new.id, new.key) } + [new])
    }
  }

  private func locked(_ body: () throws(ModelError) -> Void) throws(ModelError) {
    let folder = FilePath.parent(of: path)
    do throws(FileFault) {
      try Folder.makeAll(folder)
    } catch {
      throw ModelError(.run, .unwritable(folder, problem: error.problem))
    }
    let lock = FolderLock.waiting(folder)
    defer { withExtendedLifetime(lock) {} }
    try body()
  }
}

// MARK: The file

extension SeenVersions {
  /// The highest version of a bundle by a signer.
  struct Version: Hashable {
    let id: String
    let key: String
    let version: String

    func isOf(_ id: String, _ key: String) -> Bool {
      self.id.utf8.elementsEqual(id.utf8) && self.key == key
    }

    /// What cannot be compared is older, unless it is the same.
    func isAbove(_ other: String) -> Bool {
      guard !version.utf8.elementsEqual(other.utf8) else { return false }
      guard let own = DottedVersion(version), let other = DottedVersion(other) else { return true }
      return own > other
    }
  }

  private static let limit = 16 << 20

  private func read() throws(ModelError) -> [Version] {
    guard FileKind(at: path) != nil else { return [] }
    let bytes = try FileBytes.read(path, limit: Self.limit, stage: .run)
    let root = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: Self.limit)).root
    let versions = root?["versions"]?.elements?.map(Version.init)
    guard let versions, !versions.contains(nil) else {
      throw ModelError(
        .run, .unreadableFile(path, problem: "it is no record of versions; mend or remove it"))
    }
    return versions.compactMap(\.self)
  }

  private func write(_ versions: [Version]) throws(ModelError) {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("versions", array: { writer in versions.forEach { $0.write(to: &writer) } })
    }
    let text = writer.bytes + [ASCII.lineFeed]
    try Staging.file(at: path, overwriting: true, failure: ModelError.init) {
      (staging) throws(ModelError) in
      try WholeFolder.at(path) { () throws(FileFault) in try CompleteFile.write(text, to: staging) }
    }
  }
}

extension SeenVersions.Version {
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
