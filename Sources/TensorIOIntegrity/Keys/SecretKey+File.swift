// The file of a secret key, as minisign writes it:
//
//   what      algorithms  salt  operations  memory  identifier  key  checksum
//   bytes     6           32    8           8       8           64   32
//
// The last three are encrypted where there is a password. Without one, minisign leaves salt, effort and
// checksum empty, and so does this.

extension SecretKey {
  /// How hard it is to try passwords.
  package struct Effort: Sendable, Hashable {
    let operations: UInt64
    let memory: UInt64

    /// That of minisign: seconds, and a gigabyte.
    package static let standard = Effort(operations: 1 << 25, memory: 1 << 30)
    /// As little as there is, for tests.
    package static let least = Effort(operations: 1 << 15, memory: 1 << 24)

    /// A file may not ask for more.
    static let most = Effort(operations: 1 << 28, memory: 1 << 32)
  }

  private static let saltBytes = 32
  private static let checksumBytes = 32
  private static let encryptedBytes = KeyIdentifier.byteCount + byteCount + checksumBytes
  private static let fileBytes = 6 + saltBytes + 16 + encryptedBytes
  private static let withPassword = Array("EdScB2".utf8)
  private static let withoutPassword = Array("Ed\0\0B2".utf8)

  /// The file, encrypted if there is a password.
  package func file(
    password: [UInt8]?, effort: Effort = .standard
  ) throws(IntegrityError) -> [UInt8] {
    var text = Array("\(TextLines.untrusted)minisign encrypted secret key\n".utf8)
    text += Base64.text(of: try content(password, effort)).utf8
    return text + Array("\n".utf8)
  }

  private func content(
    _ password: [UInt8]?, _ effort: Effort
  ) throws(IntegrityError) -> [UInt8] {
    guard let password else {
      let empty = [UInt8](repeating: 0, count: Self.saltBytes + 16)
      let noChecksum = [UInt8](repeating: 0, count: Self.checksumBytes)
      return Self.withoutPassword + empty + publicKey.id.bytes + bytes + noChecksum
    }
    let library = try SodiumLibrary.standard
    let salt = library.randomBytes(Self.saltBytes)
    let plain = publicKey.id.bytes + bytes + checksum(library)
    let stream = try library.stream(plain.count, password, salt, effort)
    return Self.withPassword + salt + effort.operations.littleEndianBytes
      + effort.memory.littleEndianBytes + zip(plain, stream).map(^)
  }

  private func checksum(_ library: SodiumLibrary) -> [UInt8] {
    library.digest(of: Array("Ed".utf8) + publicKey.id.bytes + bytes, byteCount: Self.checksumBytes)
  }
}

extension SecretKey {
  /// Whether a file of a key is encrypted; `nil` when it is no such file.
  package static func needsPassword(_ file: [UInt8]) -> Bool? {
    content(of: file).map { $0.starts(with: withPassword) }
  }

  /// Reads a file; one that is not encrypted needs no password.
  package init(file: [UInt8], password: [UInt8] = []) throws(IntegrityError) {
    guard let content = Self.content(of: file) else {
      throw .noKey("it is no file of a secret key, or damaged")
    }
    let encrypted = Array(content.suffix(Self.encryptedBytes))
    guard content.starts(with: Self.withPassword) else {
      self.init(plain: encrypted)
      return
    }
    let library = try SodiumLibrary.standard
    let salt = Array(content[6..<(6 + Self.saltBytes)])
    let stream = try library.stream(
      encrypted.count, password, salt, Effort(reading: content[(6 + Self.saltBytes)...]))
    let plain = zip(encrypted, stream).map(^)
    self.init(plain: plain)
    guard checksum(library) == Array(plain.suffix(Self.checksumBytes)) else {
      throw IntegrityError(.wrongPassword)
    }
  }

  private init(plain: [UInt8]) {
    self.init(
      id: KeyIdentifier(bytes: Array(plain.prefix(KeyIdentifier.byteCount))),
      bytes: Array(plain.dropFirst(KeyIdentifier.byteCount).prefix(Self.byteCount)))
  }

  private static func content(of file: [UInt8]) -> [UInt8]? {
    guard let lines = TextLines(file), lines.lines.count == 2,
      lines.rest(of: 0, after: TextLines.untrusted) != nil,
      let content = lines.bytes(of: 1, count: fileBytes),
      [withPassword, withoutPassword].contains(where: content.starts)
    else { return nil }
    return content
  }
}

extension SecretKey.Effort {
  fileprivate init(reading bytes: ArraySlice<UInt8>) throws(IntegrityError) {
    operations = UInt64(littleEndianBytes: bytes.prefix(8))
    memory = UInt64(littleEndianBytes: bytes.dropFirst(8).prefix(8))
    guard operations <= Self.most.operations, memory <= Self.most.memory else {
      throw .noKey("its password would take more than any computer should give")
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
