import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Tests of `tensorio models`.
@Suite(.ownThreads) struct ModelsTests {
  private let home: TemporaryFolder
  private let folder: TemporaryFolder
  private var console = TestConsole()

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    console.environment = ["TENSORIO_HOME": home.path]
  }

  private func models(_ arguments: String...) -> CommandResult {
    console.run(["models"] + arguments)
  }

  /// The executable, which needs the runtime's path because the test changes its data folder.
  private func executable() throws -> Executable {
    let runtime = try #require(TestConsole.run(["runtime", "where", "litert"]).lines.first)
    return Executable(
      environment: ["TENSORIO_HOME": home.path, "TENSORIO_LITERT_LIBRARY": runtime])
  }

  /// The names of all files in the library, including hidden ones.
  private var library: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(home.path)/models")) ?? []).sorted()
  }

  private func zip(_ name: String = "digits.zip") throws -> String {
    let path = "\(folder.path)/\(name)"
    #expect(TestConsole.run(["pack", Example.digits, "-o", path]).exitCode == 0)
    return path
  }

  // MARK: Importing

  @Test func `A folder is imported, listed, shown, run by name and ID, and removed`() throws {
    let imported = models("import", Example.digits)
    #expect(imported.lines == ["\(home.path)/models/digits.tiobundle"], "\(imported)")
    let list = try models("list", "--format", "json").json()
    #expect(list[0]?["name"]?.string == "digits" && list[0]?["backend"]?.string == "tflite")
    #expect((list[0]?["bytes"]?.number ?? 0) > 1000)
    #expect(models("list").output.hasPrefix("digits  "))
    let shown = models("show", "digits")
    #expect(shown.output.contains("inputs:\n  image") && shown.output.contains("outputs:\n"))
    let card = try String(contentsOfFile: "\(Example.digits)/CARD.md", encoding: .utf8)
    #expect(shown.output.contains(card.prefix(100)))
    let id = try #require(list[0]?["id"]?.string)
    for word in ["digits", "digits.tiobundle", id] {
      let run = console.run(["run", word, Example.digit("3-1"), "--format", "json"])
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(models("remove", "digits", "--yes").exitCode == 0)
    #expect(library.isEmpty && models("list").lines.isEmpty)
  }

  @Test(arguments: [
    ("assets/labels.txt", "/etc/passwd"), ("assets/loop", "."), ("lib", "/usr/lib"),
  ])
  func `A folder with a symbolic link is not imported`(name: String, target: String) throws {
    let path = "\(folder.path)/linked.tiobundle"
    try FileManager.default.copyItem(atPath: Example.digits, toPath: path)
    try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try folder.link("linked.tiobundle/\(name)", to: target)
    let outcome = models("import", path)
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.messages.contains("'\(name)' is a symbolic link"), "\(outcome)")
    #expect(library.isEmpty)
  }

  @Test func `A folder that exceeds the size limit of archives is not imported`() throws {
    let path = "\(folder.path)/large.tiobundle"
    try FileManager.default.copyItem(atPath: Example.digits, toPath: path)
    let file = try folder.write("", to: "large.tiobundle/large")
    // A sparse file has a size without taking space.
    try FileHandle(forWritingAtPath: file)?.truncate(atOffset: 3 << 30)
    let outcome = models("import", path)
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.messages.contains("more than 2147483648 bytes"), "\(outcome)")
    #expect(library.isEmpty)
  }

  @Test func `The raw description equals the file`() throws {
    _ = models("import", Example.digits)
    let raw = try String(contentsOfFile: "\(Example.digits)/model.json", encoding: .utf8)
    #expect(models("show", "digits", "--raw").output == raw)
    let json = try models("show", "digits", "--format", "json").json()
    #expect(json["inputs"]?[0]?["type"]?.string == "image")
    #expect(json["card"]?.string?.isEmpty == false)
  }

  @Test func `An archive is imported from a path, a file URL and a server`() throws {
    let path = try zip("some digits.zip")
    let server = try FileServer(folder)
    let fileAddress = "file://" + path.replacing(" ", with: "%20")
    let sources = [
      path, fileAddress, server.address("file/some%20digits.zip"),
      server.address("redirect/3/some%20digits.zip"),
    ]
    for (index, source) in sources.enumerated() {
      let outcome = models("import", source, "--replace", "--name", "copy\(index)")
      #expect(outcome.exitCode == 0, "\(source): \(outcome)")
      #expect(library == ["copy\(index).tiobundle"])
    }
  }

  @Test func `Files of the operating system in an archive are ignored`() throws {
    let names = [
      "model.json", "model.tflite", "assets/labels.txt", "samples/0-1.png", "samples/1-1.png",
    ]
    let stray = try folder.write("stray", to: "stray")
    try ForeignZip.write(
      "\(folder.path)/mac.zip",
      names.map { "x/digits.tiobundle/\($0)=\(Example.digits)/\($0)" } + [
        "x/digits.tiobundle/.DS_Store=\(stray)", "__MACOSX/x/digits.tiobundle/model.json=\(stray)",
        "__MACOSX/x/digits.tiobundle/._model.json=\(stray)", "x/readme.txt=\(stray)",
      ])
    let outcome = models("import", "\(folder.path)/mac.zip")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: "\(home.path)/models/digits.tiobundle")
    #expect(files.sorted() == ["assets", "model.json", "model.tflite", "samples"])
  }

  @Test func `A bundle with an existing name or ID is rejected, kept or replaced`() throws {
    _ = models("import", Example.digits)
    for arguments in [["import", Example.digits], ["import", Example.digits, "--name", "other"]] {
      let outcome = console.run(["models"] + arguments)
      #expect(outcome.exitCode == 4)
      #expect(outcome.firstMessageLine.contains("--replace"), "\(outcome)")
    }
    let kept = models(
      "import", Example.digits, "--keep-existing", "--name", "other", "--format", "json")
    #expect(kept.exitCode == 0)
    #expect(try kept.json()["imported"]?.bool == false && kept.json()["name"]?.string == "digits")
    #expect(library == ["digits.tiobundle"])
    let replaced = models("import", Example.digits, "--replace", "--name", "other")
    #expect(replaced.exitCode == 0)
    #expect(library == ["other.tiobundle"])
    #expect(models("import", Example.digits, "--replace", "--keep-existing").exitCode == 2)
  }

  @Test func `An invalid bundle or model never becomes visible`()
    throws
  {
    let broken = try folder.copy(Example.digits, as: "broken.tiobundle")
    try folder.write("{", to: "broken.tiobundle/model.json")
    let cut = try folder.copy(Example.digits, as: "cut.tiobundle")
    try folder.write("no model", to: "cut.tiobundle/model.tflite")
    let (first, second) = (models("import", broken), models("import", cut))
    #expect(first.exitCode == 3 && second.exitCode == 5, "\(first) \(second)")
    for outcome in [first, second] {
      #expect(!outcome.messages.contains(".incoming"), "\(outcome)")
      #expect(outcome.output.isEmpty)
    }
    #expect(models("import", "\(folder.path)/nothing").exitCode == 3)
    #expect(library.isEmpty)
  }

  @Test func `An archive with two bundles or none and other files are rejected`() throws {
    let description = "\(Example.digits)/model.json"
    try ForeignZip.write(
      "\(folder.path)/two.zip",
      ["a.tiobundle/model.json=\(description)", "b.tiobundle/model.json=\(description)"])
    try ForeignZip.write("\(folder.path)/none.zip", ["a/x.json=\(description)"])
    try folder.write("no zip at all", to: "text.zip")
    let server = try FileServer(folder)
    for name in ["two", "none", "text"] {
      for source in ["\(folder.path)/\(name).zip", server.address("file/\(name).zip")] {
        let outcome = models("import", source)
        #expect(outcome.exitCode == 4, "\(outcome)")
        #expect(outcome.firstMessageLine.contains(source), "\(outcome)")
      }
    }
    #expect(library.isEmpty)
  }

  @Test(arguments: [
    ("less/digits.zip", "the server closed the connection early"), ("more/digits.zip", "corrupt"),
    ("stall/digits.zip", "no data received for 1 seconds"), ("endless/x", "larger than 1 MB"),
    ("redirect/9/digits.zip", "redirects"), ("elsewhere/digits.zip", "file"),
    ("nowhere", "404"),
  ])
  func `A misbehaving server is an error and leaves no files`(
    _ path: String, _ message: String
  ) throws {
    _ = try zip()
    let server = try FileServer(folder)
    let stallTimeout = path.hasPrefix("stall") ? 1 : HangGuard.stepSeconds
    let outcome = models(
      "import", server.address(path), "--stall-timeout", "\(stallTimeout)", "--max-download-mb",
      "1")
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.firstMessageLine.contains(message), "\(outcome)")
    #expect(library.isEmpty)
  }

  @Test func `An archive with another digest is rejected`() throws {
    let path = try zip()
    let outcome = models("import", path, "--sha256", String(repeating: "0", count: 64))
    #expect(outcome.exitCode == 4)
    let found = try #require(outcome.firstMessageLine.firstMatch(of: #/got ([0-9a-f]{64})/#)?.1)
    #expect(library.isEmpty)
    #expect(models("import", path, "--sha256", found.uppercased()).exitCode == 0)
    for arguments in [["--sha256", "abc"], ["--max-download-mb", "0"], ["--stall-timeout", "0"]] {
      #expect(console.run(["models", "import", path, "--replace"] + arguments).exitCode == 2)
    }
    #expect(models("import", Example.digits, "--sha256", String(found)).exitCode == 2)
  }

  @Test(arguments: ["a/b", "", ".hidden", "@set", "a:b", "-x"])
  func `An invalid name is rejected`(_ name: String) {
    #expect(models("import", Example.digits, "--name=\(name)").exitCode == 2)
    #expect(library.isEmpty)
  }

  @Test func `An interrupt ends a download and leaves no files`() throws {
    let server = try FileServer(folder)
    let executable = try executable()
    let process = try executable.start(["models", "import", server.address("slow/x.zip")])
    try waitForLibrary { !$0.isEmpty }
    process.interrupt()
    #expect(process.wait().exitCode == 130)
    #expect(library.isEmpty)
  }

  @Test func `Files of a killed import are removed by the next one`() throws {
    let server = try FileServer(folder)
    let executable = try executable()
    let process = try executable.start(["models", "import", server.address("slow/x.zip")])
    try waitForLibrary { !$0.isEmpty }
    process.kill()
    #expect(process.wait().exitCode == -9)
    #expect(library.count == 1 && library[0].hasPrefix(".incoming."))
    #expect(models("list").lines.isEmpty)
    #expect(models("import", Example.digits).exitCode == 0)
    #expect(library == ["digits.tiobundle"])
  }

  private func waitForLibrary(_ isReady: ([String]) -> Bool) throws {
    let deadline = ContinuousClock.now + HangGuard.step
    while !isReady(library), ContinuousClock.now < deadline { usleep(20_000) }
    try #require(isReady(library))
  }

  @Test func `One of several concurrent imports of the same name succeeds`() throws {
    let executable = try executable()
    let arguments = ["models", "import", Example.diabetes]
    let processes = try (0..<4).map { _ in try executable.start(arguments) }
    let exits = processes.map { $0.wait().exitCode }
    #expect(exits.sorted() == [0, 4, 4, 4])
    #expect(library == ["diabetes.tiobundle"])
  }

  // MARK: Removing

  @Test func `A protected bundle is removed or replaced only with --force`() throws {
    #expect(models("import", Example.digits, "--protect").exitCode == 0)
    #expect(models("list").output.contains("protected"))
    #expect(models("remove", "digits", "--yes").exitCode == 4)
    #expect(models("import", Example.digits, "--replace").exitCode == 4)
    #expect(library == ["digits.tiobundle"])
    #expect(models("import", Example.digits, "--replace", "--force").exitCode == 0)
    #expect(models("remove", "digits", "--force", "--yes").exitCode == 0)
    #expect(models("import", Example.digits).exitCode == 0)
    #expect(!models("list").output.contains("protected"))
  }

  @Test(arguments: [("y\n", true), ("yes", true), ("n\n", false), ("", false), ("\n", false)])
  func `Removing a bundle asks for confirmation on a terminal`(_ answer: String, _ isRemoved: Bool)
  {
    _ = models("import", Example.digits)
    var person = console
    person.isInputTerminal = true
    person.input = Array(answer.utf8)
    let outcome = person.run(["models", "remove", "digits"])
    #expect(outcome.exitCode == 0 && outcome.messages.contains("[y/N]"))
    #expect(library.isEmpty == isRemoved)
  }

  @Test func `A removal without a terminal requires --yes`() {
    _ = models("import", Example.digits)
    var script = console
    script.isTerminal = true
    script.input = Array("y\n".utf8)
    let outcome = script.run(["models", "remove", "digits"])
    #expect(outcome.exitCode == 2 && outcome.messages.contains("--yes"), "\(outcome)")
    #expect(library == ["digits.tiobundle"])
  }

  @Test func `Bundles in folders of the environment are listed and not changed`() throws {
    var console = console
    try folder.copy(Example.digits, as: "digits.tiobundle")
    console.environment["TENSORIO_MODELS"] = folder.path
    #expect(
      try console.run(["models", "list", "--format", "json"]).json()[0]?["managed"]?.bool == false)
    #expect(console.run(["models", "remove", "digits"]).exitCode == 2)
    #expect(folder.entries == ["digits.tiobundle"])
  }

  @Test func `An invalid bundle is reported and can be removed`() throws {
    _ = models("import", Example.digits)
    try home.write("{", to: "models/bad.tiobundle/model.json")
    let list = models("list")
    #expect(list.exitCode == 0 && list.lines.count == 2)
    #expect(list.messages.contains("invalid bundle \(home.path)/models/bad.tiobundle"))
    let json = try models("list", "--format", "json").json()
    #expect(json[0]?["error"]?["code"]?.string != nil && json[1]?["error"] == nil)
    #expect(models("show", "bad").exitCode == 3)
    #expect(models("show", "bad", "--raw").output == "{")
    #expect(models("remove", "bad", "--yes").exitCode == 0)
    let unknown = models("remove", "digts")
    #expect(
      unknown.exitCode == 3 && unknown.firstMessageLine.contains("did you mean"), "\(unknown)")
  }

  // MARK: The default

  @Test func `The default model runs if a command line names no bundle`() throws {
    _ = models("import", Example.digits)
    #expect(models("default").lines.isEmpty)
    #expect(models("default", "digits", "--top", "2", "--threads", "1").exitCode == 0)
    #expect(models("default").lines == ["digits", "threads 1", "top 2"])
    let settings = try models("default", "--format", "json").json()
    #expect(settings["threads"]?.number == 1 && settings["top"]?.number == 2)
    let run = console.run(["run", Example.digit("3-1"), "--format", "json"])
    let labels = try run.json()["outputs"]?["classification"]?.array
    #expect(run.exitCode == 0 && labels?.count == 2, "\(run)")
    #expect(run.messages.contains("the default model"))
    let one = console.run(["run", Example.digit("3-1"), "--format", "json", "--top", "1"])
    #expect(try one.json()["outputs"]?["classification"]?.array?.count == 1)
    let named = console.run(["run", "digits", Example.digit("3-1"), "--format", "json"])
    #expect(named.messages.isEmpty)
    #expect(try named.json()["outputs"]?["classification"]?.array?.count == 10)
    #expect(console.run(["run", "digts", Example.digit("3-1")]).exitCode == 3)
    #expect(models("remove", "digits", "--yes").exitCode == 0)
    #expect(models("default").lines == ["threads 1", "top 2"])
    #expect(models("default", "--clear").lines.isEmpty)
    let cleared = try models("default", "--format", "json").json()
    #expect(["model", "threads", "top"].allSatisfy { cleared[$0] == .null }, "\(cleared)")
    #expect(console.run(["run"]).exitCode == 2)
  }

  @Test(arguments: [
    "{", "[]", "{\"threads\": 0}", "{\"threads\": \"2\"}", "{\"protected\": [1]}",
    "{\"protected\": 1}",
  ])
  func `Invalid settings are an error that names the file`(_ text: String) throws {
    try home.write(text, to: "settings.json")
    let outcome = models("default")
    #expect(outcome.exitCode == 6)
    #expect(outcome.firstMessageLine.contains("settings.json"), "\(outcome)")
  }

  @Test func `A folder in place of the settings file is an error that names it`() throws {
    try home.write("", to: "settings.json/file")
    let outcome = models("default")
    #expect(outcome.exitCode == 6)
    #expect(outcome.firstMessageLine.contains("settings.json"), "\(outcome)")
  }

  @Test func `Without a data folder the error names the variable`() {
    let outcome = TestConsole.run(["models", "list"])
    #expect(outcome.exitCode == 6 && outcome.firstMessageLine.contains("TENSORIO_HOME"))
  }

  @Test(arguments: [
    [], ["list", "x"], ["show"], ["import"], ["import", "a", "b"], ["remove"], ["find", "x"],
    ["import", "ftp://example.org/x.zip"],
  ])
  func `An invalid command line is rejected`(_ arguments: [String]) {
    let outcome = console.run(["models"] + arguments)
    #expect(outcome.exitCode == (arguments.last?.hasPrefix("ftp") == true ? 4 : 2))
  }
}
