import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

/// A folder of generated images, some of which are broken.
struct PictureFolder {
  let folder: TemporaryFolder
  let path: String
  let names: [String]
  static let broken = [3, 150, 297]

  init(_ count: Int, broken: [Int] = PictureFolder.broken) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/pictures"
    var generator = SeededGenerator(seed: 5)
    names = (0..<count).map { "p\(String(repeating: "0", count: 4 - "\($0)".count))\($0).pgm" }
    for (index, name) in names.enumerated() {
      // Every tenth image equals the previous one.
      let pixels =
        index % 10 == 9
        ? [UInt8](repeating: 77, count: 400)
        : (0..<400).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let kept = broken.contains(index) ? 100 : 400
      try folder.write(Array("P5 20 20 255\n".utf8) + pixels[..<kept], to: "pictures/\(name)")
    }
  }

  func output(_ ending: String) -> String { "\(folder.path)/results.\(ending)" }
  func contents(_ ending: String) throws -> String {
    try String(contentsOfFile: output(ending), encoding: .utf8)
  }
}

@Suite(.ownThreads) struct FolderTests {
  @Test func `A folder gives the same results as its images one by one`() throws {
    let pictures = try PictureFolder(40, broken: [])
    let all = TestConsole.run(["run", Example.digits, pictures.path])
    #expect(all.exitCode == 0)
    let single = pictures.names.map {
      TestConsole.run(["run", Example.digits, "\(pictures.path)/\($0)"]).output.masked()
    }
    #expect(all.output.masked() == single.joined())
    let threads = TestConsole.run(["run", Example.digits, pictures.path, "--threads", "2"])
    #expect(threads.output.masked() == all.output.masked())
  }

  @Test func `Broken images are reported in order and do not stop the run`() throws {
    let pictures = try PictureFolder(300)
    let outcome = TestConsole.run(["run", Example.digits, pictures.path, "--top", "1"])
    #expect(outcome.exitCode == 1)
    let records = try outcome.jsonLines()
    #expect(records.map { $0["input"]?.string?.suffix(9) } == pictures.names.map { $0.suffix(9) })
    let failed = records.indices.filter { records[$0]["error"] != nil }
    #expect(failed == PictureFolder.broken)
    #expect(outcome.messages.split(separator: "\n").count == 3)
  }

  @Test func `A run stops after the maximum number of failures`() throws {
    let pictures = try PictureFolder(300)
    let outcome = TestConsole.run(["run", Example.digits, pictures.path, "--max-failures", "2"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines.count == 151)
    #expect(outcome.messages.contains("2 failed; 151 of 300 items done"))
    let none = TestConsole.run(["run", Example.digits, pictures.path, "--max-failures", "0"])
    #expect(none.exitCode == 2)
  }

  @Test func `An interrupt completes started items and starts no others`() throws {
    let pictures = try PictureFolder(300, broken: [])
    var console = TestConsole()
    console.interruptAfterPolls = 10
    let words = ["run", Example.digits, pictures.path]
    let outcome = console.run(words + ["--output", pictures.output("ndjson")])
    #expect(outcome.exitCode == 130)
    let count = try pictures.contents("ndjson").split(separator: "\n").count
    #expect((10..<60).contains(count))
    #expect(outcome.messages.contains("interrupted; \(count) of 300 items done"))
    #expect(
      TestConsole.run(words + ["--output", pictures.output("ndjson"), "--resume"]).exitCode == 0)
    #expect(try pictures.contents("ndjson").split(separator: "\n").count == 300)
  }
}

@Suite(.ownThreads) struct ResumptionTests {
  private static let endings = ["ndjson", "csv", "sqlite"]

  private func words(_ pictures: PictureFolder, _ ending: String) -> [String] {
    ["run", Example.digits, pictures.path, "--top", "1", "--output", pictures.output(ending)]
  }

  /// Returns the recorded inputs in order, and the number of failures.
  private func rows(_ pictures: PictureFolder, _ ending: String) throws -> [String] {
    switch ending {
    case "ndjson":
      try pictures.contents("ndjson").split(separator: "\n").map {
        let record = try JSONTree(String($0))
        return (record["input"]?.string ?? "") + (record["error"] == nil ? "" : "!")
      }
    case "csv":
      try pictures.contents("csv").split(separator: "\n").dropFirst().map {
        let values = $0.split(separator: ",", omittingEmptySubsequences: false)
        return values[0] + (values[1] == "error" ? "!" : "")
      }
    default: try ResultRows.read(pictures.output(ending))
    }
  }

  private func expected(_ pictures: PictureFolder) -> [String] {
    pictures.names.enumerated().map { index, name in
      "\(pictures.path)/\(name)" + (PictureFolder.broken.contains(index) ? "!" : "")
    }
  }

  @Test(arguments: endings)
  func `A killed run resumes without losing or repeating items`(
    _ ending: String
  ) throws {
    let pictures = try PictureFolder(300)
    let process = try Executable().start(words(pictures, ending) + ["--threads", "1"])
    let mark = pictures.output(ending) + (ending == "sqlite" ? "-wal" : ".ledger")
    while process.isRunning, (try? Data(contentsOf: URL(filePath: mark)).count) ?? 0 < 2_000 {
      usleep(500)
    }
    process.kill()
    _ = process.wait()
    let resumed = TestConsole.run(words(pictures, ending) + ["--resume"])
    #expect(resumed.exitCode == 1)
    #expect(try rows(pictures, ending) == expected(pictures))
    let again = TestConsole.run(words(pictures, ending) + ["--resume"])
    #expect(again.exitCode == 1)
    #expect(again.messages == "tensorio: 300 of 300 items are already recorded\n")
    #expect(try rows(pictures, ending) == expected(pictures))
  }

