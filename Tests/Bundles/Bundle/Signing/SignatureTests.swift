import Testing

@testable import TensorIOBundle

@Suite struct SignatureTests {
  private static let file = Array("{\"what\": \"is signed\"}\n".utf8)
  private let key: SecretKey
  private let signature: MinisignSignature

  init() throws {
    key = try SecretKey.generate()
    signature = try key.sign(Self.file, comment: "timestamp:1\tfile:x\tversion:2")
  }

  private func isValid(_ signature: [UInt8], _ file: [UInt8] = Self.file) -> Bool {
    (try? MinisignSignature(signature).verify(file, trustedKeys: [key.publicKey])) != nil
  }

  @Test func `A signature is valid for its file and key`() throws {
    #expect(try MinisignSignature(signature.fileBytes) == signature)
    #expect(try signature.verify(Self.file, trustedKeys: [key.publicKey]) == key.publicKey)
    let other = try SecretKey.generate().publicKey
    #expect(try signature.verify(Self.file, trustedKeys: [other, key.publicKey]) == key.publicKey)
    #expect(throws: ModelError(.runtime, .untrustedKey("\(key.publicKey.id)"))) {
      try signature.verify(Self.file, trustedKeys: [other])
    }
    #expect(throws: ModelError(.runtime, .untrustedKey("\(key.publicKey.id)"))) {
      try signature.verify(Self.file, trustedKeys: [])
    }
  }

  @Test func `A key with the same identifier is not accepted`() throws {
    let forged = PublicKey(
      id: key.publicKey.id, rawBytes: try SecretKey.generate().publicKey.rawBytes)
    let error = #expect(throws: ModelError.self) {
      try signature.verify(Self.file, trustedKeys: [forged])
    }
    #expect(error?.code == "invalid-signature")
    #expect(try signature.verify(Self.file, trustedKeys: [forged, key.publicKey]) == key.publicKey)
  }

  @Test func `Any flipped bit after the untrusted comment is detected`() throws {
    let bytes = signature.fileBytes
    let start = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    for (index, bit) in (start..<bytes.count).flatMap({ index in (0..<8).map { (index, $0) } }) {
      var flipped = bytes
      flipped[index] ^= 1 << bit
      #expect(!isValid(flipped), "bit \(bit) of byte \(index)")
    }
    #expect(isValid(bytes))
  }

  @Test func `Any flipped, missing or additional byte of the file is detected`() {
    for (index, bit) in Self.file.indices.flatMap({ index in (0..<8).map { (index, $0) } }) {
      var flipped = Self.file
      flipped[index] ^= 1 << bit
      #expect(!isValid(signature.fileBytes, flipped))
    }
    #expect(!isValid(signature.fileBytes, Self.file.dropLast()))
    #expect(!isValid(signature.fileBytes, Self.file + [0]))
  }

  @Test func `Any flipped bit of a public key is detected`() throws {
    let text = Array(key.publicKey.base64Text.utf8)
    for (index, bit) in text.indices.flatMap({ index in (0..<8).map { (index, $0) } }) {
      var flipped = text
      flipped[index] ^= 1 << bit
      let isValid = (try? signature.verify(Self.file, trustedKeys: [PublicKey(flipped)])) != nil
      #expect(!isValid, "bit \(bit) of byte \(index)")
    }
  }

  @Test func `A truncated signature is rejected`() {
    // The final line feed is optional.
    for count in 0..<(signature.fileBytes.count - 1) {
      #expect(!isValid(Array(signature.fileBytes.prefix(count))), "\(count) bytes")
    }
    #expect(isValid(signature.fileBytes.dropLast()))
    #expect(!isValid(signature.fileBytes + Array("more\n".utf8)))
    #expect(!isValid([UInt8](repeating: UInt8(ascii: "\n"), count: MinisignFile.maxBytes + 1)))
  }

  @Test func `A changed or foreign comment is rejected`() throws {
    let text = String(decoding: signature.fileBytes, as: UTF8.self)
    #expect(!isValid(Array(text.replacing("version:2", with: "version:3").utf8)))
    let other = try key.sign(Array("another file".utf8), comment: "version:9")
    let mixed = MinisignSignature(
      .prehashed, by: key.publicKey.id, signature.bytes, comment: other.comment,
      commentSignature: other.commentSignature)
    #expect(!isValid(mixed.fileBytes))
  }

  @Test func `A comment is converted to a single line`() throws {
    let signature = try key.sign(Self.file, comment: "a\nb\rc\u{0}d\te")
    #expect(signature.comment == "a b c d\te")
    #expect(isValid(signature.fileBytes))
  }

  @Test func `Carriage returns at line ends are accepted`() {
    let text = String(decoding: signature.fileBytes, as: UTF8.self).replacing("\n", with: "\r\n")
    #expect(isValid(Array(text.utf8)))
  }
}

