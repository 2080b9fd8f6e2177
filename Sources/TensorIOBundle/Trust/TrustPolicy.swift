/// Whose bundles are opened.
///
///     let keys = try TrustedKeys(["RWTX/DT21VWA/…"])
///     let policy = TrustPolicy(requiring: keys, seenVersions: VersionHistory(at: "seen.json"))
///     let model = try Model(bundleAt: "birds.tiobundle", trust: policy)
///
/// Whatever the policy, a bundle with a manifest is compared with it as a whole before anything else
/// of it is opened.
public struct TrustPolicy: Sendable {
  /// Bundles of anybody, signed or not.
  public static let unrestricted = TrustPolicy(signatures: nil, isSignatureRequired: false)

  private let signatures: (any SignatureVerifier)?
  private let isSignatureRequired: Bool
  private var versionHistory: VersionHistory?
  private var allowsDowngrade = false
  private var recordsVersions = true

  private init(signatures: (any SignatureVerifier)?, isSignatureRequired: Bool) {
    (self.signatures, self.isSignatureRequired) = (signatures, isSignatureRequired)
  }

  /// Signed bundles only, by signers that are known, and none that is older than one that was seen
  /// before, unless that is allowed.
  public init(
    requiring signatures: any SignatureVerifier, versionHistory: VersionHistory? = nil,
    allowingDowngrade: Bool = false
  ) {
    self.init(signatures: signatures, isSignatureRequired: true)
    (self.versionHistory, allowsDowngrade) = (versionHistory, allowingDowngrade)
  }

  /// Bundles of anybody; but where one is signed by a signer that is known, as if that were required.
  public init(
    verifying signatures: any SignatureVerifier, versionHistory: VersionHistory? = nil,
    allowingDowngrade: Bool = false
  ) {
    self.init(signatures: signatures, isSignatureRequired: false)
    (self.versionHistory, allowsDowngrade) = (versionHistory, allowingDowngrade)
  }

  /// The same, for bundles that may yet turn out to be of no use: what is seen is not remembered.
  package var withoutRecordingVersions: TrustPolicy {
    var policy = self
    policy.recordsVersions = false
    return policy
  }
}

/// What knows signers by their signatures.
///
/// The pipeline knows manifests and nothing of cryptography: whoever opens a bundle may bring along
/// something that does. `import TensorIO` brings ``TrustPolicy`` its `TrustedKeys`.
public protocol SignatureVerifier: Sendable {
  /// The name of whoever has signed a file.
  ///
  /// A signer that is not known is an error with the reason `untrustedKey`, and a signature that is
  /// not the signer's one with `badSignature`.
  func signer(of file: [UInt8], signature: [UInt8]) throws(ModelError) -> String
}

// MARK: Checking

extension TrustPolicy {
  /// The manifest of a bundle's folder, all of which has been compared with it; `nil` where there is
  /// none and none is required.
  func verifiedManifest(in folder: String) throws(ModelError) -> BundleManifest? {
    guard let bytes = try BundleManifest.bytes(in: folder) else {
      guard !isSignatureRequired else { throw ModelError(.runtime, .unsignedBundle) }
      return nil
    }
    let signer = try signer(of: bytes, in: folder)
    let manifest = try BundleManifest(bytes)
    if let signer, !allowsDowngrade { try versionHistory?.throwIfDowngrade(manifest, signer: signer) }
    try manifest.verify(folder)
    if let signer, recordsVersions { try versionHistory?.record(manifest, signer: signer) }
    return manifest
  }

  private func signer(of manifest: [UInt8], in folder: String) throws(ModelError) -> String? {
    guard let signatures else { return nil }
    guard let signature = try BundleManifest.signature(in: folder) else {
      guard !isSignatureRequired else { throw ModelError(.runtime, .unsignedBundle) }
      return nil
    }
    do throws(ModelError) {
      return try signatures.signer(of: manifest, signature: signature)
    } catch {
      guard case .untrustedKey = error.reason, !isSignatureRequired else { throw error }
      return nil
    }
  }

  /// Compares the bundle in a folder with its manifest, if it has one, and holds it to the policy.
  package func verify(folder: String, named name: String) throws(ModelError) {
    do throws(ModelError) {
      _ = try verifiedManifest(in: folder)
    } catch {
      throw error.in(file: name)
    }
  }
}
