internal import TensorIO
internal import TensorIOCore
internal import TensorIOIntegrity
internal import TensorIOSystem

/// The public keys that the user trusts, each a file under a name.
struct KeyFolder {
  /// A key and what the user calls it, if it is one of the trusted.
  struct Entry {
    let name: String?
    let key: PublicKey
  }

  private let path: String
  private static let ending = ".pub"
  /// No key is longer.
  static let limit = 1 << 14

  init(_ console: Console) throws(CommandFailure) {
    path = try UserFolder.requiredPath(of: "keys", console)
  }

  /// All keys, by name.
  func entries() throws(CommandFailure) -> [Entry] {
    let names = ((try? Folder.names(in: path)) ?? []).filter {
      $0.hasSuffix(Self.ending) && !$0.hasPrefix(".")
    }
    return try names.map { (name) throws(CommandFailure) in
      Entry(
        name: String(name.dropLast(Self.ending.count)), key: try Self.key(in: "\(path)/\(name)"))
    }
  }

  /// The keys whose signatures count.
  var trusted: TrustedKeys {
    get throws(CommandFailure) { TrustedKeys(keys: try entries().map(\.key)) }
  }

  /// Trusts a key from now on.
  func add(_ key: PublicKey, named name: String) throws(CommandFailure) {
    if let there = try entries().first(where: { $0.name == name }), there.key != key {
      throw .input("key-exists", "another key is called '\(name)'; remove it, or use --name")
    }
    try UserFolder.make(path)
    let file = "\(path)/\(name)\(Self.ending)"
    do throws(FileFault) {
      try CompleteFile.write(key.file, to: file)
      try Folder.syncEntry(path)
    } catch {
      throw CommandFailure(writing: file, error)
    }
  }

  /// Trusts the key of a name or an identifier no more, and returns its name.
  func remove(_ word: String) throws(CommandFailure) -> String {
    let entries = try entries()
    let entry = entries.first { $0.name == word || "\($0.key.id)" == word }
    guard let name = entry?.name else {
      throw .input(
        "unknown-key",
        "no trusted key is called '\(word)'" + didYouMean(word, among: entries.compactMap(\.name)))
    }
    Folder.remove("\(path)/\(name)\(Self.ending)")
    return name
  }

  /// The key in a file, or the one that is written out.
  static func key(_ word: String) throws(CommandFailure) -> PublicKey {
    guard FileKind(at: word) == nil, !word.contains("/") || word.hasPrefix("RW") else {
      return try key(in: word)
    }
    return try CommandFailure.key(named: word) { () throws(IntegrityError) in
      try PublicKey(Array(word.utf8))
    }
  }

  private static func key(in path: String) throws(CommandFailure) -> PublicKey {
    let bytes = try bytes(of: path)
    return try CommandFailure.key(named: path) { () throws(IntegrityError) in
      try PublicKey(bytes)
    }
  }

  /// The bytes of a key's file.
  static func bytes(of path: String) throws(CommandFailure) -> [UInt8] {
    do throws(FileFault) {
      return try FileBytes.contents(of: path, limit: limit)
    } catch {
      throw .input("unreadable-file", "\(path): \(error.problem)")
    }
  }
}

extension CommandFailure {
  /// A key or a signature that is of no use.
  init(_ error: IntegrityError, of name: String) {
    let exit: ExitCode =
      switch error.reason {
      case .invalidKey, .wrongPassword: .input
      case .badSignature, .untrustedKey, .libraryMissing, .noMemory: .runtime
      }
    self.init(error.code, "\(name): \(error)", exit: exit)
  }

  /// What is done with a key or a signature.
  static func key<Value>(
    named name: String, _ body: () throws(IntegrityError) -> Value
  ) throws(CommandFailure) -> Value {
    do throws(IntegrityError) {
      return try body()
    } catch {
      throw CommandFailure(error, of: name)
    }
  }
}
