import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// `tensorio keys`: makes keys that sign bundles, and says whose signatures count.
struct KeysCommand: Subcommand {
  static let noPassword = Flag("no-password", "new: leaves the secret key unencrypted")
  static let name = Flag("name", "NAME", "trust: what the key is to be called")

  static let helpPage = HelpPage(
    name: "keys", summary: "makes keys that sign bundles, and says whose signatures count",
    usage: "new FILE | list | trust KEY | remove NAME",
    discussion: """
      new writes a secret key to FILE, which signs, and the public key beside it, to a name that
      ends in .pub, by which signatures are known. It asks for a password, twice.

      trust takes a public key, a file or its text, and keeps it in keys in the data folder. From
      then on bundles that it signed pass --require-signature and `tensorio verify`. remove ends
      that, by name or identifier. Files are those of minisign. It needs libsodium (Debian:
      libsodium23). Documentation/Trust.md tells the whole story.
      """,
    flags: [Flag.textOrJSON, noPassword, name, Flag.force],
    examples: [
      ("tensorio keys new maker.key", "writes maker.key and maker.pub"),
      ("tensorio keys trust maker.pub --name birds-team", "their signatures count from now on"),
      ("tensorio keys list --format json", "whose signatures count, for a script"),
      ("tensorio keys remove birds-team", "they count no more"),
    ])

  private enum Action {
    case generate(String)
    case list
    case trust(String)
    case remove(String)
  }

  private let action: Action
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws(OperationError) {
    let words = arguments.positionals
    switch (words.first, words.count) {
    case ("new", 2): action = .generate(words[1])
    case ("list", 1): action = .list
    case ("trust", 2): action = .trust(words[1])
    case ("remove", 2): action = .remove(words[1])
    default: throw .usage("usage: tensorio keys \(Self.helpPage.usage)")
    }
    self.arguments = arguments
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    switch action {
    case .generate(let path): try generate(path, console)
    case .list: list(try TrustedKeyStore(console).entries(), console)
    case .trust(let word): try trustKey(word, console)
    case .remove(let word): console.print(try TrustedKeyStore(console).remove(word))
    }
    return .success
  }

  private func trustKey(_ word: String, _ console: Console) throws(OperationError) {
    let key = try TrustedKeyStore.parseKey(word)
    let file = FileKind(at: word) == nil ? "\(key.id)" : Self.stem(word)
    let name = try BundleName.validated(arguments.value(Self.name) ?? file)
    try TrustedKeyStore(console).add(key, named: name)
    list([TrustedKeyStore.Entry(name: name, key: key)], console)
  }

  private func list(_ entries: [TrustedKeyStore.Entry], _ console: Console) {
    guard arguments.value(.textOrJSON) == "json" else {
      let rows = entries.map { [$0.name ?? "", "\($0.key.id)", $0.key.base64Text] }
      return ColumnFormatter.lines(rows).forEach { console.print($0.sanitizedForTerminal) }
    }
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for entry in entries {
        writer.object { writer in
          writer.member("name", entry.name ?? "")
          writer.member("id", "\(entry.key.id)")
          writer.member("key", entry.key.base64Text)
        }
      }
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Making

extension KeysCommand {
  private func generate(_ path: String, _ console: Console) throws(OperationError) {
    let folder = path.contains("/") ? FilePath.parent(of: path) + "/" : ""
    let publicPath = "\(folder)\(Self.stem(path)).pub"
    guard publicPath != path, !path.hasSuffix("/") else {
      throw .usage("name the file of the secret key, such as maker.key, and not that of the other")
    }
    let there = [path, publicPath].first { FileKind(at: $0, followingSymlinks: false) != nil }
    if let there, !arguments.has(.force) {
      throw OperationError(
        "already-there", "'\(there)' is there already; --force writes over it", exitCode: .usage)
    }
    let password =
      arguments.has(Self.noPassword) ? nil : try PasswordPrompt.newPassword(for: path, console)
    let (key, file) = try OperationError.rethrowing(keyNamed: path) { () throws(SigningError) in
      let key = try SecretKey.generate()
      return (key.publicKey, try key.fileBytes(password: password))
    }
    try write(file, to: path, isPrivate: true)
    try write(key.fileBytes, to: publicPath, isPrivate: false)
    console.print(path)
    console.print(publicPath)
  }

  private func write(
    _ bytes: [UInt8], to path: String, isPrivate: Bool
  ) throws(OperationError) {
    do throws(FileError) {
      try AtomicFile.write(bytes, to: path, isPrivate: isPrivate)
    } catch {
      throw OperationError(writing: path, error)
    }
  }

  /// The name of a key's file without what tells the secret from the public one.
  private static func stem(_ path: String) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let ending = [".key", ".pub"].first { name.hasSuffix($0) && name != $0 } ?? ""
    return String(name.dropLast(ending.count))
  }
}
