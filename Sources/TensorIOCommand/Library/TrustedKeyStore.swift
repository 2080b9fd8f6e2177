import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The public keys that the user trusts, each a file under a name.
struct TrustedKeyStore {
  /// A key and what the user calls it, if it is one of the trusted.
  struct Entry {
    let name: String?
    let key: PublicKey
  }

  private let path: String
  private static let pathExtension = ".pub"
  /// No key is longer.
  static let maxKeyFileSize = 1 << 14

  init(_ console: Console) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: "keys", console)
  }

  /// All keys, by name.
  func entries() throws(OperationError) -> [Entry] {
    let names = ((try? FileSystem.entryNames(in: path)) ?? []).filter {
      $0.hasSuffix(Self.pathExtension) && !$0.hasPrefix(".")
    }
    return try names.map { (name) throws(OperationError) in
      Entry(
        name: String(name.dropLast(Self.pathExtension.count)), key: try Self.readKey(at: "\(path)/\(name)"))
    }
  }

  /// The keys whose signatures count.
  var trustedKeys: TrustedKeys {
    get throws(OperationError) { TrustedKeys(keys: try entries().map(\.key)) }
  }

  /// Trusts a key from now on.
  func add(_ key: PublicKey, named name: String) throws(OperationError) {
    if let there = try entries().first(where: { $0.name == name }), there.key != key {
      throw .input("key-exists", "another key is called '\(name)'; remove it, or use --name")
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

  /// Trusts the key of a name or an identifier no more, and returns its name.
  func remove(_ word: String) throws(OperationError) -> String {
    let entries = try entries()
    let entry = entries.first { $0.name == word || "\($0.key.id)" == word }
    guard let name = entry?.name else {
      throw .input(
        "unknown-key",
        "no trusted key is called '\(word)'" + spellingSuggestion(for: word, among: entries.compactMap(\.name)))
    }
    FileSystem.remove("\(path)/\(name)\(Self.pathExtension)")
    return name
  }

  /// The key in a file, or the one that is written out.
  static func parseKey(_ word: String) throws(OperationError) -> PublicKey {
    guard FileKind(at: word) == nil, !word.contains("/") || word.hasPrefix("RW") else {
      return try readKey(at: word)
    }
    return try OperationError.rethrowing(keyNamed: word) { () throws(SigningError) in
      try PublicKey(Array(word.utf8))
    }
  }

  private static func readKey(at path: String) throws(OperationError) -> PublicKey {
    let bytes = try readKeyFile(at: path)
    return try OperationError.rethrowing(keyNamed: path) { () throws(SigningError) in
      try PublicKey(bytes)
    }
  }

  /// The bytes of a key's file.
  static func readKeyFile(at path: String) throws(OperationError) -> [UInt8] {
    do throws(FileError) {
      return try FileBytes.contents(of: path, limit: maxKeyFileSize)
    } catch {
      throw .input("unreadable-file", "\(path): \(error.message)")
    }
  }
}

extension OperationError {
  /// A key or a signature that is of no use.
  init(_ error: SigningError, keyName name: String) {
    let exit: ExitCode =
      switch error.reason {
      case .invalidKey, .wrongPassword: .invalidInput
      case .invalidSignature, .untrustedKey, .libraryMissing, .outOfMemory: .runtimeUnavailable
      }
    self.init(error.code, "\(name): \(error)", exitCode: exit)
  }

  /// What is done with a key or a signature.
  static func rethrowing<Value>(
    keyNamed name: String, _ body: () throws(SigningError) -> Value
  ) throws(OperationError) -> Value {
    do throws(SigningError) {
      return try body()
    } catch {
      throw OperationError(error, keyName: name)
    }
  }
}
