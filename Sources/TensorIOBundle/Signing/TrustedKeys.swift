import TensorIOSystem

/// The public keys whose signatures count, in minisign's format.
///
///     let keys = try TrustedKeys(["RWTX/DT21VWA/nKIuVcq7OpUhfRH8928Coh5jakxufqeOz07spF9yh5H"])
///     let policy = TrustPolicy(requiring: keys)
///
/// Signatures are checked by libsodium, which is opened when the first is.
public struct TrustedKeys: SignatureVerifier {
  private let keys: [PublicKey]

  /// The keys that are written out, each as one word or as the text of its file.
  public init(_ texts: [String]) throws(ModelError) {
    keys = try texts.map { (text) throws(ModelError) in
      do throws(SigningError) {
        return try PublicKey(Array(text.utf8))
      } catch {
        throw ModelError(error)
      }
    }
  }

  /// The keys in files.
  public init(files paths: [String]) throws(ModelError) {
    try self.init(
      try paths.map { (path) throws(ModelError) in
        String(decoding: try FileBytes.read(path, limit: 1 << 14), as: UTF8.self)
      })
  }

  package init(keys: [PublicKey]) {
    self.keys = keys
  }

  /// The key that has signed a file, as one word.
  public func signer(of file: [UInt8], signature: [UInt8]) throws(ModelError) -> String {
    do throws(SigningError) {
      return try MinisignSignature(signature).verify(file, trustedKeys: keys).base64Text
    } catch {
      throw ModelError(error)
    }
  }
}

extension ModelError {
  /// A key or a signature that is of no use.
  fileprivate init(_ error: SigningError) {
    switch error.reason {
    case .invalidSignature(let problem): self.init(.runtime, .invalidSignature(detail: problem))
    case .untrustedKey(let key): self.init(.runtime, .untrustedKey("\(key)"))
    default: self.init(.runtime, .unverifiable(code: error.code, detail: error.description))
    }
  }
}
