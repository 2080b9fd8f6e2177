import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The place of one model's weights in a cache.
///
/// It is a folder with the file that the runtime writes and reads, and with that file's fingerprint: the
/// runtime believes what it reads, and dies of some of what is damaged.
struct CachedWeights: Sendable {
  /// Of smaller models there is nothing to be gained.
  static let minModelByteCount = 1 << 18
  /// So many models are kept; the one that was written first goes.
  static let maxEntries = 64

  private static let weightsFileName = "weights"
  private static let fingerprintFileName = "fingerprint"

  /// The files that this process has read through already: each session of a model would do it again.
  private static let verifiedFiles = Mutex<[String: FileIdentity]>([:])

  private let folder: String
  private let entryPath: String

  /// The place for the weights of a model that is known by a digest; `nil` where the runtime's options
  /// could not name it.
  init?(in cache: WeightCache, digest: () -> String) {
    folder = "\(cache.path)/weights"
    guard
      folder.unicodeScalars.allSatisfy({
        $0.value >= 0x20 && !"\"\\\u{7F}".unicodeScalars.contains($0)
      })
    else { return nil }
    entryPath = "\(folder)/\(digest())"
  }

  /// Compiles with the weights that are kept, or else keeps those that are made.
  func withCacheFile<Compiled>(
    _ compile: (_ file: String?) throws(ModelError) -> Compiled
  ) throws(ModelError) -> Compiled {
    if isValid { return try compile("\(entryPath)/\(Self.weightsFileName)") }
    FileSystem.remove(entryPath)
    guard let (staging, lock) = try? stagingFolder() else { return try compile(nil) }
    defer { withExtendedLifetime(lock) { FileSystem.remove(staging) } }
    let compiled = try compile("\(staging)/\(Self.weightsFileName)")
    commit(staging)
    return compiled
  }

  private var isValid: Bool {
    let file = "\(entryPath)/\(Self.weightsFileName)"
    guard let identity = FileIdentity(file) else { return false }
    if Self.verifiedFiles.withLock({ $0[file] }) == identity { return true }
    guard let told = try? FileBytes.contents(of: "\(entryPath)/\(Self.fingerprintFileName)", limit: 64),
      let found = try? FileChecksum.of(file), told == Self.hexadecimal(found)
    else { return false }
    Self.verifiedFiles.withLock { $0[file] = identity }
    return true
  }

  private func stagingFolder() throws(FileError) -> (path: String, lock: DirectoryLock?) {
    try FileSystem.createDirectories(folder)
    AtomicReplace.removeAbandoned(beside: entryPath)
    return try DirectoryLock.createStagingDirectory(beside: entryPath)
  }

  /// Puts what was made into its place, unless nothing was.
  private func commit(_ staging: String) {
    guard let found = try? FileChecksum.of("\(staging)/\(Self.weightsFileName)"),
      (try? AtomicFile.write(Self.hexadecimal(found), to: "\(staging)/\(Self.fingerprintFileName)")) != nil,
      (try? FileSystem.move(staging, to: entryPath)) != nil
    else { return }
    evictOldest()
  }

  private func evictOldest() {
    let places = ((try? FileSystem.entryNames(in: folder)) ?? []).map { "\(folder)/\($0)" }
    guard places.count > Self.maxEntries else { return }
    let byAge = places.sorted { (FileStamp($0)?.modificationTime ?? 0) < (FileStamp($1)?.modificationTime ?? 0) }
    byAge.dropLast(Self.maxEntries).forEach(FileSystem.remove)
  }

  private static func hexadecimal(_ number: UInt64) -> [UInt8] { Array(String(number, radix: 16).utf8) }
}

/// Digests of models that were read before, by the identities of their files.
///
/// A digest takes longer than all else that opening a model again needs.
struct DigestCache {
  /// So many are remembered; then all begin anew.
  static let maxEntries = 1024
  private static let digestLength = 64

  private let folder: String

  init(in cache: WeightCache) { folder = "\(cache.path)/digests" }

  /// The digest of a file as text: the one that is remembered, or else the one that is found.
  func digest(of identity: FileIdentity?, _ find: () -> [UInt8]) -> String {
    guard let identity, identity.isSettled else { return find().hexadecimal }
    let path = "\(folder)/\(identity.key)"
    if let known = read(path) { return known }
    let found = find().hexadecimal
    store(found, at: path)
    return found
  }

  private func read(_ path: String) -> String? {
    guard let bytes = try? FileBytes.contents(of: path, limit: Self.digestLength),
      bytes.count == Self.digestLength,
      bytes.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What cannot be remembered is found again.
  private func store(_ digest: String, at path: String) {
    if ((try? FileSystem.entryNames(in: folder)) ?? []).count >= Self.maxEntries { FileSystem.remove(folder) }
    try? FileSystem.createDirectories(folder)
    try? AtomicFile.write(Array(digest.utf8), to: path)
  }
}
