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

  private func isGood(_ signature: [UInt8], _ file: [UInt8] = Self.file) -> Bool {
    (try? MinisignSignature(signature).verify(file, trustedKeys: [key.publicKey])) != nil
  }

  @Test func `a signature is good for its file and its key`() throws {
    #expect(try MinisignSignature(signature.fileBytes) == signature)
    #expect(try signature.verify(Self.file, trustedKeys: [key.publicKey]) == key.publicKey)
    let other = try SecretKey.generate().publicKey
    #expect(try signature.verify(Self.file, trustedKeys: [other, key.publicKey]) == key.publicKey)
    #expect(throws: SigningError(.untrustedKey(key.publicKey.id))) {
      try signature.verify(Self.file, trustedKeys: [other])
    }
    #expect(throws: SigningError(.untrustedKey(key.publicKey.id))) {
      try signature.verify(Self.file, trustedKeys: [])
    }
  }

  @Test func `a key that only has the identifier of another has not signed`() throws {
    let impostor = PublicKey(
      id: key.publicKey.id, rawBytes: try SecretKey.generate().publicKey.rawBytes)
    let error = #expect(throws: SigningError.self) {
      try signature.verify(Self.file, trustedKeys: [impostor])
    }
    #expect(error?.code == "bad-signature")
    #expect(try signature.verify(Self.file, trustedKeys: [impostor, key.publicKey]) == key.publicKey)
  }

  @Test func `any flipped bit behind the untrusted comment is found`() throws {
    let bytes = signature.fileBytes
    let start = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
    for (place, bit) in (start..<bytes.count).flatMap({ place in (0..<8).map { (place, $0) } }) {
      var flipped = bytes
      flipped[place] ^= 1 << bit
      #expect(!isGood(flipped), "bit \(bit) of byte \(place)")
    }
    #expect(isGood(bytes))
  }

  @Test func `any flipped bit of the file is found, and any that is missing or too many`() {
    for (place, bit) in Self.file.indices.flatMap({ place in (0..<8).map { (place, $0) } }) {
      var flipped = Self.file
      flipped[place] ^= 1 << bit
      #expect(!isGood(signature.fileBytes, flipped))
    }
    #expect(!isGood(signature.fileBytes, Self.file.dropLast()))
    #expect(!isGood(signature.fileBytes, Self.file + [0]))
  }

  @Test func `any flipped bit of a public key is found`() throws {
    let word = Array(key.publicKey.base64Text.utf8)
    for (place, bit) in word.indices.flatMap({ place in (0..<8).map { (place, $0) } }) {
      var flipped = word
      flipped[place] ^= 1 << bit
      let isGood = (try? signature.verify(Self.file, trustedKeys: [PublicKey(flipped)])) != nil
      #expect(!isGood, "bit \(bit) of byte \(place)")
    }
  }

  @Test func `a signature that was cut off anywhere is refused`() {
    // The last line may do without its end.
    for count in 0..<(signature.fileBytes.count - 1) {
      #expect(!isGood(Array(signature.fileBytes.prefix(count))), "\(count) bytes")
    }
    #expect(isGood(signature.fileBytes.dropLast()))
    #expect(!isGood(signature.fileBytes + Array("more\n".utf8)))
    #expect(!isGood([UInt8](repeating: UInt8(ascii: "\n"), count: MinisignFile.maxBytes + 1)))
  }

  @Test func `another comment, or that of another signature, is refused`() throws {
    let text = String(decoding: signature.fileBytes, as: UTF8.self)
    #expect(!isGood(Array(text.replacing("version:2", with: "version:3").utf8)))
    let other = try key.sign(Array("another file".utf8), comment: "version:9")
    let mixed = MinisignSignature(
      .prehashed, by: key.publicKey.id, signature.bytes, comment: other.comment,
      commentSignature: other.commentSignature)
    #expect(!isGood(mixed.fileBytes))
  }

  @Test func `a comment is one line, however it is made`() throws {
    let signature = try key.sign(Self.file, comment: "a\nb\rc\u{0}d\te")
    #expect(signature.comment == "a b c d\te")
    #expect(isGood(signature.fileBytes))
  }

  @Test func `lines may end as elsewhere`() {
    let text = String(decoding: signature.fileBytes, as: UTF8.self).replacing("\n", with: "\r\n")
    #expect(isGood(Array(text.utf8)))
  }
}

