import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem

/// The signature requirements of a command, from its options and the environment.
struct TrustFlags: Sendable {
  static let requireSignature = Flag(
    "require-signature", "Reject bundles not signed with a trusted key")
  static let allowDowngrade = Flag(
    "allow-downgrade", "Accept signed bundles older than a version opened before")
  static let all = [requireSignature, allowDowngrade]

  /// The environment variable that requires signatures for all bundles.
  static let requireSignatureVariable = "TENSORIO_REQUIRE_SIGNATURE"

  private(set) var isSignatureRequired = false
  private(set) var allowsDowngrade = false

  /// Creates flags without requirements.
  init() {}

  init(_ arguments: ParsedArguments, _ console: Console) {
    let variable = console.environment(Self.requireSignatureVariable) ?? ""
    isSignatureRequired = arguments.has(Self.requireSignature) || !["", "0"].contains(variable)
    allowsDowngrade = arguments.has(Self.allowDowngrade)
  }
}

extension Console {
  /// The trust policy for opening bundles.
  var trustPolicy: TrustPolicy {
    get throws(OperationError) {
      guard trustFlags.isSignatureRequired else { return .unrestricted }
      return TrustPolicy(
        requiring: try TrustedKeyStore(self).trustedKeys, versionHistory: try versionHistory,
        allowingDowngrade: trustFlags.allowsDowngrade)
    }
  }

  /// The trust policy for importing bundles, which verifies the signatures of signed bundles and
  /// prevents downgrades even if signatures are not required.
  var importTrustPolicy: TrustPolicy {
    get throws(OperationError) {
      guard !trustFlags.isSignatureRequired else { return try trustPolicy }
      return TrustPolicy(
        verifying: try TrustedKeyStore(self).trustedKeys, versionHistory: try versionHistory,
        allowingDowngrade: trustFlags.allowsDowngrade)
    }
  }

  private static let versionHistoryName = "version-history.json"
  /// The name of the history in folders of earlier releases.
  private static let oldVersionHistoryName = "seen-versions.json"

  /// The newest versions of signed bundles that were opened.
  ///
  /// A history under its old name is used as long as there is none under the new one, so that its
  /// protection from downgrades is kept.
  var versionHistory: VersionHistory {
    get throws(OperationError) {
      let path = try UserDataFolder.requiredPath(of: Self.versionHistoryName, self)
      let old = try UserDataFolder.requiredPath(of: Self.oldVersionHistoryName, self)
      return VersionHistory(
        at: FileKind(at: path) == nil && FileKind(at: old) == .file ? old : path)
    }
  }
}
