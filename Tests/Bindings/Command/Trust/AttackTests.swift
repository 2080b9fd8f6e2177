import Foundation
import TensorIOTestSupport
import Testing

/// Attacks on signed bundles.
@Suite struct AttackTests {
  enum Attack: String, CaseIterable {
    case flippedSignature = "invalid-signature"
    case flippedManifest = "invalid-signature "
    case flippedKey = "invalid-signature  "
    case swappedManifest = "manifest-mismatch"
    case replayedVersion = "bundle-downgrade"
    case fileAdded = "manifest-mismatch "
    case fileRemoved = "manifest-mismatch  "
    case commentChanged = "invalid-signature   "
    case wrongKey = "untrusted-key"
    case truncatedSignature = "invalid-signature    "

    /// The code of the rejection.
    var code: String { String(rawValue.prefix { $0 != " " }) }
  }

  private let stage: TrustStage
  private let bundle: String
  private var manifest: String { bundle + "/manifest.json" }
  private var signature: String { bundle + "/manifest.json.minisig" }

  init() throws {
    stage = try TrustStage()
    bundle = try stage.signed(version: "2")
    #expect(try stage.rejectionCode(bundle) == nil)
  }

  @Test(arguments: Attack.allCases)
  func `An attack is rejected`(_ attack: Attack) throws {
    let target = try attacked(attack)
    #expect(try stage.rejectionCode(target) == attack.code)
    #expect(stage.console.run(["verify", target]).exitCode == 5)
    let imported = stage.console.run(["models", "import", target, "--require-signature"])
    #expect(imported.exitCode == 5 && imported.output.isEmpty)
    #expect(
      stage.home.entries.allSatisfy { ["keys", "models", "version-history.json"].contains($0) })
  }

  /// Applies an attack, and returns the path of the bundle that must be rejected.
  private func attacked(_ attack: Attack) throws -> String {
    switch attack {
    case .flippedSignature: try stage.flip(3, ofByte: 80, in: signature)
    case .flippedManifest: try stage.flip(2, ofByte: 40, in: manifest)
    case .flippedKey: try exchangeLetterOfKey()
    case .swappedManifest:
      let other = try stage.signed("other", id: "another", version: "3")
      try stage.write(stage.bytes(other + "/manifest.json"), to: manifest)
      try stage.write(stage.bytes(other + "/manifest.json.minisig"), to: signature)
    case .replayedVersion: return try stage.signed("old", version: "1.9")
    case .fileAdded: try stage.write([], to: bundle + "/more")
    case .fileRemoved:
      try FileManager.default.removeItem(atPath: bundle + "/model.tflite")
    case .commentChanged: try stage.replace("version:2", with: "version:3", in: signature)
    case .wrongKey:
      try stage.makeKey("stranger")
      stage.sign(bundle, by: "stranger")
    case .truncatedSignature:
      try stage.write(stage.bytes(signature).dropLast(40), to: signature)
    }
    return bundle
  }

  private func exchangeLetterOfKey() throws {
    let path = "\(stage.home.path)/keys/ours.pub"
    var bytes = try stage.bytes(path)
    let place = bytes.count - 20
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    try stage.write(bytes, to: path)
  }
}