@Suite struct KeyTests {
  @Test func `a public key is read as a word and as a file`() throws {
    let key = try SecretKey.generate().publicKey
    #expect(try PublicKey(Array(key.base64Text.utf8)) == key && PublicKey(key.fileBytes) == key)
    #expect(key.base64Text.hasPrefix("RW") && key.base64Text.utf8.count == 56)
    for text in ["", "RW", key.base64Text + "A", "x " + key.base64Text, key.base64Text + "\n" + key.base64Text] {
      let error = #expect(throws: SigningError.self) { try PublicKey(Array(text.utf8)) }
      #expect(error?.code == "invalid-key")
    }
  }

  @Test func `an identifier is written as minisign writes it`() {
    let id = KeyID(bytes: [0xD7, 0xFC, 0x34, 0xF6, 0xD5, 0x55, 0x80, 0xFE])
    #expect("\(id)" == "FE8055D5F634FCD7")
    #expect("\(KeyID(bytes: [1, 0x2A, 0, 0, 0, 0, 0, 0]))" == "2A01")
  }

  @Test(arguments: [nil, "password", ""] as [String?])
  func `a secret key is read as it was written`(_ password: String?) throws {
    let key = try SecretKey.generate()
    let password = password.map { Array($0.utf8) }
    let file = try key.fileBytes(password: password, cost: .minimum)
    #expect(SecretKey.isEncrypted(file) == (password != nil))
    let read = try SecretKey(file: file, password: password ?? [])
    #expect(read.publicKey == key.publicKey && read.bytes == key.bytes)
  }

  @Test func `a flipped bit of an encrypted key is found, and a wrong password`() throws {
    let file = try SecretKey.generate().fileBytes(password: [1, 2], cost: .minimum)
    let start = try #require(file.firstIndex(of: UInt8(ascii: "\n")))
    // Numbers that say how much work a password is may change without changing how much it is.
    let effort = (start + 49)..<(start + 75)
    for place in stride(from: start, to: file.count, by: 5) where !effort.contains(place) {
      var flipped = file
      flipped[place] ^= 1 << UInt8(place % 8)
      #expect(throws: SigningError.self) { try SecretKey(file: flipped, password: [1, 2]) }
    }
    #expect(throws: SigningError(.wrongPassword)) { try SecretKey(file: file, password: [1]) }
    #expect(throws: SigningError(.wrongPassword)) { try SecretKey(file: file) }
  }

  @Test func `a damaged key without a password signs nothing`() throws {
    let key = try SecretKey.generate()
    var bytes = key.bytes
    bytes[3] ^= 1
    let damaged = SecretKey(id: key.publicKey.id, bytes: bytes)
    let error = #expect(throws: SigningError.self) { try damaged.sign([], comment: "") }
    #expect(error?.code == "invalid-key")
  }

  @Test func `a key that would take all memory is refused`() throws {
    let effort = SecretKey.KDFCost(operationLimit: 1 << 15, memoryLimit: 1 << 40)
    let key = try SecretKey.generate()
    // The key is written with little, and then says that it takes much.
    var content = try #require(
      MinisignFile(key.fileBytes(password: [1], cost: .minimum))?.decodedBytes(ofLine: 1, count: 158))
    for index in 0..<8 {
      content[46 + index] = UInt8(truncatingIfNeeded: effort.memoryLimit >> (index * 8))
    }
    let file = Array("untrusted comment: x\n\(StrictBase64.encode( content))\n".utf8)
    let error = #expect(throws: SigningError.self) { try SecretKey(file: file, password: [1]) }
    #expect(error?.code == "invalid-key")
  }

  @Test func `bytes are written in one way`() {
    #expect(StrictBase64.decode( "AAA=") == [0, 0])
    for text in ["AAB=", "AAA", "AAA=\n", "A A=", "AA-_", "AAA=AAA=", "=AAA"] {
      #expect(StrictBase64.decode( text) == nil, "\(text)")
    }
  }

  @Test func `a library that is not there is an error with its remedy`() {
    let error = #expect(throws: SigningError.self) { try Libsodium(path: "/nowhere/s.so") }
    #expect(error?.isMissingLibrary == true && error?.code == "signature-library-missing")
    #expect(error?.description.contains(SigningError.installCommand) == true)
    #expect(throws: SigningError.self) { try Libsodium(path: "libm.so.6") }
  }
}
