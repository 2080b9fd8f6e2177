import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio sign`: signs a bundle or chain.
struct SignCommand: Subcommand {
  static let key = Flag("key", "FILE", "Secret key of `tensorio keys generate` or minisign")

  static let helpPage = HelpPage(
    name: "sign", summary: "Sign a bundle or chain",
    usage: "[options] --key <file> <bundle>|<zip>|<chain>",
    discussion: """
      Writes a manifest with the digests of all files, and a minisign signature of the manifest,
      into the bundle. An existing manifest is replaced, and empty folders are removed. A zip file
      is packed again. For a chain, the bundles inside its folder are signed as well.

      The password of an encrypted key is read from the terminal, or from the first line of standard
      input. Requires libsodium (Debian: libsodium23; the Python package includes it).
      """,
    flags: [key, Flag.textOrJSON],
    examples: [
      (
        "tensorio sign birds.tiobundle --key publisher.key",
        "Sign a bundle, asking for the password"
      ),
      ("tensorio sign birds.tiobundle.zip --key ci.key", "Sign a zip file with an unencrypted key"),
    ])

  private let path: String
  private let keyPath: String
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("<bundle>", Self.helpPage)
    guard let keyPath = arguments.value(Self.key) else {
      throw Self.helpPage.usageError("missing --key")
    }
    self.keyPath = keyPath
    isJSON = arguments.value(.textOrJSON) == "json"
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let path = BundleResolver.path(for: path, console)
    let key = try secretKey(console)
    let signedBundles: [BundleSigner.SignedBundle]
    do throws(ModelError) {
      signedBundles = try BundleSigner(with: key).sign(path)
    } catch {
      throw BundleResolver.explaining(error, for: path, console)
    }
    for signed in signedBundles { warnIfVersionNotComparable(signed.manifest, console) }
    printSignatures(signedBundles, key.publicKey, console)
    return .success
  }

  private func warnIfVersionNotComparable(_ manifest: BundleManifest, _ console: Console) {
    guard !manifest.hasNumericVersion else { return }
    console.info(
      "tensorio: downgrades cannot be detected: version '\(manifest.version)' does not consist of "
        + "numbers and dots")
  }

  private func secretKey(_ console: Console) throws(OperationError) -> SecretKey {
    let file = try TrustedKeyStore.readKeyFile(at: keyPath)
    let needsPassword = SecretKey.isEncrypted(file) ?? false
    let password = needsPassword ? try PasswordPrompt.existingPassword(for: keyPath, console) : []
    return try OperationError.rethrowing(file: keyPath) { () throws(ModelError) in
      try SecretKey(file: file, password: password)
    }
  }

  /// Prints the signatures; the last one is that of the path on the command line.
  private func printSignatures(
    _ signedBundles: [BundleSigner.SignedBundle], _ key: PublicKey, _ console: Console
  ) {
    guard isJSON else {
      for signed in signedBundles {
        let (id, version) = (signed.manifest.id, signed.manifest.version)
        console.printText(
          "\(signed.path): '\(id)', version \(version), signed by \(key.id)")
      }
      return
    }
    console.writeJSONObject { writer in
      if let last = signedBundles.last { write(last, key, to: &writer) }
      guard signedBundles.count > 1 else { return }
      writer.key("bundles")
      writer.array { writer in
        for signed in signedBundles.dropLast() {
          writer.object { writer in write(signed, key, to: &writer) }
        }
      }
    }
  }

  private func write(
    _ signed: BundleSigner.SignedBundle, _ key: PublicKey, to writer: inout JSONWriter
  ) {
    writer.member("path", signed.path)
    writer.member("id", signed.manifest.id)
    writer.member("version", signed.manifest.version)
    writer.member("key_id", "\(key.id)")
  }
}
