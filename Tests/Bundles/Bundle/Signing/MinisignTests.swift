import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

/// Compatibility of keys and signatures with minisign.
@Suite(.enabled(if: Minisign.path != nil), .ownThreads) struct MinisignTests {
  private let folder: TemporaryFolder
  private static let file = Array("what is signed\n".utf8)

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.file, to: "file")
  }

  @Test func `minisign accepts our keys and signatures`() throws {
    let key = try SecretKey.generate()
    try folder.write(key.publicKey.fileBytes, to: "our.pub")
    try folder.write(key.fileBytes(password: nil), to: "our.key")
    try folder.write(key.sign(Self.file, comment: "by us").fileBytes, to: "file.minisig")
    #expect(try Minisign.accepts(["-Vm", "file", "-p", "our.pub"], in: folder))
    #expect(try Minisign.accepts(["-Vm", "file", "-P", key.publicKey.base64Text], in: folder))
    #expect(try Minisign.accepts(["-R", "-s", "our.key", "-p", "made.pub"], in: folder))
    #expect(try PublicKey(folder.bytes("made.pub")) == key.publicKey)
    #expect(try folder.bytes("made.pub") == key.publicKey.fileBytes)
    try folder.write("something else", to: "file")
    #expect(try !Minisign.accepts(["-Vm", "file", "-p", "our.pub"], in: folder))
  }

  @Test(arguments: [[], ["-l"]])
  func `Keys and signatures of minisign are accepted, including legacy ones`(_ kind: [String])
    throws
  {
    #expect(try Minisign.accepts(["-GW", "-p", "its.pub", "-s", "its.key"], in: folder))
    let sign = ["-S"] + kind + ["-s", "its.key", "-m", "file", "-t", "of\tminisign"]
    #expect(try Minisign.accepts(sign, in: folder))
    let key = try PublicKey(folder.bytes("its.pub"))
    let signature = try MinisignSignature(folder.bytes("file.minisig"))
    #expect(
      signature.algorithm == (kind.isEmpty ? .prehashed : .legacy)
        && signature.comment == "of\tminisign")
    #expect(try signature.verify(Self.file, trustedKeys: [key]) == key)
    #expect(throws: ModelError.self) { try signature.verify(Self.file + [0], trustedKeys: [key]) }
    #expect(SecretKey.isEncrypted(try folder.bytes("its.key")) == false)
    let secret = try SecretKey(file: folder.bytes("its.key"))
    #expect(secret.publicKey == key)
    try folder.write(secret.sign(Self.file, comment: "ours").fileBytes, to: "file.minisig")
    #expect(try Minisign.accepts(["-Vm", "file", "-p", "its.pub"], in: folder))
  }

  @Test func `A key encrypted by minisign opens only with its password`() throws {
    let passwords = ["a pässword", "a pässword"]
    #expect(
      try Minisign.accepts(
        ["-G", "-p", "its.pub", "-s", "its.key"], in: folder, passwords: passwords))
    let file = try folder.bytes("its.key")
    #expect(SecretKey.isEncrypted(file) == true)
    let key = try SecretKey(file: file, password: Array("a pässword".utf8))
    #expect(try key.publicKey == PublicKey(folder.bytes("its.pub")))
    #expect(throws: ModelError.passwordMismatch) {
      try SecretKey(file: file, password: Array("a password".utf8))
    }
  }

  @Test func `minisign opens a key encrypted by us`() throws {
    let key = try SecretKey.generate()
    try folder.write(key.fileBytes(password: Array("pw".utf8), cost: .minimum), to: "our.key")
    let sign = ["-S", "-s", "our.key", "-m", "file"]
    #expect(try !Minisign.accepts(sign, in: folder, passwords: ["other"]))
    #expect(try Minisign.accepts(sign, in: folder, passwords: ["pw"]))
    let signature = try MinisignSignature(folder.bytes("file.minisig"))
    #expect(try signature.verify(Self.file, trustedKeys: [key.publicKey]) == key.publicKey)
  }
}
