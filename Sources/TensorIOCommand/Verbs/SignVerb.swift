internal import TensorIO
internal import TensorIOCore
internal import TensorIOIntegrity

/// `tensorio sign`: says that a bundle is as its maker meant it.
struct SignVerb: Verb {
  static let key = Flag("key", "FILE", "the secret key, of `tensorio keys new` or minisign")

  static let page = HelpPage(
    name: "sign", summary: "says that a bundle is as its maker meant it",
    usage: "BUNDLE|FILE.zip|CHAIN --key FILE [flags]",
    details: """
      A manifest of all files is written into the bundle, in the place of one that is there, and a
      signature of the manifest beside it; folders that hold nothing go. A zip is packed again. With
      a chain, the bundles that lie in its folder are signed as well; those beside it are not. The
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
    let all: [BundleSigning.Signed]
    do throws(ModelError) {
      let signing = BundleSigning(with: key)
      all = Chain.isNamed(word) ? try signing.sign(chain: word) : [try signing.sign(path)]
    } catch {
      throw CommandFailure(BundleLocation.error(error, of: word, console))
    }
    for signed in all { warn(of: signed.manifest, console) }
    tell(all, key.publicKey, console)
    return .ok
  }

  private func warn(of manifest: BundleManifest, _ console: Console) {
    guard !manifest.hasComparableVersion else { return }
    console.note(
      "tensorio: the version '\(manifest.version)' is not made of numbers and dots, so that nobody "
        + "can tell whether another is older")
  }

  private func secretKey(_ console: Console) throws(CommandFailure) -> SecretKey {
    let file = try KeyFolder.bytes(of: keyPath)
    let needsPassword = SecretKey.needsPassword(file) ?? false
    let password = needsPassword ? try KeyPassword.asked(keyPath, console) : []
    return try CommandFailure.key(named: keyPath) { () throws(IntegrityError) in
      try SecretKey(file: file, password: password)
    }
  }

  /// The one that was named comes last; of a chain its own bundles come before.
  private func tell(_ all: [BundleSigning.Signed], _ key: PublicKey, _ console: Console) {
    guard isJSON else {
      for signed in all {
        let (id, version) = (signed.manifest.id, signed.manifest.version)
        console.print("\(signed.path): '\(id)', version \(version), signed by \(key.id)".printable)
      }
      return
    }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      if let last = all.last { write(last, key, to: &writer) }
      guard all.count > 1 else { return }
      writer.key("bundles")
      writer.array { writer in
        for signed in all.dropLast() {
          writer.object { writer in write(signed, key, to: &writer) }
        }
      }
    }
    console.output(writer.bytes + Array("\n".utf8))
  }

  private func write(
    _ signed: BundleSigning.Signed, _ key: PublicKey, to writer: inout JSONWriter
  ) {
    writer.member("path", signed.path)
    writer.member("id", signed.manifest.id)
    writer.member("version", signed.manifest.version)
    writer.member("key", "\(key.id)")
  }
}
