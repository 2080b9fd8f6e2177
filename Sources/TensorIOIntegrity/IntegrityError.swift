/// Why something cannot be signed, or a signature not be believed.
package struct IntegrityError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    // Keys.
    case invalidKey(problem: String)
    case wrongPassword
    case noMemory(bytes: Int)

    // Signatures.
    case badSignature(problem: String)
    case untrustedKey(KeyIdentifier)

    // The library.
    case libraryMissing(path: String, problem: String)
  }

  /// What went wrong.
  package let reason: Reason

  package init(_ reason: Reason) {
    self.reason = reason
  }
}

extension IntegrityError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .invalidKey: "invalid-key"
    case .wrongPassword: "wrong-password"
    case .noMemory: "no-memory"
    case .badSignature: "bad-signature"
    case .untrustedKey: "untrusted-key"
    case .libraryMissing: "signature-library-missing"
    }
  }

  /// Whether the machine lacks something, rather than the key or the signature.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}

extension IntegrityError: CustomStringConvertible {
  /// One line: what is the matter, and what to do about it.
  package var description: String {
    switch reason {
    case .invalidKey(let problem): "it is no key: \(problem)"
    case .wrongPassword: "the password is not that of the key, or the key is damaged"
    case .noMemory(let bytes): "there is no memory for the key's password: it takes \(bytes) bytes"
    case .badSignature(let problem): "the signature is not good: \(problem)"
    case .untrustedKey(let key): "the key \(key) is not among the trusted ones"
    case .libraryMissing(let path, let problem):
      "signatures need libsodium, but \(path) cannot be used (\(problem)): \(Self.remedy)"
    }
  }

  /// The command that brings the library.
  package static var remedy: String {
    #if os(macOS)
      "brew install libsodium"
    #else
      "apt-get install libsodium23"
    #endif
  }
}
