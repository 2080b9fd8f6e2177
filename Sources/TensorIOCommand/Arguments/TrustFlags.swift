import TensorIO
import TensorIOBundle
import TensorIOCore

/// Whose bundles a command opens, as its flags and the environment say.
struct TrustFlags: Sendable {
  static let requireSignature = Flag(
    "require-signature", "opens bundles only that are signed with a trusted key")
  static let allowDowngrade = Flag(
    "allow-older", "opens signed bundles even when a newer version has been here")
  static let all = [requireSignature, allowDowngrade]

  /// The variable that asks for signatures wherever a bundle is opened.
  static let requireSignatureVariable = "TENSORIO_REQUIRE_SIGNATURE"

  private(set) var isSignatureRequired = false
  private(set) var allowsDowngrade = false

  /// Nothing is asked for.
  init() {}

  init(_ arguments: ParsedArguments, _ console: Console) {
    let variable = console.environment(Self.requireSignatureVariable) ?? ""
    isSignatureRequired = arguments.has(Self.requireSignature) || !["", "0"].contains(variable)
    allowsDowngrade = arguments.has(Self.allowDowngrade)
  }
}

extension Console {
  /// Whose bundles may be opened.
  var trustPolicy: TrustPolicy {
    get throws(OperationError) {
      guard trustFlags.isSignatureRequired else { return .unrestricted }
      return TrustPolicy(
        requiring: try TrustedKeyStore(self).trustedKeys, versionHistory: try versionHistory,
        allowingDowngrade: trustFlags.allowsDowngrade)
    }
  }

  /// Whose bundles may come into the library, where even of those that need no signature none is to
  /// be older than what was there.
  var importTrustPolicy: TrustPolicy {
    get throws(OperationError) {
      guard !trustFlags.isSignatureRequired else { return try trustPolicy }
      return TrustPolicy(
        verifying: try TrustedKeyStore(self).trustedKeys, versionHistory: try versionHistory,
        allowingDowngrade: trustFlags.allowsDowngrade)
    }
  }

  private static let versionHistoryName = "seen-versions.json"

  /// What is remembered of signed bundles.
  var versionHistory: VersionHistory {
    get throws(OperationError) {
      VersionHistory(at: try UserDataFolder.requiredPath(of: Self.versionHistoryName, self))
    }
  }
}
