extension ModelError {
  /// A key cannot be parsed, or its parts contradict each other.
  package static let invalidKey = Code("invalid-key", topic: .trust)
  /// The password does not decrypt the secret key.
  package static let wrongPassword = Code("wrong-password", topic: .trust)
  /// The memory that a key's password requires cannot be allocated.
  package static let keyMemory = Code("out-of-memory", topic: .trust)
  /// The library that verifies and makes signatures cannot be opened.
  package static let signatureLibraryMissing = Code("signature-library-missing", topic: .trust)

  /// Returns an error for an invalid key.
  static func invalidKey(_ detail: String) -> ModelError {
    ModelError(.input, .init(invalidKey, "invalid key: \(detail, as: "detail")"))
  }

  /// The password is wrong, or the secret key is corrupt, which cannot be distinguished.
  static let passwordMismatch = ModelError(
    .input, .init(wrongPassword, "wrong password, or the key is corrupt"))

  /// Returns an error for a key whose password requires more memory than there is.
  static func keyMemory(bytes: Int) -> ModelError {
    ModelError(
      .runtime,
      .init(keyMemory, "out of memory: the key's password requires \(bytes, as: "bytes") bytes"))
  }

  /// Returns an error for libsodium if it cannot be opened.
  static func signatureLibraryMissing(_ path: String, detail: String) -> ModelError {
    ModelError(
      .runtime,
      .init(
        signatureLibraryMissing,
        """
        signatures require libsodium; cannot load \(path, as: "path") (\(detail)). Install it: \
        \(Libsodium.installCommand, as: "suggestion")
        """))
  }

  /// Returns an error for a signature that is malformed or does not match.
  static func invalidSignature(_ detail: String) -> ModelError {
    ModelError(.runtime, .invalidSignature(detail: detail))
  }
}
