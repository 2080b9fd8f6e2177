extension Signature {
  /// Sees that a file, and the comment, were signed with one of several keys, and returns that.
  package func check(_ file: [UInt8], keys: [PublicKey]) throws(IntegrityError) -> PublicKey {
    let named = keys.filter { $0.id == key }
    guard !named.isEmpty else { throw IntegrityError(.untrustedKey(key)) }
    let library = try SodiumLibrary.standard
    let message = kind == .digest ? library.digest(of: file) : file
    guard let signer = named.first(where: { library.isSigned(message, bytes, by: $0) }) else {
      throw .badSignature("it is not the key's for this file")
    }
    guard library.isSigned(signedComment, commentSignature, by: signer) else {
      throw .badSignature("its comment is not the one that was signed")
    }
    return signer
  }
}
