@testable import TensorIOBundle

/// Readers of manifests, keys and signatures.
enum TrustReaders {
  /// The encoding of a manifest is unique, and no file is listed twice.
  static func manifest(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let manifest = unlessRejected({ try BundleManifest(bytes) }) else { return }
    try verify(manifest.bytes == bytes, "a parsed manifest is encoded differently")
    for (file, next) in zip(manifest.files, manifest.files.dropFirst()) {
      try verify(file.path.utf8.elementsEqual(next.path.utf8) == false, "a file is listed twice")
    }
  }

  /// A recorded version is never older than the previous one.
  static func versions(_ bytes: [UInt8]) throws(PropertyViolation) {
    let seen = VersionHistory(at: try FuzzedFile.holding(bytes, named: "seen/seen.json"))
    for version in ["0.9", "1.10", "x"] {
      let manifest = BundleManifest(id: "a", version: version, files: [])
      guard unlessRejected({ try seen.throwIfDowngrade(manifest, signer: "RWQ") }) != nil else {
        continue
      }
      try verify(
        unlessRejected { try seen.record(manifest, signer: "RWQ") } != nil,
        "an accepted version cannot be recorded")
      try verify(
        unlessRejected { try seen.throwIfDowngrade(manifest, signer: "RWQ") } != nil,
        "a recorded version is rejected")
    }
  }

  /// Accepted keys are equal after writing and reading.
  ///
  /// Encrypted keys are not decrypted, because key derivation is slow by design.
  static func key(_ bytes: [UInt8]) throws(PropertyViolation) {
    if let key = unlessRejected({ try PublicKey(bytes) }) {
      for text in [key.fileBytes, Array(key.base64Text.utf8)] {
        try verify(
          unlessRejected { try PublicKey(text) } == key, "a public key differs after writing")
      }
    }
    guard SecretKey.isEncrypted(bytes) == false else { return }
    guard let key = unlessRejected({ try SecretKey(file: bytes) }) else {
      throw PropertyViolation(description: "a key without a password cannot be read")
    }
    let again = unlessRejected { try SecretKey(file: key.fileBytes(password: nil)) }
    try verify(again?.publicKey == key.publicKey, "a secret key differs after writing")
  }

  /// Accepted signatures are equal after writing and reading.
  static func signature(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let signature = unlessRejected({ try MinisignSignature(bytes) }) else { return }
    let again = unlessRejected { try MinisignSignature(signature.fileBytes) }
    try verify(again == signature, "a signature differs after writing")
  }
}
