extension SecretKey {
  /// Signs a file, and a comment with it.
  package func sign(_ file: [UInt8], comment: String) throws(IntegrityError) -> Signature {
    let library = try SodiumLibrary.standard
    let comment = comment.inOneLine
    let digest = library.digest(of: file)
    let bytes = library.sign(digest, self)
    // A key without a password has no checksum, and one that is damaged would sign for nobody.
    guard library.isSigned(digest, bytes, by: publicKey) else {
      throw .noKey("its two halves do not fit each other")
    }
    return Signature(
      .digest, by: publicKey.id, bytes, comment: comment,
      commentSignature: library.sign(bytes + comment.utf8, self))
  }
}
