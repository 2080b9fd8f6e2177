internal import TensorIOCore
internal import TensorIOSystem

/// Digests of models that were read before, by the identities of their files.
///
/// A digest takes longer than all else that opening a model again needs.
struct KnownDigests {
  /// So many are remembered; then all begin anew.
  static let count = 1024
  private static let digits = 64

  private let folder: String

  init(in cache: WeightCache) { folder = "\(cache.path)/digests" }

  /// The digest of a file as text: the one that is remembered, or else the one that is found.
  func digest(of identity: FileIdentity?, _ find: () -> [UInt8]) -> String {
    guard let identity, identity.isSettled else { return find().hexadecimal }
    let path = "\(folder)/\(identity.text)"
    if let known = read(path) { return known }
    let found = find().hexadecimal
    remember(found, at: path)
    return found
  }

  private func read(_ path: String) -> String? {
    guard let bytes = try? FileBytes.contents(of: path, limit: Self.digits),
      bytes.count == Self.digits,
      bytes.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What cannot be remembered is found again.
  private func remember(_ digest: String, at path: String) {
    if ((try? Folder.names(in: folder)) ?? []).count >= Self.count { Folder.remove(folder) }
    try? Folder.makeAll(folder)
    try? CompleteFile.write(Array(digest.utf8), to: path)
  }
}
