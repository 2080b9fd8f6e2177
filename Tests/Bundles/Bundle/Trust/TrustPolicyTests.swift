import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Trust policies with a fake signature verifier.
@Suite struct TrustPolicyTests {
  private let bundle: TestBundle
  private let folder: TemporaryFolder
  private let history: VersionHistory

  init() throws {
    bundle = try TestBundle()
    folder = try TemporaryFolder()
    history = VersionHistory(at: folder.path + "/seen.json")
  }

  /// Accepts the name of a signer as a signature for any file.
  private struct FakeVerifier: SignatureVerifier {
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

  private func openingError(_ policy: TrustPolicy) -> String? {
    do throws(ModelError) {
      _ = try ModelBundle(at: bundle.path, trust: policy)
      return nil
    } catch {
      #expect(error.stage == .runtime && error.file == bundle.path)
      return error.code
    }
  }

  @Test func `A trusted signature is required before other files are read`() throws {
    let policy = TrustPolicy(requiring: FakeVerifier())
    #expect(openingError(policy) == "unsigned-bundle")
    try BundleManifest.write(into: bundle.path)
    #expect(openingError(policy) == "unsigned-bundle")
    try sign("stranger")
    #expect(openingError(policy) == "untrusted-key")
    try sign("forger")
    #expect(openingError(policy) == "invalid-signature")
    try sign("friend")
    #expect(openingError(policy) == nil)
    try bundle.write([1], to: "manifest.json")
    try bundle.write(Array("forger".utf8), to: "manifest.json.minisig")
    try bundle.write([1], to: "model.json")
    #expect(openingError(policy) == "invalid-signature")
    #expect(openingError(.unrestricted) == "manifest-mismatch")
  }

  @Test func `A forged signature is rejected even if signatures are optional`() throws {
    let policy = TrustPolicy(verifying: FakeVerifier())
    #expect(openingError(policy) == nil)
    for (signature, code) in [("stranger", nil), ("forger", "invalid-signature"), ("friend", nil)] {
      try sign(signature)
      #expect(openingError(policy) == code)
      #expect(openingError(.unrestricted) == nil)
    }
  }

  @Test func `A downgrade is rejected unless allowed, and recording can be disabled`()
    throws
  {
    let policy = TrustPolicy(requiring: FakeVerifier(), versionHistory: history)
    let description = try String(contentsOfFile: bundle.path + "/model.json", encoding: .utf8)
    try sign("friend")
    #expect(openingError(policy.withoutRecordingVersions) == nil && folder.entries.isEmpty)
    #expect(openingError(policy) == nil && folder.entries == ["seen.json"])
    try bundle.write(
      Array(description.replacing(#""version": "3""#, with: #""version": "2.9""#).utf8),
      to: "model.json")
    try sign("friend")
    #expect(openingError(policy) == "bundle-downgrade")
    #expect(
      openingError(TrustPolicy(verifying: FakeVerifier(), versionHistory: history))
        == "bundle-downgrade")
    #expect(
      openingError(.unrestricted) == nil
        && openingError(TrustPolicy(requiring: FakeVerifier())) == nil)
    let allowing = TrustPolicy(
      requiring: FakeVerifier(), versionHistory: history, allowingDowngrade: true)
    #expect(openingError(allowing) == nil && openingError(policy) == "bundle-downgrade")
  }

  @Test func `Libraries and validators apply the policy to every bundle`() throws {
    let policy = TrustPolicy(requiring: FakeVerifier())
    let parent = URL(filePath: bundle.path).deletingLastPathComponent().path
    let options = OpeningOptions(trust: policy)
    #expect(try ModelLibrary(at: parent, options: options).bundles.isEmpty)
    let checker = BundleValidator(
      runner: nil, trust: options.trust, reader: options.descriptionReader)
    #expect(checker.validate(bundle.path).loadError?.code == "unsigned-bundle")
    try sign("friend")
    #expect(try ModelLibrary(at: parent, options: options).bundles.count == 1)
    #expect(checker.validate(bundle.path).isValid)
  }
}
