import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@Suite(.ownThreads) struct TrustCommandTests {
  private let stage: TrustStage
  private var console: TestConsole { stage.console }

  init() throws { stage = try TrustStage() }

  // MARK: Keys

  @Test func `Keys are generated, trusted under a name, listed and removed`() throws {
    let made = console.run(["keys", "generate", stage.path("a.key"), "--no-password"])
    #expect(made.lines == [stage.path("a.key"), stage.path("a.pub")])
    let facts = try FileManager.default.attributesOfItem(atPath: stage.path("a.key"))
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(console.run(["keys", "generate", stage.path("a.key"), "--no-password"]).exitCode == 2)
    #expect(console.run(["keys", "trust", stage.path("a.pub"), "--name", "team"]).exitCode == 0)
    let list = try console.run(["keys", "list", "--format", "json"]).json()
    #expect(list[0]?["name"]?.string == "ours" && list[1]?["name"]?.string == "team")
    let word = try #require(list[1]?["key"]?.string)
    #expect(String(decoding: try stage.bytes(stage.path("a.pub")), as: UTF8.self).contains(word))
    #expect(console.run(["keys", "trust", stage.path("ours.pub"), "--name", "team"]).exitCode == 4)
    #expect(console.run(["keys", "trust", word, "--name", "team"]).exitCode == 0)
    #expect(console.run(["keys", "remove", "team"]).lines == ["team"])
    #expect(console.run(["keys", "remove", "team"]).exitCode == 4)
    let id = try #require(list[0]?["id"]?.string)
    #expect(console.run(["keys", "remove", id]).lines == ["ours"])
    #expect(console.run(["keys", "list"]).output.isEmpty)
  }

  @Test func `An invalid key is rejected`() throws {
    try stage.write("text".utf8, to: stage.path("text"))
    #expect(console.run(["keys", "trust", stage.path("text")]).exitCode == 4)
    #expect(console.run(["keys", "trust", stage.path("nothing")]).exitCode == 4)
    #expect(console.run(["keys", "trust", "RWnothing"]).exitCode == 4)
    let bundle = try stage.bundle("plain")
    #expect(console.run(["sign", bundle, "--key", stage.path("ours.pub")]).exitCode == 4)
    #expect(console.run(["sign", bundle]).exitCode == 2)
    #expect(console.run(["keys", "list"]).lines.count == 1)
    try stage.write("broken".utf8, to: stage.home.path + "/keys/broken.pub")
    let rejected = console.run(["run", bundle, "[1,2,3,4]", "--require-signature"])
    #expect(rejected.exitCode == 4 && rejected.messages.contains("broken.pub"))
  }

  @Test func `An encrypted key requires its password`() throws {
    var asking = console
    asking.input = Array("pw\npq\n".utf8)
    #expect(asking.run(["keys", "generate", stage.path("p.key")]).exitCode == 4)
    asking.input = Array("\n\n".utf8)
    #expect(asking.run(["keys", "generate", stage.path("p.key")]).exitCode == 4)
    asking.input = Array("pw\npw\n".utf8)
    #expect(asking.run(["keys", "generate", stage.path("p.key")]).exitCode == 0)
    let bundle = try stage.bundle("plain")
    asking.input = Array("pq\n".utf8)
    #expect(asking.run(["sign", bundle, "--key", stage.path("p.key")]).exitCode == 4)
    #expect(!FileManager.default.fileExists(atPath: bundle + "/manifest.json"))
    asking.input = Array("pw\n".utf8)
    #expect(asking.run(["sign", bundle, "--key", stage.path("p.key")]).exitCode == 0)
    #expect(console.run(["verify", bundle, "--key", stage.path("p.pub")]).exitCode == 0)
    #expect(console.run(["verify", bundle]).exitCode == 5)
  }

  // MARK: Signing and verifying

  @Test func `A bundle is signed, packed, verified and run`() throws {
    let bundle = try stage.signed(version: "1.2")
    let zip = stage.path("x.zip")
    #expect(console.run(["pack", bundle, "-o", zip]).exitCode == 0)
    for path in [bundle, zip] {
      let report = try console.run(["verify", path, "--format", "json"]).json()
      #expect(report["id"]?.string == "test" && report["version"]?.string == "1.2")
      #expect(report["key_name"]?.string == "ours")
      #expect(report["trusted_comment"]?.string?.hasSuffix("\tbundle:test\tversion:1.2") == true)
      #expect(try stage.rejectionCode(path) == nil)
    }
    #expect(console.run(["verify", bundle]).output.contains("(ours)"))
    #expect(console.run(["keys", "remove", "ours"]).exitCode == 0)
    #expect(try stage.rejectionCode(zip) == "untrusted-key")
    #expect(console.run(["run", zip, "[1,2,3,4]"]).exitCode == 0)
  }

  @Test func `A zip file is signed in place`() throws {
    let bundle = try stage.bundle("plain")
    let zip = stage.path("x.zip")
    #expect(console.run(["pack", bundle, "-o", zip]).exitCode == 0)
    #expect(try stage.rejectionCode(zip) == "unsigned-bundle")
    stage.sign(zip)
    #expect(try stage.rejectionCode(zip) == nil)
    #expect(try stage.rejectionCode(bundle) == "unsigned-bundle")
  }

  @Test func `A file that is not a bundle is not signed`() throws {
    for path in [stage.folder.path, stage.path("ours.pub"), stage.path("nothing")] {
      #expect(
        console.run(["sign", path, "--key", stage.path("ours.key")]).exitCode == 3, "\(path)")
    }
    let bundle = try stage.bundle("broken")
    try stage.write("{".utf8, to: bundle + "/model.json")
    #expect(console.run(["sign", bundle, "--key", stage.path("ours.key")]).exitCode == 3)
    #expect(!FileManager.default.fileExists(atPath: bundle + "/manifest.json.minisig"))
  }

  @Test func `A changed bundle can be signed again`() throws {
    let bundle = try stage.signed()
    try stage.write("A card".utf8, to: bundle + "/CARD.md")
    #expect(try stage.rejectionCode(bundle) == "manifest-mismatch")
    #expect(console.run(["run", bundle, "[1,2,3,4]"]).exitCode == 5)
    stage.sign(bundle)
    #expect(try stage.rejectionCode(bundle) == nil)
  }

  @Test func `Any file is verified by its detached signature`() throws {
    let bundle = try stage.signed()
    let manifest = bundle + "/manifest.json"
    let outcome = try console.run(["verify", manifest, "--format", "json"]).json()
    #expect(outcome["key_name"]?.string == "ours" && outcome["id"] == nil)
    try stage.flip(ofByte: 5, in: manifest)
    let rejected = console.run(["verify", manifest])
    #expect(rejected.exitCode == 5 && rejected.messages.contains("the signature is invalid"))
  }

  @Test func `Signing warns about a version that cannot be compared`() throws {
    let bundle = try stage.bundle("beta", version: "2-beta")
    let outcome = console.run(["sign", bundle, "--key", stage.path("ours.key")])
    #expect(outcome.exitCode == 0 && outcome.messages.contains("'2-beta'"))
  }

  // MARK: Packing

  @Test func `A zip file has a manifest and a folder gets one on request`() throws {
    let bundle = try stage.bundle("plain")
    let (zip, copy) = (stage.path("x.zip"), stage.path("copy.tiobundle"))
    #expect(console.run(["pack", bundle, "-o", zip]).exitCode == 0)
    #expect(!FileManager.default.fileExists(atPath: bundle + "/manifest.json"))
    #expect(console.run(["unpack", zip, "-o", copy]).exitCode == 0)
    #expect(console.run(["run", copy, "[1,2,3,4]"]).exitCode == 0)
    #expect(console.run(["pack", bundle, "-o", zip, "--force", "--manifest"]).exitCode == 0)
    #expect(try stage.bytes(bundle + "/manifest.json") == stage.bytes(copy + "/manifest.json"))
    try stage.write("A card".utf8, to: bundle + "/CARD.md")
    #expect(console.run(["pack", bundle, "-o", zip, "--force"]).exitCode == 5)
    #expect(console.run(["pack", bundle, "-o", zip, "--force", "--manifest"]).exitCode == 0)
    #expect(console.run(["inspect", zip]).exitCode == 0)
    #expect(console.run(["pack", zip, "-o", stage.path("y.zip"), "--manifest"]).exitCode == 2)
  }

  @Test func `A changed zip file is not opened, unpacked or imported`() throws {
    let bundle = try stage.signed()
    try stage.flip(ofByte: 100, in: bundle + "/model.tflite")
    let zip = stage.path("x.zip")
    try BundleArchive.pack(folder: bundle, named: "x.tiobundle", to: zip)
    let target = stage.path("copy.tiobundle")
    for words in [["inspect", zip], ["unpack", zip, "-o", target], ["models", "import", zip]] {
      let outcome = console.run(words)
      #expect(outcome.exitCode == 5 && outcome.messages.contains("model.tflite"), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(console.run(["models", "list"]).output.isEmpty)
  }

  // MARK: Requiring signatures

  @Test(arguments: [
    "run B [1,2,3,4]", "inspect B", "validate B", "benchmark B [1,2,3,4]", "compare S B [1,2,3,4]",
    "evaluate B D", "stream B D", "train B D --export Z",
    "gallery enroll ada D --bundle B --gallery G",
    "label B F", "pack B -o Z", "unpack U -o F/new", "models show B", "models import B",
    "models import U", "serve B", "studio B", "verify B",
  ])
  func `Every command that opens bundles can require a signature`(_ line: String) throws {
    let (plain, zip) = (try stage.bundle("plain"), stage.path("x.zip"))
    #expect(console.run(["pack", plain, "-o", zip]).exitCode == 0)
    try stage.write("x,y\n".utf8, to: stage.path("data.csv"))
    let words = [
      "B": plain, "S": try stage.signed(), "U": zip, "Z": stage.path("new.zip"),
      "D": stage.path("data.csv"), "G": stage.path("gallery.sqlite"), "F": stage.folder.path,
      "F/new": stage.path("new.tiobundle"),
    ]
    let filled = line.split(separator: " ").map { words[String($0)] ?? String($0) }
    let flags = filled[0] == "verify" ? [] : ["--require-signature"]
    let outcome = console.run(filled + flags)
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(outcome.messages.contains("not signed") || outcome.output.contains("not signed"))
    #expect(!stage.folder.entries.contains { $0.hasPrefix("new") })
    #expect(console.run(["models", "list"]).output.isEmpty)
  }

  @Test(arguments: [("1", true), ("yes", true), ("0", false), ("", false)])
  func `The environment variable requires signatures like the option`(
    _ value: String, _ isRequired: Bool
  ) throws {
    var console = console
    console.environment["TENSORIO_REQUIRE_SIGNATURE"] = value
    let plain = try stage.bundle("plain")
    #expect(console.run(["run", plain, "[1,2,3,4]"]).exitCode == (isRequired ? 5 : 0))
    #expect(try console.run(["run", stage.signed(), "[1,2,3,4]"]).exitCode == 0)
    #expect(console.run(["doctor"]).exitCode == TestConsole.run(["doctor"]).exitCode)
  }

  // MARK: Chains

  @Test func `A chain is signed with its bundles and verified as one`() throws {
    let chain = try stage.chain()
    #expect(try stage.rejectionCode(chain) == "unsigned-bundle")
    stage.sign(chain)
    #expect(try stage.rejectionCode(chain) == "unsigned-bundle", "a bundle beside it is not signed")
    stage.sign(stage.path("outer.tiobundle"))
    #expect(try stage.rejectionCode(chain) == nil)
    let report = try console.run(["verify", chain + "/", "--format", "json"]).json()
    #expect(report["id"]?.string == "twice" && report["version"]?.string == "1.2")
    #expect(console.run(["verify", chain]).output.contains("'twice', version 1.2"))
    #expect(console.run(["verify", chain + "/inner.tiobundle"]).exitCode == 0)
    #expect(console.run(["inspect", chain, "--require-signature"]).exitCode == 0)
    for name in ["manifest.json", "manifest.json.minisig"] {
      try FileManager.default.removeItem(atPath: "\(chain)/\(name)")
    }
    #expect(
      try stage.rejectionCode(chain) == "unsigned-bundle", "signed bundles make no signed chain")
    #expect(console.run(["verify", chain]).exitCode == 5)
  }

  @Test(arguments: ["chain.json", "inner.tiobundle/model.json", "manifest.json", "more"])
  func `A changed chain is rejected until it is signed again`(_ file: String) throws {
    let chain = try stage.chain()
    stage.sign(chain)
    stage.sign(stage.path("outer.tiobundle"))
    let path = "\(chain)/\(file)"
    try stage.write((try? stage.bytes(path) + [UInt8(ascii: " ")]) ?? [1], to: path)
    let code = file == "manifest.json" ? "invalid-signature" : "manifest-mismatch"
    #expect(try stage.rejectionCode(chain) == code)
    #expect(console.run(["verify", chain]).exitCode == 5)
    let unguarded = console.run(["run", chain, "[1,2,3,4]"])
    #expect(unguarded.exitCode == 5, "a manifest is looked at in any case")
    stage.sign(chain)
    #expect(try stage.rejectionCode(chain) == nil)
  }

  @Test func `A chain whose bundles are not signed is rejected`() throws {
    let chain = try stage.chain()
    stage.sign(chain)
    stage.sign(stage.path("outer.tiobundle"))
    try stage.makeKey("stranger")
    stage.sign(stage.path("outer.tiobundle"), by: "stranger")
    #expect(try stage.rejectionCode(chain) == "untrusted-key")
    #expect(console.run(["verify", chain]).exitCode == 5)
  }

  @Test func `Packing rejects a chain`() throws {
    let chain = try stage.chain()
    #expect(console.run(["pack", chain, "--manifest"]).exitCode == 2)
    #expect(!FileManager.default.fileExists(atPath: chain + "/manifest.json"))
  }

  @Test func `All signatures are reported`() throws {
    let chain = try stage.chain()
    let words = ["sign", chain, "--key", stage.path("ours.key"), "--format", "json"]
    let report = try console.run(words).json()
    #expect(report["id"]?.string == "twice")
    #expect(report["bundles"]?[0]?["id"]?.string == "inner" && report["bundles"]?[1] == nil)
    try stage.write("{}".utf8, to: chain + "/chain.json")
    #expect(console.run(words).exitCode == 3)
    try FileManager.default.removeItem(atPath: chain + "/chain.json")
    let rejected = console.run(words)
    #expect(rejected.exitCode == 3 && rejected.messages.contains("chain.json"), "\(rejected)")
  }

  @Test func `A downgraded chain is rejected`() throws {
    let chain = try stage.chain()
    stage.sign(chain)
    stage.sign(stage.path("outer.tiobundle"))
    #expect(try stage.rejectionCode(chain) == nil)
    try stage.replace("1.2", with: "1.1", in: chain + "/chain.json")
    stage.sign(chain)
    #expect(try stage.rejectionCode(chain) == "bundle-downgrade")
    #expect(try stage.rejectionCode(chain, "--allow-downgrade") == nil)
  }

  // MARK: Downgrades

  @Test func `A downgrade is not imported unless allowed`() throws {
    let (new, old) = (
      try stage.signed("new", version: "1.10"), try stage.signed("old", version: "1.9")
    )
    #expect(console.run(["models", "import", new]).exitCode == 0)
    #expect(console.run(["models", "remove", "new", "--yes"]).exitCode == 0)
    let rejected = console.run(["models", "import", old])
    #expect(rejected.exitCode == 5 && rejected.messages.contains("'1.10'"), "\(rejected)")
    #expect(rejected.messages.contains("--allow-downgrade"), "\(rejected)")
    #expect(console.run(["models", "list"]).output.isEmpty)
    #expect(try stage.rejectionCode(old) == "bundle-downgrade")
    #expect(console.run(["verify", old]).exitCode == 5)
    #expect(console.run(["verify", old, "--allow-downgrade"]).exitCode == 0)
    #expect(try stage.rejectionCode(old, "--allow-downgrade") == nil)
    #expect(console.run(["run", old, "[1,2,3,4]"]).exitCode == 0)
    #expect(console.run(["models", "import", old, "--allow-downgrade"]).exitCode == 0)
    #expect(try stage.rejectionCode(new) == nil)
  }

  @Test func `A failed import does not record a version`() throws {
    let (first, newer) = (try stage.signed("first"), try stage.signed("newer", version: "3"))
    #expect(console.run(["models", "import", first]).exitCode == 0)
    #expect(console.run(["models", "import", newer]).exitCode == 4)
    #expect(try stage.rejectionCode(first) == nil)
    #expect(console.run(["models", "import", newer, "--replace"]).exitCode == 0)
    #expect(try stage.rejectionCode(first) == "bundle-downgrade")
  }

  @Test func `An import accepts unsigned bundles and rejects forged signatures`() throws {
    #expect(try console.run(["models", "import", stage.bundle("plain", id: "p")]).exitCode == 0)
    try stage.makeKey("stranger")
    let strange = try stage.signed("strange", id: "s", by: "stranger")
    #expect(console.run(["models", "import", strange]).exitCode == 0)
    let forged = try stage.signed("forged", id: "f")
    try stage.replace("version:1", with: "version:2", in: forged + "/manifest.json.minisig")
    #expect(console.run(["models", "import", forged]).exitCode == 5)
  }
}

