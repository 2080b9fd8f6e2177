import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

/// What a policy asks of whatever checks signatures.
@Suite struct TrustPolicyTests {
  private let bundle: TestBundle
  private let folder: TemporaryFolder
  private let seen: VersionHistory

  init() throws {
    bundle = try TestBundle()
    folder = try TemporaryFolder()
    seen = VersionHistory(at: folder.path + "/seen.json")
  }

  /// A signature is the name of a signer, who signs anything.
  private struct Known: SignatureVerifier {
    func signer(of file: [UInt8], signature: [UInt8]) throws(ModelError) -> String {
      switch String(decoding: signature, as: UTF8.self) {
      case "friend": return "friend"
      case "stranger": throw ModelError(.runtime, .untrustedKey("stranger"))
      default: throw ModelError(.runtime, .invalidSignature(detail: "forged"))
      }
    }
  }

  private func sign(_ signature: String) throws {
    try BundleManifest.write(into: bundle.path)
    try bundle.write(Array(signature.utf8), to: "manifest.json.minisig")
  }

  private func refusal(_ policy: TrustPolicy) -> String? {
    do throws(ModelError) {
      _ = try ModelBundle(at: bundle.path, trust: policy)
      return nil
    } catch {
      #expect(error.stage == .runtime && error.file == bundle.path)
      return error.code
    }
  }

  @Test func `a signature of somebody known is asked for, before anything else is read`() throws {
    let policy = TrustPolicy(requiring: Known())
    #expect(refusal(policy) == "unsigned-bundle")
    try BundleManifest.write(into: bundle.path)
    #expect(refusal(policy) == "unsigned-bundle")
    try sign("stranger")
    #expect(refusal(policy) == "untrusted-key")
    try sign("forger")
    #expect(refusal(policy) == "bad-signature")
    try sign("friend")
    #expect(refusal(policy) == nil)
    try bundle.write([1], to: "manifest.json")
    try bundle.write(Array("forger".utf8), to: "manifest.json.minisig")
    try bundle.write([1], to: "model.json")
    #expect(refusal(policy) == "bad-signature")
    #expect(refusal(.unrestricted) == "altered-bundle")
  }

  @Test func `what needs no signature is refused with one that is forged`() throws {
    let policy = TrustPolicy(verifying: Known())
    #expect(refusal(policy) == nil)
    for (signature, code) in [("stranger", nil), ("forger", "bad-signature"), ("friend", nil)] {
      try sign(signature)
      #expect(refusal(policy) == code)
      #expect(refusal(.unrestricted) == nil)
    }
  }

  @Test func `an older version is refused unless it is allowed, and looking remembers nothing`()
    throws
  {
    let policy = TrustPolicy(requiring: Known(), versionHistory: seen)
    let description = try String(contentsOfFile: bundle.path + "/model.json", encoding: .utf8)
    try sign("friend")
    #expect(refusal(policy.withoutRecordingVersions) == nil && folder.entries.isEmpty)
    #expect(refusal(policy) == nil && folder.entries == ["seen.json"])
    try bundle.write(
      Array(description.replacing(#""version": "3""#, with: #""version": "2.9""#).utf8),
      to: "model.json")
    try sign("friend")
    #expect(refusal(policy) == "older-bundle")
    #expect(refusal(TrustPolicy(verifying: Known(), versionHistory: seen)) == "older-bundle")
    #expect(refusal(.unrestricted) == nil && refusal(TrustPolicy(requiring: Known())) == nil)
    let allowing = TrustPolicy(requiring: Known(), versionHistory: seen, allowingDowngrade: true)
    #expect(refusal(allowing) == nil && refusal(policy) == "older-bundle")
  }

  @Test func `a library and a checker hold every bundle to the policy`() throws {
    let policy = TrustPolicy(requiring: Known())
    let parent = URL(filePath: bundle.path).deletingLastPathComponent().path
    #expect(try ModelLibrary(at: parent, trust: policy).bundles.isEmpty)
    var checker = BundleValidator()
    checker.trust = policy
    #expect(checker.validate(bundle.path).loadError?.code == "unsigned-bundle")
    try sign("friend")
    #expect(try ModelLibrary(at: parent, trust: policy).bundles.count == 1)
    #expect(checker.validate(bundle.path).isValid)
  }
}
