import TensorIOSystem

/// The public keys whose signatures are accepted, in minisign's format.
///
///     let keys = try TrustedKeys(["RWTX/DT21VWA/nKIuVcq7OpUhfRH8928Coh5jakxufqeOz07spF9yh5H"])
///     let policy = TrustPolicy(requiring: keys)
///
/// Signatures are verified with libsodium, which is loaded on first use.
public struct TrustedKeys: SignatureVerifier {
  private let keys: [PublicKey]

  /// Parses keys, each in base64 or as the text of a key file.
  public init(_ texts: [String]) throws(ModelError) {
    keys = try texts.map { (text) throws(ModelError) in
      try PublicKey(Array(text.utf8))
    }
  }

  /// Reads keys from files.
  public init(files paths: [String]) throws(ModelError) {
    try self.init(
      try paths.map { (path) throws(ModelError) in
        String(decoding: try FileBytes.read(path, limit: 1 << 14), as: UTF8.self)
      })
  }

  package init(keys: [PublicKey]) {
    self.keys = keys
  }

  /// Returns the key that signed a file, in base64.
  public func signer(of file: [UInt8], signature: [UInt8]) throws(ModelError) -> String {
    try MinisignSignature(signature).verify(file, trustedKeys: keys).base64Text
  }
}