  @Test(arguments: ["ndjson", "csv"])
  func `Truncated results are repaired on resumption`(_ ending: String) throws {
    let pictures = try PictureFolder(20, broken: [3])
    let complete = TestConsole.run(words(pictures, ending))
    #expect(complete.exitCode == 1 && complete.output.isEmpty)
    let whole = try pictures.contents(ending)
    let ledger = try pictures.contents(ending + ".ledger")
    for cut in [0, 1, 30, whole.utf8.count / 2, whole.utf8.count - 1] {
      try Data(whole.utf8.prefix(cut)).write(to: URL(filePath: pictures.output(ending)))
      try pictures.folder.write(ledger, to: "results.\(ending).ledger")
      #expect(TestConsole.run(words(pictures, ending) + ["--resume"]).exitCode == 1)
      #expect(try pictures.contents(ending).masked() == whole.masked(), "\(cut)")
    }
  }

  @Test func `A truncated journal is valid up to the truncation`() throws {
    let pictures = try PictureFolder(20, broken: [3])
    TestConsole.run(words(pictures, "ndjson"))
    let whole = try pictures.contents("ndjson")
    let path = pictures.output("ndjson.ledger")
    let ledger = try Data(contentsOf: URL(filePath: path))
    for cut in [18, 19, 100, ledger.count / 2, ledger.count - 1] {
      try ledger.prefix(cut).write(to: URL(filePath: path))
      try pictures.folder.write(whole, to: "results.ndjson")
      #expect(TestConsole.run(words(pictures, "ndjson") + ["--resume"]).exitCode == 1)
      #expect(try pictures.contents("ndjson").masked() == whole.masked(), "\(cut)")
      #expect(try Data(contentsOf: URL(filePath: path)).count >= ledger.count - 40)
    }
  }

  @Test func `A modified results file is not overwritten`() throws {
    let pictures = try PictureFolder(10, broken: [])
    TestConsole.run(words(pictures, "ndjson"))
    let changed = "\n" + (try pictures.contents("ndjson"))
    try pictures.folder.write(changed, to: "results.ndjson")
    let outcome = TestConsole.run(words(pictures, "ndjson") + ["--resume"])
    #expect(
      outcome.exitCode == 6 && outcome.messages.contains("does not match its log"), "\(outcome)")
    #expect(try pictures.contents("ndjson") == changed)
  }

  @Test func `Images are identified by their contents`() throws {
    let pictures = try PictureFolder(20, broken: [])
    TestConsole.run(words(pictures, "ndjson"))
    let file = FileManager.default
    try file.moveItem(
      atPath: "\(pictures.path)/\(pictures.names[0])", toPath: "\(pictures.path)/z.pgm")
    try pictures.folder.write("P5 1 1 255\n0", to: "pictures/\(pictures.names[1])")
    let outcome = TestConsole.run(words(pictures, "ndjson") + ["--resume"])
    #expect(outcome.messages == "tensorio: 19 of 20 items are already recorded\n")
    #expect(try rows(pictures, "ndjson").last == "\(pictures.path)/\(pictures.names[1])")
  }

  @Test func `Different options or bundles cannot resume a run`() throws {
    let pictures = try PictureFolder(12, broken: [])
    TestConsole.run(words(pictures, "ndjson"))
    let fitted = TestConsole.run(words(pictures, "ndjson") + ["--resume", "--fit", "stretch"])
    #expect(fitted.messages == "tensorio: 0 of 12 items are already recorded\n")
    let copy = try pictures.folder.copy(Example.digits, as: "copy.tiobundle")
    var words = words(pictures, "ndjson") + ["--resume"]
    words[1] = copy
    #expect(
      TestConsole.run(words + ["--threads", "1"]).messages
        == "tensorio: 12 of 12 items are already recorded\n")
    let labels = URL(filePath: copy + "/assets/labels.txt")
    try (String(contentsOf: labels, encoding: .utf8) + "\n").write(
      to: labels, atomically: true, encoding: .utf8)
    #expect(
      TestConsole.run(words).messages.contains("tensorio: 0 of 12 items are already recorded\n"))
  }

  @Test func `An existing file is not overwritten`() throws {
    let pictures = try PictureFolder(10, broken: [])
    try pictures.folder.write("mine\n", to: "results.ndjson")
    for flags in [[], ["--resume"]] {
      let outcome = TestConsole.run(words(pictures, "ndjson") + flags)
      #expect(outcome.exitCode == (flags.isEmpty ? 2 : 6), "\(outcome)")
      #expect(try pictures.contents("ndjson") == "mine\n")
    }
    try pictures.folder.write(String(repeating: "mine\n", count: 999), to: "results.sqlite")
    #expect(TestConsole.run(words(pictures, "sqlite")).exitCode == 2)
    let outcome = TestConsole.run(words(pictures, "sqlite") + ["--resume"])
    #expect(
      outcome.exitCode == 6 && outcome.messages.contains("not a SQLite database"), "\(outcome)")
  }

  @Test(arguments: [
    (["--resume"], "--resume requires --output FILE"),
    (["-", "--output", "a.csv", "--resume"], "--resume cannot read inputs from standard input"),
    (["--output", "a.txt"], "takes a file name ending in .ndjson, .csv or .sqlite"),
    (["--output", "a.csv", "--format", "csv"], "--format cannot be combined with --output"),
  ])
  func `Contradictory options are rejected`(_ flags: [String], _ message: String) {
    let outcome = TestConsole.run(["run", Example.digits] + flags)
    #expect(outcome.exitCode == 2)
    #expect(outcome.messages.contains(message), "\(outcome)")
  }
}
