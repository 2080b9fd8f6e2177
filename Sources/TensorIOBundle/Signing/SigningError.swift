/// Why something cannot be signed, or a signature not be believed.
package struct SigningError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    // Keys.
    case invalidKey(detail: String)
    case wrongPassword
    case outOfMemory(bytes: Int)

    // Signatures.
    case invalidSignature(detail: String)
    case untrustedKey(KeyID)

    // The library.
    case libraryMissing(path: String, detail: String)
  }

  /// What went wrong.
  package let reason: Reason

  package init(_ reason: Reason) {
    self.reason = reason
  }
}

extension SigningError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .invalidKey: "invalid-key"
    case .wrongPassword: "wrong-password"
    case .outOfMemory: "no-memory"
    case .invalidSignature: "bad-signature"
    case .untrustedKey: "untrusted-key"
    case .libraryMissing: "signature-library-missing"
    }
  }

  /// Whether the machine lacks something, rather than the key or the signature.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}

extension SigningError: CustomStringConvertible {
  /// One line: what is the matter, and what to do about it.
  package var description: String {
    switch reason {
    case .invalidKey(let problem): "it is no key: \(problem)"
    case .wrongPassword: "the password is not that of the key, or the key is damaged"
    case .outOfMemory(let bytes): "there is no memory for the key's password: it takes \(bytes) bytes"
    case .invalidSignature(let problem): "the signature is not good: \(problem)"
    case .untrustedKey(let key): "the key \(key) is not among the trusted ones"
    case .libraryMissing(let path, let problem):
      "signatures need libsodium, but \(path) cannot be used (\(problem)): \(Self.installCommand)"
    }
  }

  /// The command that brings the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install libsodium"
    #else
      "apt-get install libsodium23"
    #endif
  }
}
