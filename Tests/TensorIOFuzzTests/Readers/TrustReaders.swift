@testable import TensorIOBundle

/// Readers of what says whose a bundle is.
enum TrustReaders {
  /// There is one way to write a manifest, and no file is in it twice.
  static func manifest(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let manifest = unlessRefused({ try BundleManifest(bytes) }) else { return }
    try promise(manifest.bytes == bytes, "what was read is written otherwise")
    for (file, next) in zip(manifest.files, manifest.files.dropFirst()) {
      try promise(file.path.utf8.elementsEqual(next.path.utf8) == false, "a file is there twice")
    }
  }

  /// Of a record that is read, a version that is remembered is never older than the one before.
  static func versions(_ bytes: [UInt8]) throws(BrokenPromise) {
    let seen = VersionHistory(at: try FuzzedFile.holding(bytes, named: "seen/seen.json"))
    for version in ["0.9", "1.10", "x"] {
      let manifest = BundleManifest(id: "a", version: version, files: [])
      guard unlessRefused({ try seen.throwIfDowngrade(manifest, signer: "RWQ") }) != nil else { continue }
      try promise(
        unlessRefused { try seen.record(manifest, signer: "RWQ") } != nil,
        "what may be used cannot be remembered")
      try promise(
        unlessRefused { try seen.throwIfDowngrade(manifest, signer: "RWQ") } != nil,
        "what was remembered may not be used")
    }
  }

  /// What is accepted is written so that it reads as the same again.
  ///
  /// No password is tried: that shall take long.
  static func key(_ bytes: [UInt8]) throws(BrokenPromise) {
    if let key = unlessRefused({ try PublicKey(bytes) }) {
      for text in [key.fileBytes, Array(key.base64Text.utf8)] {
        try promise(unlessRefused { try PublicKey(text) } == key, "a public key reads as another")
      }
    }
    guard SecretKey.isEncrypted(bytes) == false else { return }
    guard let key = unlessRefused({ try SecretKey(file: bytes) }) else {
      throw BrokenPromise(description: "a key without a password cannot be read")
    }
    let again = unlessRefused { try SecretKey(file: key.fileBytes(password: nil)) }
    try promise(again?.publicKey == key.publicKey, "a secret key reads as another")
  }

  /// What is accepted is written so that it reads as the same again.
  static func signature(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let signature = unlessRefused({ try MinisignSignature(bytes) }) else { return }
    let again = unlessRefused { try MinisignSignature(signature.fileBytes) }
    try promise(again == signature, "a signature reads as another")
  }
}
