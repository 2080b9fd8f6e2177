/// A secret key, which creates signatures.
package struct SecretKey: Sendable {
  /// The corresponding public key.
  package let publicKey: PublicKey
  /// The seed and the public point, in libsodium's format.
  let bytes: [UInt8]

  static let byteCount = 64

  /// Generates a new key.
  package static func generate() throws(ModelError) -> SecretKey {
    let library = try Libsodium.standard
    let id = KeyID(bytes: library.randomBytes(KeyID.byteCount))
    return SecretKey(id: id, bytes: library.makeKeyPair())
  }

  init(id: KeyID, bytes: [UInt8]) {
    self.bytes = bytes
    publicKey = PublicKey(id: id, rawBytes: Array(bytes.suffix(PublicKey.rawByteCount)))
  }
}

// The format of minisign's secret key files:
//
//   field     algorithms  salt  operations  memory  identifier  key  checksum
//   bytes     6           32    8           8       8           64   32
//
// The last three fields are encrypted if there is a password. Without a password, salt, cost and
// checksum are zero.

extension SecretKey {
  /// The cost of deriving a key from a password.
  package struct KDFCost: Sendable, Hashable {
    let operationLimit: UInt64
    let memoryLimit: UInt64

    /// The cost used by minisign: seconds of time and 1 GiB of memory.
    package static let standard = KDFCost(operationLimit: 1 << 25, memoryLimit: 1 << 30)
    /// The minimum cost, for tests.
    package static let minimum = KDFCost(operationLimit: 1 << 15, memoryLimit: 1 << 24)

    /// The maximum cost accepted from a key file.
    static let maximum = KDFCost(operationLimit: 1 << 28, memoryLimit: 1 << 32)
  }

  private static let saltByteCount = 32
  private static let checksumByteCount = 32
  private static let encryptedByteCount = KeyID.byteCount + byteCount + checksumByteCount
  private static let contentByteCount = 6 + saltByteCount + 16 + encryptedByteCount
  private static let encryptedHeader = Array("EdScB2".utf8)
  private static let unencryptedHeader = Array("Ed\0\0B2".utf8)

  /// Returns the contents of the key file, encrypted if there is a password.
  package func fileBytes(
    password: [UInt8]?, cost: KDFCost = .standard
  ) throws(ModelError) -> [UInt8] {
    var text = Array("\(MinisignFile.untrustedCommentPrefix)minisign encrypted secret key\n".utf8)
    text += StrictBase64.encode(try fileContent(password, cost)).utf8
    return text + Array("\n".utf8)
  }

  private func fileContent(
    _ password: [UInt8]?, _ cost: KDFCost
  ) throws(ModelError) -> [UInt8] {
    guard let password else {
      let empty = [UInt8](repeating: 0, count: Self.saltByteCount + 16)
      let noChecksum = [UInt8](repeating: 0, count: Self.checksumByteCount)
      return Self.unencryptedHeader + empty + publicKey.id.bytes + bytes + noChecksum
    }
    let library = try Libsodium.standard
    let salt = library.randomBytes(Self.saltByteCount)
    let plain = publicKey.id.bytes + bytes + checksum(library)
    let stream = try library.deriveKey(
      byteCount: plain.count, password: password, salt: salt, cost: cost)
    return Self.encryptedHeader + salt + cost.operationLimit.littleEndianBytes
      + cost.memoryLimit.littleEndianBytes + zip(plain, stream).map(^)
  }

  private func checksum(_ library: Libsodium) -> [UInt8] {
    library.digest(
      of: Array("Ed".utf8) + publicKey.id.bytes + bytes, byteCount: Self.checksumByteCount)
  }
}

extension SecretKey {
  /// Returns whether a key file is encrypted, or `nil` if it is not a key file.
  package static func isEncrypted(_ file: [UInt8]) -> Bool? {
    decodedContent(of: file).map { $0.starts(with: encryptedHeader) }
  }

  /// Parses a key file.
  ///
  /// The password is ignored if the file is not encrypted.
  package init(file: [UInt8], password: [UInt8] = []) throws(ModelError) {
    guard let content = Self.decodedContent(of: file) else {
      throw .invalidKey("not a secret key file, or corrupt")
    }
    let encrypted = Array(content.suffix(Self.encryptedByteCount))
    guard content.starts(with: Self.encryptedHeader) else {
      self.init(plain: encrypted)
      return
    }
    let library = try Libsodium.standard
    let salt = Array(content[6..<(6 + Self.saltByteCount)])
    let stream = try library.deriveKey(
      byteCount: encrypted.count, password: password, salt: salt,
      cost: KDFCost(reading: content[(6 + Self.saltByteCount)...]))
    let plain = zip(encrypted, stream).map(^)
    self.init(plain: plain)
    guard checksum(library) == Array(plain.suffix(Self.checksumByteCount)) else {
      throw .passwordMismatch
    }
  }

  private init(plain: [UInt8]) {
    self.init(
      id: KeyID(bytes: Array(plain.prefix(KeyID.byteCount))),
      bytes: Array(plain.dropFirst(KeyID.byteCount).prefix(Self.byteCount)))
  }

  private static func decodedContent(of file: [UInt8]) -> [UInt8]? {
    guard let lines = MinisignFile(file), lines.lines.count == 2,
      lines.text(ofLine: 0, afterPrefix: MinisignFile.untrustedCommentPrefix) != nil,
      let content = lines.decodedBytes(ofLine: 1, count: contentByteCount),
      [encryptedHeader, unencryptedHeader].contains(where: content.starts)
    else { return nil }
    return content
  }
}

extension SecretKey.KDFCost {
  fileprivate init(reading bytes: ArraySlice<UInt8>) throws(ModelError) {
    operationLimit = UInt64(littleEndianBytes: bytes.prefix(8))
    memoryLimit = UInt64(littleEndianBytes: bytes.dropFirst(8).prefix(8))
    guard operationLimit <= Self.maximum.operationLimit,
      memoryLimit <= Self.maximum.memoryLimit
    else {
      throw .invalidKey("the cost of its password exceeds the limit")
    }
  }
}

extension UInt64 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }

  fileprivate init(littleEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
