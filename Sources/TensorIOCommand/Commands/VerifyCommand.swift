import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio verify`: says whose a bundle or a file is, and that it is as they made it.
struct VerifyCommand: Subcommand {
  static let key = Flag(
    "key", "KEY", "a public key, a file or its text, in place of the trusted ones")

  static let helpPage = HelpPage(
    name: "verify", summary: "says whose a bundle or a file is, and that it is as they made it",
    usage: "BUNDLE|CHAIN|FILE [flags]",
    discussion: """
      A bundle's signature is checked, its manifest, and all of its files; with a chain, those of
      each of its bundles as well. A file that has a .minisig beside it is checked against that.
      Exit code 5 when anything is not as it should be:
      altered-bundle, unsigned-bundle, untrusted-key, bad-signature, older-bundle.
      """,
    flags: [key, TrustFlags.allowDowngrade, Flag.textOrJSON],
    examples: [
      ("tensorio verify birds.tiobundle.zip", "whose it is, which version, and when it was signed"),
      ("tensorio verify birds.tiobundle --key maker.pub", "is it of this maker?"),
      ("tensorio verify download.bin", "any file, by download.bin.minisig"),
    ])

  private let path: String
  private let key: String?
  private let isJSON: Bool
  private let allowsDowngrade: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("a bundle or a file", Self.helpPage)
    key = arguments.value(Self.key)
    isJSON = arguments.value(.textOrJSON) == "json"
    allowsDowngrade = arguments.has(TrustFlags.allowDowngrade)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let signature = "\(path).\(MinisignSignature.pathExtension)"
    let finding =
      FileKind(at: path) == .file && FileKind(at: signature) == .file
      ? try verifyFile( path, signature, keys(console)) : try verifyBundle(console)
    printResult(finding, console)
    return .success
  }

  /// What is known of something that is as it was signed.
  private struct VerifiedSignature {
    let key: PublicKey
    let name: String?
    let comment: String
    /// What a bundle or a chain says that it is.
    var identity: (id: String, version: String)?
  }

  private func keys(_ console: Console) throws(OperationError) -> [TrustedKeyStore.Entry] {
    guard let key else { return try TrustedKeyStore(console).entries() }
    return [.init(name: nil, key: try TrustedKeyStore.parseKey(key))]
  }
}

// MARK: Checking

extension VerifyCommand {
  /// The most that is read of a file: all is held in memory, for its digest.
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
    return try OperationError.rethrowing(keyNamed: path) { () throws(SigningError) in
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
    guard !Chain.hasChainExtension(path) else {
      let signed = try OperationError.rethrowing { () throws(ModelError) in
        try Chain.verifiedIdentity(at: path, trust: policy)
      }
      return try verifyManifest(in: path, signed, keys)
    }
    let bundle = try ModelOpener.bundle(path, trust: policy, console)
    // A zip's folder is there as long as its bundle.
    return try withExtendedLifetime(bundle) { () throws(OperationError) in
      try verifyManifest(in: bundle.folderPath, (bundle.id, bundle.version), keys)
    }
  }

  private func verifyManifest(
    in folder: String, _ identity: (id: String, version: String), _ keys: [TrustedKeyStore.Entry]
  ) throws(OperationError) -> VerifiedSignature {
    let manifest = "\(folder)/\(BundleManifest.name)"
    var finding = try verifyFile( manifest, "\(manifest).\(MinisignSignature.pathExtension)", keys)
    finding.identity = identity
    return finding
  }
}

// MARK: Telling

extension VerifyCommand {
  private func printResult(_ finding: VerifiedSignature, _ console: Console) {
    guard isJSON else { return printText(finding, console) }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      if let (id, version) = finding.identity {
        writer.member("id", id)
        writer.member("version", version)
      }
      writer.member("key", "\(finding.key.id)")
      if let name = finding.name { writer.member("name", name) }
      writer.member("comment", finding.comment)
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }

  private func printText(_ finding: VerifiedSignature, _ console: Console) {
    let what = Chain.hasChainExtension(path) ? "chain" : "bundle"
    let identity = finding.identity.map { [(what, "'\($0.id)', version \($0.version)")] } ?? []
    let name = finding.name.map { " (\($0))" } ?? ""
    let rows =
      identity + [("signed by", "\(finding.key.id)\(name)"), ("comment", finding.comment)]
    console.print("\(path): signed, and as it was signed".sanitizedForTerminal)
    HelpPage.table(rows).forEach { console.print($0.sanitizedForTerminal) }
  }
}
