/// The part of a key that nobody else may have: it signs.
package struct SecretKey: Sendable {
  /// The part that goes with it.
  package let publicKey: PublicKey
  /// The seed and the public point, as libsodium wants them.
  let bytes: [UInt8]

  static let byteCount = 64

  /// Makes a new key.
  package static func random() throws(IntegrityError) -> SecretKey {
    let library = try SodiumLibrary.standard
    let id = KeyIdentifier(bytes: library.randomBytes(KeyIdentifier.byteCount))
    return SecretKey(id: id, bytes: library.newKeyPair())
  }

  init(id: KeyIdentifier, bytes: [UInt8]) {
    self.bytes = bytes
    publicKey = PublicKey(id: id, point: Array(bytes.suffix(PublicKey.pointBytes)))
  }
}
