internal import TensorIO
internal import TensorIOCore

/// Whose bundles a command opens, as its flags and the environment say.
struct TrustFlags: Sendable {
  static let required = Flag(
    "require-signature", "opens bundles only that are signed with a trusted key")
  static let older = Flag(
    "allow-older", "opens signed bundles even when a newer version has been here")
  static let all = [required, older]

  /// The variable that asks for signatures wherever a bundle is opened.
  static let variable = "TENSORIO_REQUIRE_SIGNATURE"

  private(set) var isSignatureRequired = false
  private(set) var allowsOlder = false

  /// Nothing is asked for.
  init() {}

  init(_ arguments: ParsedArguments, _ console: Console) {
    let variable = console.environment(Self.variable) ?? ""
    isSignatureRequired = arguments.has(Self.required) || !["", "0"].contains(variable)
    allowsOlder = arguments.has(Self.older)
  }
}

extension Console {
  /// Whose bundles may be opened.
  var policy: TrustPolicy {
    get throws(CommandFailure) {
      guard trust.isSignatureRequired else { return .anyone }
      return TrustPolicy(
        requiring: try KeyFolder(self).trusted, seenVersions: try seenVersions,
        allowingOlder: trust.allowsOlder)
    }
  }

  /// Whose bundles may come into the library, where even of those that need no signature none is to
  /// be older than what was there.
  var importPolicy: TrustPolicy {
    get throws(CommandFailure) {
      guard !trust.isSignatureRequired else { return try policy }
      return TrustPolicy(
        checking: try KeyFolder(self).trusted, seenVersions: try seenVersions,
        allowingOlder: trust.allowsOlder)
    }
  }

  private static let seenVersionsName = "seen-versions.json"

  /// What is remembered of signed bundles.
  var seenVersions: SeenVersions {
    get throws(CommandFailure) {
      SeenVersions(at: try UserFolder.requiredPath(of: Self.seenVersionsName, self))
    }
  }
}