@Suite struct KeyTests {
  @Test func `A public key is parsed from base64 and from a file`() throws {
    let key = try SecretKey.generate().publicKey
    #expect(try PublicKey(Array(key.base64Text.utf8)) == key && PublicKey(key.fileBytes) == key)
    #expect(key.base64Text.hasPrefix("RW") && key.base64Text.utf8.count == 56)
    for text in [
      "", "RW", key.base64Text + "A", "x " + key.base64Text, key.base64Text + "\n" + key.base64Text,
    ] {
      let error = #expect(throws: ModelError.self) { try PublicKey(Array(text.utf8)) }
      #expect(error?.code == "invalid-key")
    }
  }

  @Test func `An identifier has the same format as in minisign`() {
    let id = KeyID(bytes: [0xD7, 0xFC, 0x34, 0xF6, 0xD5, 0x55, 0x80, 0xFE])
    #expect("\(id)" == "FE8055D5F634FCD7")
    #expect("\(KeyID(bytes: [1, 0x2A, 0, 0, 0, 0, 0, 0]))" == "2A01")
  }

  @Test(arguments: [nil, "password", ""] as [String?])
  func `A secret key survives a round trip`(_ password: String?) throws {
    let key = try SecretKey.generate()
    let password = password.map { Array($0.utf8) }
    let file = try key.fileBytes(password: password, cost: .minimum)
    #expect(SecretKey.isEncrypted(file) == (password != nil))
    let read = try SecretKey(file: file, password: password ?? [])
    #expect(read.publicKey == key.publicKey && read.bytes == key.bytes)
  }

  @Test func `A flipped bit of an encrypted key and a wrong password are detected`() throws {
    let file = try SecretKey.generate().fileBytes(password: [1, 2], cost: .minimum)
    let start = try #require(file.firstIndex(of: UInt8(ascii: "\n")))
    // Some bits of the cost fields do not affect the derived key.
    let cost = (start + 49)..<(start + 75)
    for index in stride(from: start, to: file.count, by: 5) where !cost.contains(index) {
      var flipped = file
      flipped[index] ^= 1 << UInt8(index % 8)
      #expect(throws: ModelError.self) { try SecretKey(file: flipped, password: [1, 2]) }
    }
    #expect(throws: ModelError.passwordMismatch) { try SecretKey(file: file, password: [1]) }
    #expect(throws: ModelError.passwordMismatch) { try SecretKey(file: file) }
  }

  @Test func `A damaged unencrypted key does not sign`() throws {
    let key = try SecretKey.generate()
    var bytes = key.bytes
    bytes[3] ^= 1
    let damaged = SecretKey(id: key.publicKey.id, bytes: bytes)
    let error = #expect(throws: ModelError.self) { try damaged.sign([], comment: "") }
    #expect(error?.code == "invalid-key")
  }

  @Test func `A key that requires too much memory is rejected`() throws {
    let cost = SecretKey.KDFCost(operationLimit: 1 << 15, memoryLimit: 1 << 40)
    let key = try SecretKey.generate()
    // The key is written with minimum cost, and then the declared memory is increased.
    var content = try #require(
      MinisignFile(key.fileBytes(password: [1], cost: .minimum))?.decodedBytes(
        ofLine: 1, count: 158))
    for index in 0..<8 {
      content[46 + index] = UInt8(truncatingIfNeeded: cost.memoryLimit >> (index * 8))
    }
    let file = Array("untrusted comment: x\n\(StrictBase64.encode(content))\n".utf8)
    let error = #expect(throws: ModelError.self) { try SecretKey(file: file, password: [1]) }
    #expect(error?.code == "invalid-key")
  }

  @Test func `Only canonical base64 is accepted`() {
    #expect(StrictBase64.decode("AAA=") == [0, 0])
    for text in ["AAB=", "AAA", "AAA=\n", "A A=", "AA-_", "AAA=AAA=", "=AAA"] {
      #expect(StrictBase64.decode(text) == nil, "\(text)")
    }
  }

  @Test func `A missing library is reported with an install command`() {
    let error = #expect(throws: ModelError.self) { try Libsodium(path: "/nowhere/s.so") }
    #expect(error?.code == "signature-library-missing")
    #expect(error?.description.contains(Libsodium.installCommand) == true)
    #expect(throws: ModelError.self) { try Libsodium(path: "libm.so.6") }
  }
}
