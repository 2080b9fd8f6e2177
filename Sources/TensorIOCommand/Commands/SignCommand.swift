import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio sign`: says that a bundle is as its maker meant it.
struct SignCommand: Subcommand {
  static let key = Flag("key", "FILE", "the secret key, of `tensorio keys new` or minisign")

  static let helpPage = HelpPage(
    name: "sign", summary: "says that a bundle is as its maker meant it",
    usage: "BUNDLE|FILE.zip|CHAIN --key FILE [flags]",
    discussion: """
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

  private let path: String
  private let keyPath: String
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("a bundle", Self.helpPage)
    guard let keyPath = arguments.value(Self.key) else {
      throw .usage("name the key: tensorio sign \(Self.helpPage.usage)")
    }
    self.keyPath = keyPath
    isJSON = arguments.value(.textOrJSON) == "json"
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let path = BundleResolver.path(for: path, console)
    let key = try secretKey(console)
    let all: [BundleSigner.SignedBundle]
    do throws(ModelError) {
      let signing = BundleSigner(with: key)
      all = Chain.hasChainExtension(path) ? try signing.sign(chain: path) : [try signing.sign(path)]
    } catch {
      throw OperationError(BundleResolver.explaining(error, for: path, console))
    }
    for signed in all { warnIfVersionNotComparable( signed.manifest, console) }
    printSignatures(all, key.publicKey, console)
    return .success
  }

  private func warnIfVersionNotComparable(_ manifest: BundleManifest, _ console: Console) {
    guard !manifest.hasNumericVersion else { return }
    console.info(
      "tensorio: the version '\(manifest.version)' is not made of numbers and dots, so that nobody "
        + "can tell whether another is older")
  }

  private func secretKey(_ console: Console) throws(OperationError) -> SecretKey {
    let file = try TrustedKeyStore.readKeyFile(at: keyPath)
    let needsPassword = SecretKey.isEncrypted(file) ?? false
    let password = needsPassword ? try PasswordPrompt.existingPassword(for: keyPath, console) : []
    return try OperationError.rethrowing(keyNamed: keyPath) { () throws(SigningError) in
      try SecretKey(file: file, password: password)
    }
  }

  /// The one that was named comes last; of a chain its own bundles come before.
  private func printSignatures(_ all: [BundleSigner.SignedBundle], _ key: PublicKey, _ console: Console) {
    guard isJSON else {
      for signed in all {
        let (id, version) = (signed.manifest.id, signed.manifest.version)
        console.print("\(signed.path): '\(id)', version \(version), signed by \(key.id)".sanitizedForTerminal)
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
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }

  private func write(
    _ signed: BundleSigner.SignedBundle, _ key: PublicKey, to writer: inout JSONWriter
  ) {
    writer.member("path", signed.path)
    writer.member("id", signed.manifest.id)
    writer.member("version", signed.manifest.version)
    writer.member("key", "\(key.id)")
  }
}
