import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The entry of one model in the weight cache.
///
/// An entry is a folder with the file that the runtime writes and reads, and a checksum of that
/// file. The checksum is verified before every use because LiteRT trusts the file and crashes on
/// some corrupt ones.
struct CachedWeights: Sendable {
  /// The size below which caching saves no time.
  static let minModelByteCount = 1 << 18
  /// The maximum number of cached models; the oldest entry is evicted first.
  static let maxEntries = 64

  private static let weightsFileName = "weights"
  private static let fingerprintFileName = "fingerprint"

  /// The files whose checksum this process has verified, so that later sessions do not repeat it.
  private static let verifiedFiles = Mutex<[String: FileIdentity]>([:])

  private let folder: String
  private let entryPath: String

  /// Returns the entry for the model with the given digest, or `nil` if the cache's path contains
  /// characters that the runtime's TOML options cannot express.
  init?(in cache: WeightCache, digest: () -> String) {
    folder = "\(cache.path)/weights"
    guard
      folder.unicodeScalars.allSatisfy({
        $0.value >= 0x20 && !"\"\\\u{7F}".unicodeScalars.contains($0)
      })
    else { return nil }
    entryPath = "\(folder)/\(digest())"
  }

  private init(folder: String, entryPath: String) {
    (self.folder, self.entryPath) = (folder, entryPath)
  }

  /// Returns the entry for a copy of the model that differs from it as the text says.
  func forCopy(_ difference: String) -> CachedWeights {
    let digest = SHA256.digest(of: Array("\(entryPath) \(difference)".utf8)).hexadecimal
    return CachedWeights(folder: folder, entryPath: "\(folder)/\(digest)")
  }

  /// Calls `compile` with the cached file, or with a new one that becomes the cache entry.
  ///
  /// `compile` receives `nil` if the cache cannot be written. If another process wrote the entry in the
  /// meantime, the result is discarded and `compile` is called again with that entry, so that all
  /// processes map one file.
  ///
  /// - Parameters:
  ///   - discard: Releases a result that is not returned.
  ///   - compile: Opens the model with a file of weights.
  /// - Returns: The result of the last call of `compile`.
  /// - Throws: The error of `compile`.
  func withCacheFile<Compiled>(
    discarding discard: (Compiled) -> Void,
    _ compile: (_ file: String?) throws(ModelError) -> Compiled
  ) throws(ModelError) -> Compiled {
    let cached = "\(entryPath)/\(Self.weightsFileName)"
    if isValid { return try compile(cached) }
    FileSystem.remove(entryPath)
    guard let (staging, lock) = try? stagingFolder() else { return try compile(nil) }
    defer { withExtendedLifetime(lock) { FileSystem.remove(staging) } }
    let compiled = try compile("\(staging)/\(Self.weightsFileName)")
    guard !commit(staging), isValid else { return compiled }
    discard(compiled)
    return try compile(cached)
  }

  private var isValid: Bool {
    let file = "\(entryPath)/\(Self.weightsFileName)"
    guard let identity = FileIdentity(file) else { return false }
    if Self.verifiedFiles.withLock({ $0[file] }) == identity { return true }
    guard
      let expected = try? FileBytes.contents(
        of: "\(entryPath)/\(Self.fingerprintFileName)", limit: 64),
      let checksum = try? FileChecksum.of(file), expected == Self.hexadecimal(checksum)
    else { return false }
    Self.verifiedFiles.withLock { $0[file] = identity }
    return true
  }

  private func stagingFolder() throws(FileError) -> (path: String, lock: DirectoryLock?) {
    try FileSystem.createDirectories(folder)
    AtomicReplace.removeAbandoned(beside: entryPath)
    return try DirectoryLock.createStagingDirectory(beside: entryPath)
  }

  /// Moves the staging folder to its final path if the runtime wrote a weights file.
  ///
  /// - Returns: Whether the folder is the cache entry now.
  private func commit(_ staging: String) -> Bool {
    guard let checksum = try? FileChecksum.of("\(staging)/\(Self.weightsFileName)"),
      (try? AtomicFile.write(
        Self.hexadecimal(checksum), to: "\(staging)/\(Self.fingerprintFileName)",
        isDurable: false)) != nil,
      (try? FileSystem.move(staging, to: entryPath)) != nil
    else { return false }
    evictOldest()
    return true
  }

  private func evictOldest() {
    let entries = ((try? FileSystem.entryNames(in: folder)) ?? []).map { "\(folder)/\($0)" }
    guard entries.count > Self.maxEntries else { return }
    let oldestFirst = entries.sorted {
      (FileStamp($0)?.modificationTime ?? 0) < (FileStamp($1)?.modificationTime ?? 0)
    }
    oldestFirst.dropLast(Self.maxEntries).forEach(FileSystem.remove)
  }

  private static func hexadecimal(_ number: UInt64) -> [UInt8] {
    Array(String(number, radix: 16).utf8)
  }
}

/// A cache of model digests, keyed by file identity.
///
/// Computing the digest is the slowest part of opening a model whose weights are cached.
struct DigestCache {
  /// The maximum number of entries; when it is reached, the cache is cleared.
  static let maxEntries = 1024
  private static let digestLength = 64

  private let folder: String

  init(in cache: WeightCache) { folder = "\(cache.path)/digests" }

  /// Returns the cached digest of a file in hexadecimal, or computes and caches it.
  func digest(of identity: FileIdentity?, _ compute: () -> [UInt8]) -> String {
    guard let identity, identity.isSettled else { return compute().hexadecimal }
    let path = "\(folder)/\(identity.key)"
    if let cached = read(path) { return cached }
    let digest = compute().hexadecimal
    store(digest, at: path)
    return digest
  }

  private func read(_ path: String) -> String? {
    guard let bytes = try? FileBytes.contents(of: path, limit: Self.digestLength),
      bytes.count == Self.digestLength,
      bytes.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes an entry; write errors are ignored because the digest can be computed again.
  private func store(_ digest: String, at path: String) {
    if ((try? FileSystem.entryNames(in: folder)) ?? []).count >= Self.maxEntries {
      FileSystem.remove(folder)
    }
    try? FileSystem.createDirectories(folder)
    try? AtomicFile.write(Array(digest.utf8), to: path, isDurable: false)
  }
}
