import TensorIOTestSupport
import Testing

@testable import TensorIOIntegrity

/// Keys and signatures of either program are good for the other.
@Suite(.enabled(if: Minisign.path != nil)) struct MinisignTests {
  private let folder: TemporaryFolder
  private static let file = Array("what is signed\n".utf8)

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.file, to: "file")
  }

  @Test func `minisign takes keys and signatures of ours`() throws {
    let key = try SecretKey.random()
    try folder.write(key.publicKey.file, to: "our.pub")
    try folder.write(key.file(password: nil), to: "our.key")
    try folder.write(key.sign(Self.file, comment: "by us").file, to: "file.minisig")
    #expect(try Minisign.accepts(["-Vm", "file", "-p", "our.pub"], in: folder))
    #expect(try Minisign.accepts(["-Vm", "file", "-P", key.publicKey.word], in: folder))
    #expect(try Minisign.accepts(["-R", "-s", "our.key", "-p", "made.pub"], in: folder))
    #expect(try PublicKey(folder.bytes("made.pub")) == key.publicKey)
    #expect(try folder.bytes("made.pub") == key.publicKey.file)
    try folder.write("something else", to: "file")
    #expect(try !Minisign.accepts(["-Vm", "file", "-p", "our.pub"], in: folder))
  }

  @Test(arguments: [[], ["-l"]])
  func `keys and signatures of minisign are taken, the older kind too`(_ kind: [String]) throws {
    #expect(try Minisign.accepts(["-GW", "-p", "its.pub", "-s", "its.key"], in: folder))
    let sign = ["-S"] + kind + ["-s", "its.key", "-m", "file", "-t", "of\tminisign"]
    #expect(try Minisign.accepts(sign, in: folder))
    let key = try PublicKey(folder.bytes("its.pub"))
    let signature = try Signature(folder.bytes("file.minisig"))
    #expect(
      signature.kind == (kind.isEmpty ? .digest : .file) && signature.comment == "of\tminisign")
    #expect(try signature.check(Self.file, keys: [key]) == key)
    #expect(throws: IntegrityError.self) { try signature.check(Self.file + [0], keys: [key]) }
    #expect(SecretKey.needsPassword(try folder.bytes("its.key")) == false)
    let secret = try SecretKey(file: folder.bytes("its.key"))
    #expect(secret.publicKey == key)
    try folder.write(secret.sign(Self.file, comment: "ours").file, to: "file.minisig")
    #expect(try Minisign.accepts(["-Vm", "file", "-p", "its.pub"], in: folder))
  }

  @Test func `a key that minisign has encrypted opens with its password alone`() throws {
    let passwords = ["a pässword", "a pässword"]
    #expect(
      try Minisign.accepts(
        ["-G", "-p", "its.pub", "-s", "its.key"], in: folder, passwords: passwords))
    let file = try folder.bytes("its.key")
    #expect(SecretKey.needsPassword(file) == true)
    let key = try SecretKey(file: file, password: Array("a pässword".utf8))
    #expect(try key.publicKey == PublicKey(folder.bytes("its.pub")))
    #expect(throws: IntegrityError(.wrongPassword)) {
      try SecretKey(file: file, password: Array("a password".utf8))
    }
  }

  @Test func `minisign opens a key that was encrypted here`() throws {
    let key = try SecretKey.random()
    try folder.write(key.file(password: Array("pw".utf8), effort: .least), to: "our.key")
    let sign = ["-S", "-s", "our.key", "-m", "file"]
    #expect(try !Minisign.accepts(sign, in: folder, passwords: ["other"]))
    #expect(try Minisign.accepts(sign, in: folder, passwords: ["pw"]))
    let signature = try Signature(folder.bytes("file.minisig"))
    #expect(try signature.check(Self.file, keys: [key.publicKey]) == key.publicKey)
  }
}
