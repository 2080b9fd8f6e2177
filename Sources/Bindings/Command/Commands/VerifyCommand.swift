import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio verify`: verifies the signature and contents of a bundle, chain or file.
struct VerifyCommand: Subcommand {
  static let key = Flag(
    "key", "KEY", "Public key, as a file or as text (default: the trusted keys)")

  static let helpPage = HelpPage(
    name: "verify", summary: "Verify the signature and contents of a bundle, chain or file",
    usage: "[options] <bundle>|<chain>|<file>",
    discussion: """
      For a bundle, verifies the signature of its manifest and the digests of all files; for a
      chain, also those of each bundle. A file with a .minisig file next to it is verified against
      that signature.

      Exits with 5 if verification fails: manifest-mismatch, unsigned-bundle, untrusted-key,
      invalid-signature or bundle-downgrade.
      """,
    flags: [key, TrustFlags.allowDowngrade, Flag.textOrJSON],
    examples: [
      ("tensorio verify birds.tiobundle.zip", "Print signer, version and date of signing"),
      ("tensorio verify birds.tiobundle --key publisher.pub", "Verify against one public key"),
      ("tensorio verify download.bin", "Verify a file against download.bin.minisig"),
    ])

  private let path: String
  private let key: String?
  private let isJSON: Bool
  private let allowsDowngrade: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("<bundle> or <file>", Self.helpPage)
    key = arguments.value(Self.key)
    isJSON = arguments.value(.textOrJSON) == "json"
    allowsDowngrade = arguments.has(TrustFlags.allowDowngrade)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let signature = "\(path).\(MinisignSignature.pathExtension)"
    let result =
      FileKind(at: path) == .file && FileKind(at: signature) == .file
      ? try verifyFile(path, signature, keys(console)) : try verifyBundle(console)
    printResult(result, console)
    return .success
  }

  /// A valid signature, with the bundle or file that it signs.
  private struct VerifiedSignature {
    let key: PublicKey
    let name: String?
    let comment: String
    /// The id and version of a bundle or chain.
    var identity: (id: String, version: String)?
  }

  private func keys(_ console: Console) throws(OperationError) -> [TrustedKeyStore.Entry] {
    guard let key else { return try TrustedKeyStore(console).entries() }
    return [.init(name: nil, key: try TrustedKeyStore.parseKey(key))]
  }
}

// MARK: Verification

extension VerifyCommand {
  /// The maximum size of a file, which is read into memory, in bytes.
  private static let maxFileSize = 2 << 30

  private func verifyFile(
    _ file: String, _ signature: String, _ keys: [TrustedKeyStore.Entry]
  ) throws(OperationError) -> VerifiedSignature {
    let (bytes, signatureBytes): ([UInt8], [UInt8])
    do throws(FileError) {
      bytes = try FileBytes.contents(of: file, limit: Self.maxFileSize)
      signatureBytes = try FileBytes.contents(of: signature, limit: TrustedKeyStore.maxKeyFileSize)
    } catch {
      throw .input("unreadable-file", "\(path): \(error.message)")
    }
    return try OperationError.rethrowing(file: path) { () throws(ModelError) in
      let signature = try MinisignSignature(signatureBytes)
      let key = try signature.verify(bytes, trustedKeys: keys.map(\.key))
      return VerifiedSignature(
        key: key, name: keys.first { $0.key == key }?.name, comment: signature.comment)
    }
  }

  private func verifyBundle(_ console: Console) throws(OperationError) -> VerifiedSignature {
    let keys = try keys(console)
    let policy = TrustPolicy(
      requiring: TrustedKeys(keys: keys.map(\.key)), versionHistory: try console.versionHistory,
      allowingDowngrade: allowsDowngrade
    ).withoutRecordingVersions
    let bundle = try ModelOpener.bundle(path, trust: policy, console)
    // The temporary folder of a zip file exists as long as its bundle.
    return try withExtendedLifetime(bundle) { () throws(OperationError) in
      try verifyManifest(in: bundle.folderPath, (bundle.id, bundle.version), keys)
    }
  }

  private func verifyManifest(
    in folder: String, _ identity: (id: String, version: String), _ keys: [TrustedKeyStore.Entry]
  ) throws(OperationError) -> VerifiedSignature {
    let manifest = "\(folder)/\(BundleManifest.name)"
    var result = try verifyFile(manifest, "\(manifest).\(MinisignSignature.pathExtension)", keys)
    result.identity = identity
    return result
  }
}

// MARK: Output

extension VerifyCommand {
  private func printResult(_ result: VerifiedSignature, _ console: Console) {
    guard isJSON else { return printText(result, console) }
    console.writeJSONObject { writer in
      if let (id, version) = result.identity {
        writer.member("id", id)
        writer.member("version", version)
      }
      writer.member("key_id", "\(result.key.id)")
      if let name = result.name { writer.member("key_name", name) }
      writer.member("trusted_comment", result.comment)
    }
  }

  private func printText(_ result: VerifiedSignature, _ console: Console) {
    let kind = ModelBundle.isChain(path) ? "chain" : "bundle"
    let identity = result.identity.map { [(kind, "'\($0.id)', version \($0.version)")] } ?? []
    let name = result.name.map { " (\($0))" } ?? ""
    let rows =
      identity + [("signed by", "\(result.key.id)\(name)"), ("trusted comment", result.comment)]
    console.printText("\(path): valid signature")
    console.printText(HelpPage.table(rows))
  }
}
