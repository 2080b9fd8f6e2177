import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// `tensorio keys`: generates signing keys and manages trusted keys.
struct KeysCommand: Subcommand {
  static let noPassword = Flag("no-password", "Do not encrypt the secret key").of("generate")
  static let name = Flag("name", "NAME", "Name of the key (default: from the file name)")
    .of("trust")

  static let helpPage = HelpPage(
    name: "keys", summary: "Generate signing keys, and manage trusted keys",
    usage: """
      generate [options] <file>
      list [options]
      trust [options] <key>
      remove [options] <name>
      """,
    discussion: """
      generate writes a secret key to <file>, and the public key to the same name with the extension
      .pub. It asks for a password twice. Keys have the format of minisign.

      trust adds a public key, given as a file or as text, to the trusted keys. `tensorio verify` and
      --require-signature accept bundles that are signed with a trusted key. remove takes the name or
      the identifier of a key.

      Requires libsodium (Debian: libsodium23; the Python package includes it). See
      Documentation/Trust.md.
      """,
    flags: [
      Flag.textOrJSON, noPassword, name, Flag.force.of("generate", "trust"),
    ],
    examples: [
      ("tensorio keys generate publisher.key", "Write publisher.key and publisher.pub"),
      ("tensorio keys trust publisher.pub --name birds-team", "Trust a public key"),
      ("tensorio keys list --format json", "List trusted keys as JSON"),
      ("tensorio keys remove birds-team", "Stop trusting a key"),
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
    case ("generate", 2): action = .generate(words[1])
    case ("list", 1): action = .list
    case ("trust", 2): action = .trust(words[1])
    case ("remove", 2): action = .remove(words[1])
    default: throw Self.helpPage.actionError(words)
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
      return console.printTable(rows)
    }
    console.writeJSON { writer in
      writer.objects(entries) { writer, entry in
        writer.member("name", entry.name ?? "")
        writer.member("id", "\(entry.key.id)")
        writer.member("key", entry.key.base64Text)
      }
    }
  }
}

// MARK: Generating

extension KeysCommand {
  private func generate(_ path: String, _ console: Console) throws(OperationError) {
    let folder = path.contains("/") ? FilePath.parent(of: path) + "/" : ""
    let publicPath = "\(folder)\(Self.stem(path)).pub"
    guard publicPath != path, !path.hasSuffix("/") else {
      throw .usage("expected the file of the secret key, such as publisher.key")
    }
    let existing = [path, publicPath].first { FileKind(at: $0, followingSymlinks: false) != nil }
    if let existing, !arguments.has(.force) {
      throw OperationError(
        "already-exists", "'\(existing)' already exists; to overwrite it, use --force",
        exitCode: .usage)
    }
    let password =
      arguments.has(Self.noPassword) ? nil : try PasswordPrompt.newPassword(for: path, console)
    let (key, file) = try OperationError.rethrowing(file: path) { () throws(ModelError) in
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

  /// Returns the name of a key file without the extension `key` or `pub`.
  private static func stem(_ path: String) -> String {
    let name = FilePath.lastComponent(of: path)
    let suffix = [".key", ".pub"].first { name.hasSuffix($0) && name != $0 } ?? ""
    return String(name.dropLast(suffix.count))
  }
}