/// The hashed files are the ones that are used.
@Suite struct ReplacedModelTests {
  @Test(arguments: [nil, Isolation(level: .process)])
  func `A model replaced after its bundle was opened is not run`(
    _ isolation: Isolation?
  ) throws {
    let stage = try TrustStage()
    let path = try stage.signed()
    let options = OpeningOptions(isolation: isolation)
    let bundle = try ModelBundle(at: path)
    #expect(
      try Model(bundle, options: options).run([1, 2, 3, 4] as [Float])["y"].numbers?.count == 4)
    let other = ProjectFiles.path("Tests/Fixtures/Models/double-int8.tflite")
    try stage.write(stage.bytes(other), to: path + "/model.tflite")
    let error = #expect(throws: ModelError.self) { try Model(bundle, options: options) }
    #expect(error?.code == "manifest-mismatch")
  }

  @Test func `An application can require trusted signers`() throws {
    let stage = try TrustStage()
    let (path, plain) = (try stage.signed(), try stage.bundle("plain"))
    let keys = try TrustedKeys(files: [stage.path("ours.pub")])
    let seen = VersionHistory(at: stage.path("seen.json"))
    let policy = TrustPolicy(requiring: keys, versionHistory: seen)
    let options = OpeningOptions(trust: policy)
    #expect(try Model(at: path, options: options).bundle.id == "test")
    #expect(try ModelBundle(at: URL(filePath: path), options: options).version == "1")
    #expect(throws: ModelError(.runtime, .unsignedBundle, file: plain)) {
      try Model(at: plain, options: options)
    }
    #expect(throws: ModelError.self) { try TrustedKeys(["no key"]) }
    #expect(throws: ModelError.self) { try TrustedKeys(files: [stage.path("nothing")]) }
    let untrusting = TrustPolicy(requiring: try TrustedKeys([]))
    let error = #expect(throws: ModelError.self) { try ModelBundle(at: path, trust: untrusting) }
    #expect(error?.code == "untrusted-key")
  }
}
