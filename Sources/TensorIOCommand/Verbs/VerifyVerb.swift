internal import TensorIO
internal import TensorIOCore
internal import TensorIOIntegrity
internal import TensorIOSystem

/// `tensorio verify`: says whose a bundle or a file is, and that it is as they made it.
struct VerifyVerb: Verb {
  static let key = Flag(
    "key", "KEY", "a public key, a file or its text, in place of the trusted ones")

  static let page = HelpPage(
    name: "verify", summary: "says whose a bundle or a file is, and that it is as they made it",
    usage: "BUNDLE|CHAIN|FILE [flags]",
    details: """
      A bundle's signature is checked, its manifest, and all of its files; with a chain, those of
      each of its bundles as well. A file that has a .minisig beside it is checked against that.
      Exit code 5 when anything is not as it should be:
      altered-bundle, unsigned-bundle, untrusted-key, bad-signature, older-bundle.
      """,
    flags: [key, TrustFlags.older, Flag.textOrJSON],
    examples: [
      ("tensorio verify birds.tiobundle.zip", "whose it is, which version, and when it was signed"),
      ("tensorio verify birds.tiobundle --key maker.pub", "is it of this maker?"),
      ("tensorio verify download.bin", "any file, by download.bin.minisig"),
    ])

  private let word: String
  private let key: String?
  private let isJSON: Bool
  private let allowsOlder: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    word = try arguments.onlyWord("a bundle or a file", Self.page)
    key = arguments.value(Self.key)
    isJSON = arguments.value(.textOrJSON) == "json"
    allowsOlder = arguments.has(TrustFlags.older)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let signature = "\(word).\(Signature.pathExtension)"
    let finding =
      FileKind(at: word) == .file && FileKind(at: signature) == .file
      ? try finding(of: word, signature, keys(console)) : try bundle(console)
    tell(finding, console)
    return .ok
  }

  /// What is known of something that is as it was signed.
  private struct Finding {
    let key: PublicKey
    let name: String?
    let comment: String
    /// What a bundle or a chain says that it is.
    var identity: (id: String, version: String)?
  }

  private func keys(_ console: Console) throws(CommandFailure) -> [KeyFolder.Entry] {
    guard let key else { return try KeyFolder(console).entries() }
    return [.init(name: nil, key: try KeyFolder.key(key))]
  }
}

// MARK: Checking

extension VerifyVerb {
  /// The most that is read of a file: all is held in memory, for its digest.
  private static let limit = 2 << 30

  private func finding(
    of file: String, _ signature: String, _ keys: [KeyFolder.Entry]
  ) throws(CommandFailure) -> Finding {
    let (bytes, signatureBytes): ([UInt8], [UInt8])
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: file, limit: Self.limit)
      signatureBytes = try FileBytes.contents(of: signature, limit: KeyFolder.limit)
    } catch {
      throw .input("unreadable-file", "\(word): \(error.problem)")
    }
    return try CommandFailure.key(named: word) { () throws(IntegrityError) in
      let signature = try Signature(signatureBytes)
      let key = try signature.check(bytes, keys: keys.map(\.key))
      return Finding(
        key: key, name: keys.first { $0.key == key }?.name, comment: signature.comment)
    }
  }

  private func bundle(_ console: Console) throws(CommandFailure) -> Finding {
    let keys = try keys(console)
    let policy = TrustPolicy(
      requiring: TrustedKeys(keys: keys.map(\.key)), seenVersions: try console.seenVersions,
      allowingOlder: allowsOlder
    ).withoutRemembering
    guard !Chain.isNamed(word) else {
      let signed = try CommandFailure.wrapping { () throws(ModelError) in
        try Chain.checked(at: word, trust: policy)
      }
      return try finding(in: word, signed, keys)
    }
    let bundle = try BundleOpening.bundle(word, trust: policy, console)
    // A zip's folder is there as long as its bundle.
    return try withExtendedLifetime(bundle) { () throws(CommandFailure) in
      try finding(in: bundle.folderPath, (bundle.id, bundle.version), keys)
    }
  }

  private func finding(
    in folder: String, _ identity: (id: String, version: String), _ keys: [KeyFolder.Entry]
  ) throws(CommandFailure) -> Finding {
    let manifest = "\(folder)/\(BundleManifest.name)"
    var finding = try finding(of: manifest, "\(manifest).\(Signature.pathExtension)", keys)
    finding.identity = identity
    return finding
  }
}

// MARK: Telling

extension VerifyVerb {
  private func tell(_ finding: Finding, _ console: Console) {
    guard isJSON else { return tellText(finding, console) }
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
    console.output(writer.bytes + Array("\n".utf8))
  }

  private func tellText(_ finding: Finding, _ console: Console) {
    let what = Chain.isNamed(word) ? "chain" : "bundle"
    let identity = finding.identity.map { [(what, "'\($0.id)', version \($0.version)")] } ?? []
    let name = finding.name.map { " (\($0))" } ?? ""
    let rows =
      identity + [("signed by", "\(finding.key.id)\(name)"), ("comment", finding.comment)]
    console.print("\(word): signed, and as it was signed".printable)
    HelpPage.columns(rows).forEach { console.print($0.printable) }
  }
}
