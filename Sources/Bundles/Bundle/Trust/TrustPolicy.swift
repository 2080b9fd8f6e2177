/// The rules for signatures and versions of the bundles that may be opened.
///
/// ```swift
/// import TensorIO
///
/// let keys = try TrustedKeys(files: ["ours.pub"])
/// let policy = TrustPolicy(requiring: keys, versionHistory: VersionHistory(at: "seen.json"))
/// let model = try Model(at: "birds.tiobundle", options: .init(trust: policy))
/// ```
///
/// Independently of the policy, a bundle with a manifest is verified completely before any other
/// file of it is read.
public struct TrustPolicy: Sendable {
  /// Accepts all bundles, signed or not.
  public static let unrestricted = TrustPolicy(signatures: nil, isSignatureRequired: false)

  private let signatures: (any SignatureVerifier)?
  /// Whether bundles without a signature are rejected.
  package let isSignatureRequired: Bool
  private var versionHistory: VersionHistory?
  private var allowsDowngrade = false
  private var recordsVersions = true

  private init(signatures: (any SignatureVerifier)?, isSignatureRequired: Bool) {
    (self.signatures, self.isSignatureRequired) = (signatures, isSignatureRequired)
  }

  /// Accepts only bundles signed with a trusted key.
  ///
  /// - Parameters:
  ///   - signatures: Verifies signatures.
  ///   - versionHistory: Records the highest version of each bundle, to reject older ones.
  ///   - allowingDowngrade: Whether older versions are accepted.
  public init(
    requiring signatures: any SignatureVerifier, versionHistory: VersionHistory? = nil,
    allowingDowngrade: Bool = false
  ) {
    self.init(signatures: signatures, isSignatureRequired: true)
    (self.versionHistory, allowsDowngrade) = (versionHistory, allowingDowngrade)
  }

  /// Accepts all bundles, but applies the checks to those signed with a trusted key.
  public init(
    verifying signatures: any SignatureVerifier, versionHistory: VersionHistory? = nil,
    allowingDowngrade: Bool = false
  ) {
    self.init(signatures: signatures, isSignatureRequired: false)
    (self.versionHistory, allowsDowngrade) = (versionHistory, allowingDowngrade)
  }

  /// A copy of the policy that does not record versions, for bundles that may be rejected later.
  package var withoutRecordingVersions: TrustPolicy {
    var policy = self
    policy.recordsVersions = false
    return policy
  }
}

/// Verifies signatures of manifests and identifies the signer.
///
/// ``TrustedKeys`` verifies minisign signatures.
public protocol SignatureVerifier: Sendable {
  /// Returns the name of the signer of a file.
  ///
  /// - Throws: A ``ModelError`` with the reason `untrustedKey` if the signer is unknown, or
  ///   `invalidSignature` if the signature does not match the file.
  func signer(of file: [UInt8], signature: [UInt8]) throws(ModelError) -> String
}

// MARK: Verification

extension TrustPolicy {
  /// Verifies a bundle's folder against its manifest and this policy.
  ///
  /// - Returns: The manifest, or `nil` if there is none and none is required.
  func verifiedManifest(in folder: String) throws(ModelError) -> BundleManifest? {
    guard let bytes = try BundleManifest.bytes(in: folder) else {
      guard !isSignatureRequired else { throw ModelError(.runtime, .unsignedBundle) }
      return nil
    }
    let signer = try signer(of: bytes, in: folder)
    let manifest = try BundleManifest(bytes)
    if let signer, !allowsDowngrade {
      try versionHistory?.throwIfDowngrade(manifest, signer: signer)
    }
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
      guard case ModelError.untrustedKey = error, !isSignatureRequired else { throw error }
      return nil
    }
  }

  /// Verifies the bundle in a folder against its manifest, if it has one, and this policy.
  package func verify(folder: String, named name: String) throws(ModelError) {
    do throws(ModelError) {
      _ = try verifiedManifest(in: folder)
    } catch {
      throw error.in(file: name)
    }
  }
}
