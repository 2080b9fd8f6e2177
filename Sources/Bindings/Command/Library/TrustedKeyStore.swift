import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// The public keys that the user trusts, each in a file named after it.
struct TrustedKeyStore {
  /// A key, and its name if it is trusted.
  struct Entry {
    let name: String?
    let key: PublicKey
  }

  private let path: String
  private static let pathExtension = ".pub"
  /// The maximum size of a key file, in bytes.
  static let maxKeyFileSize = 1 << 14

  init(_ console: Console) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: "keys", console)
  }

  /// Returns all keys with their names.
  func entries() throws(OperationError) -> [Entry] {
    let names = ((try? FileSystem.entryNames(in: path)) ?? []).filter {
      $0.hasSuffix(Self.pathExtension) && !$0.hasPrefix(".")
    }
    return try names.map { (name) throws(OperationError) in
      Entry(
        name: String(name.dropLast(Self.pathExtension.count)),
        key: try Self.readKey(at: "\(path)/\(name)"))
    }
  }

  /// The keys whose signatures are accepted.
  var trustedKeys: TrustedKeys {
    get throws(OperationError) { TrustedKeys(keys: try entries().map(\.key)) }
  }

  /// Adds a trusted key.
  func add(_ key: PublicKey, named name: String) throws(OperationError) {
    if let there = try entries().first(where: { $0.name == name }), there.key != key {
      throw .input("key-exists", "another key has the name '\(name)'")
    }
    try UserDataFolder.create(path)
    let file = "\(path)/\(name)\(Self.pathExtension)"
    do throws(FileError) {
      try AtomicFile.write(key.fileBytes, to: file)
      try FileSystem.syncItem(path)
    } catch {
      throw OperationError(writing: file, error)
    }
  }

  /// Removes the key with a name or an ID, and returns its name.
  func remove(_ nameOrID: String) throws(OperationError) -> String {
    let entries = try entries()
    let entry = entries.first { $0.name == nameOrID || "\($0.key.id)" == nameOrID }
    guard let name = entry?.name else {
      throw .input(
        "unknown-key",
        "unknown key '\(nameOrID)'"
          + spellingSuggestion(for: nameOrID, among: entries.compactMap(\.name)))
    }
    FileSystem.remove("\(path)/\(name)\(Self.pathExtension)")
    return name
  }

  /// Parses a key: a path, or the key itself.
  static func parseKey(_ text: String) throws(OperationError) -> PublicKey {
    guard FileKind(at: text) == nil, !text.contains("/") || text.hasPrefix("RW") else {
      return try readKey(at: text)
    }
    return try OperationError.rethrowing(file: text) { () throws(ModelError) in
      try PublicKey(Array(text.utf8))
    }
  }

  private static func readKey(at path: String) throws(OperationError) -> PublicKey {
    let bytes = try readKeyFile(at: path)
    return try OperationError.rethrowing(file: path) { () throws(ModelError) in
      try PublicKey(bytes)
    }
  }

  /// Reads a key file.
  static func readKeyFile(at path: String) throws(OperationError) -> [UInt8] {
    do throws(FileError) {
      return try FileBytes.contents(of: path, limit: maxKeyFileSize)
    } catch {
      throw .input("unreadable-file", "\(path): \(error.message)")
    }
  }
}
