internal import Synchronization
internal import TensorIOCore
internal import TensorIOSystem

/// The place of one model's weights in a cache.
///
/// It is a folder with the file that the runtime writes and reads, and with that file's fingerprint: the
/// runtime believes what it reads, and dies of some of what is damaged.
struct KeptWeights: Sendable {
  /// Of smaller models there is nothing to be gained.
  static let leastBytes = 1 << 18
  /// So many models are kept; the one that was written first goes.
  static let count = 64

  private static let weights = "weights"
  private static let fingerprint = "fingerprint"

  /// The files that this process has read through already: each session of a model would do it again.
  private static let looked = Mutex<[String: FileIdentity]>([:])

  private let folder: String
  private let path: String

  /// The place for the weights of a model that is known by a digest; `nil` where the runtime's options
  /// could not name it.
  init?(in cache: WeightCache, digest: () -> String) {
    folder = "\(cache.path)/weights"
    guard
      folder.unicodeScalars.allSatisfy({
        $0.value >= 0x20 && !"\"\\\u{7F}".unicodeScalars.contains($0)
      })
    else { return nil }
    path = "\(folder)/\(digest())"
  }

  /// Compiles with the weights that are kept, or else keeps those that are made.
  func compiling<Compiled>(
    _ compile: (_ file: String?) throws(ModelError) -> Compiled
  ) throws(ModelError) -> Compiled {
    if isWhole { return try compile("\(path)/\(Self.weights)") }
    Folder.remove(path)
    guard let (staging, lock) = try? stagingFolder() else { return try compile(nil) }
    defer { withExtendedLifetime(lock) { Folder.remove(staging) } }
    let compiled = try compile("\(staging)/\(Self.weights)")
    keep(staging)
    return compiled
  }

  private var isWhole: Bool {
    let file = "\(path)/\(Self.weights)"
    guard let identity = FileIdentity(file) else { return false }
    if Self.looked.withLock({ $0[file] }) == identity { return true }
    guard let told = try? FileBytes.contents(of: "\(path)/\(Self.fingerprint)", limit: 64),
      let found = try? FileFingerprint.of(file), told == Self.text(found)
    else { return false }
    Self.looked.withLock { $0[file] = identity }
    return true
  }

  private func stagingFolder() throws(FileFault) -> (path: String, lock: FolderLock?) {
    try Folder.makeAll(folder)
    Placement.removeLeftovers(beside: path)
    return try FolderLock.make(beside: path)
  }

  /// Puts what was made into its place, unless nothing was.
  private func keep(_ staging: String) {
    guard let found = try? FileFingerprint.of("\(staging)/\(Self.weights)"),
      (try? CompleteFile.write(Self.text(found), to: "\(staging)/\(Self.fingerprint)")) != nil,
      (try? Folder.move(staging, to: path)) != nil
    else { return }
    forgetOldest()
  }

  private func forgetOldest() {
    let places = ((try? Folder.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
    guard places.count > Self.count else { return }
    let byAge = places.sorted { (FileStamp($0)?.written ?? 0) < (FileStamp($1)?.written ?? 0) }
    byAge.dropLast(Self.count).forEach(Folder.remove)
  }

  private static func text(_ number: UInt64) -> [UInt8] { Array(String(number, radix: 16).utf8) }
}
