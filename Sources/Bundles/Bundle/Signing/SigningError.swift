/// An error in signing a file or verifying a signature.
package struct SigningError: Error, Sendable, Hashable {
  /// The reason for an error, with its details.
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

  /// The reason for the error.
  package let reason: Reason

  package init(_ reason: Reason) {
    self.reason = reason
  }
}

extension SigningError {
  /// The stable identifier of the reason, for use in scripts.
  package var code: String {
    switch reason {
    case .invalidKey: "invalid-key"
    case .wrongPassword: "wrong-password"
    case .outOfMemory: "out-of-memory"
    case .invalidSignature: "invalid-signature"
    case .untrustedKey: "untrusted-key"
    case .libraryMissing: "signature-library-missing"
    }
  }

  /// Whether the error is that libsodium is not installed.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}

extension SigningError: CustomStringConvertible {
  /// The error on one line.
  package var description: String {
    switch reason {
    case .invalidKey(let detail): "invalid key: \(detail)"
    case .wrongPassword: "wrong password, or the key is corrupt"
    case .outOfMemory(let bytes): "out of memory: the key's password requires \(bytes) bytes"
    case .invalidSignature(let detail): "invalid signature: \(detail)"
    case .untrustedKey(let key): "key \(key) is not trusted"
    case .libraryMissing(let path, let detail):
      "signatures require libsodium; cannot load \(path) (\(detail)). "
        + "Install it: \(Self.installCommand)"
    }
  }

  /// The command that installs libsodium.
  package static var installCommand: String {
    #if os(macOS)
      "brew install libsodium"
    #else
      "apt-get install libsodium23"
    #endif
  }
}
