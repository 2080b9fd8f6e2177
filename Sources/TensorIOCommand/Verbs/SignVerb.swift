internal import TensorIO
internal import TensorIOCore
internal import TensorIOIntegrity

/// `tensorio sign`: says that a bundle is as its maker meant it.
struct SignVerb: Verb {
  static let key = Flag("key", "FILE", "the secret key, of `tensorio keys new` or minisign")

  static let page = HelpPage(
    name: "sign", summary: "says that a bundle is as its maker meant it",
    usage: "BUNDLE|FILE.zip --key FILE [flags]",
    details: """
      A manifest of all files is written into the bundle, in the place of one that is there, and a
      signature of the manifest beside it; folders that hold nothing go. A zip is packed again. The
      password of the key is asked for, or the first line of the standard input. The signature is
      one of minisign's. It needs libsodium (Debian: libsodium23).
      """,
    flags: [key, Flag.textOrJSON],
    examples: [
      ("tensorio sign birds.tiobundle --key maker.key", "asks for the password"),
      ("tensorio sign birds.tiobundle.zip --key ci.key", "a key without a password asks nothing"),
    ])

  private let word: String
  private let keyPath: String
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    word = try arguments.onlyWord("a bundle", Self.page)
    guard let keyPath = arguments.value(Self.key) else {
      throw .usage("name the key: tensorio sign \(Self.page.usage)")
    }
    self.keyPath = keyPath
    isJSON = arguments.value(.textOrJSON) == "json"
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let path = BundleLocation.path(for: word, console)
    let key = try secretKey(console)
    let bundle: ModelBundle
    do throws(ModelError) {
      bundle = try BundleSigning(with: key).sign(path)
    } catch {
      throw CommandFailure(BundleLocation.error(error, of: word, console))
    }
    if !bundle.hasComparableVersion {
      console.note(
        "tensorio: the version '\(bundle.version)' is not made of numbers and dots, so that nobody "
          + "can tell whether another is older")
    }
    tell(bundle, key.publicKey, path, console)
    return .ok
  }

  private func secretKey(_ console: Console) throws(CommandFailure) -> SecretKey {
    let file = try KeyFolder.bytes(of: keyPath)
    let needsPassword = SecretKey.needsPassword(file) ?? false
    let password = needsPassword ? try KeyPassword.asked(keyPath, console) : []
    return try CommandFailure.key(named: keyPath) { () throws(IntegrityError) in
      try SecretKey(file: file, password: password)
    }
  }

  private func tell(_ bundle: ModelBundle, _ key: PublicKey, _ path: String, _ console: Console) {
    guard isJSON else {
      return console.print(
        "\(path): '\(bundle.id)', version \(bundle.version), signed by \(key.id)")
    }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("path", path)
      writer.member("id", bundle.id)
      writer.member("version", bundle.version)
      writer.member("key", "\(key.id)")
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}
