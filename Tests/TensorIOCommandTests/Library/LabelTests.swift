import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio label`: what a model suggests, kept or mended by lines.
@Suite struct LabelTests {
  private let home: TemporaryFolder
  private let folder: TemporaryFolder
  private var console = TestConsole()

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    console.environment = ["TENSORIO_HOME": home.path]
    for digit in ["3-1", "8-1"] { try folder.copy(Example.digit(digit), as: "\(digit).png") }
  }

  private func label(
    _ lines: String, _ words: [String] = [], bundle: String = Example.digits, data: String? = nil
  ) -> CommandResult {
    var console = console
    console.input = Array(lines.utf8)
    return console.run(["label", bundle, data ?? folder.path, "--into", "d"] + words)
  }

  /// What the data set holds: a picture's name, and its label or whether it waits for one.
  private func labels() throws -> [String] {
    let outcome = console.run(["datasets", "show", "d", "--items", "--format", "json"])
    return try outcome.jsonLines().map { item in
      let labels = item["labels"]?.array?.compactMap(\.string) ?? []
      return (item["reviewed"]?.bool == true ? "" : "?") + labels.joined(separator: "+")
    }
  }

  @Test func `Enter keeps what the model suggests`() throws {
    let outcome = label("\n\n")
    #expect(outcome.exitCode == 0 && outcome.lines == ["d: 2 decided, 0 left"], "\(outcome)")
    #expect(try labels() == ["3", "8"])
    #expect(outcome.messages.contains("1 of 2") && outcome.messages.contains("(1.00) 3"))
    #expect(label("").lines == ["d: 0 decided, 0 left"])
    #expect(label("5\n:quit\n", ["--all"]).lines == ["d: 1 decided, 1 left"])
    #expect(try labels() == ["5", "8"])
  }

  @Test(arguments: [
    ("7\n", ["7", "?"]), (":skip\n9\n", ["?", "9"]), ("1\n:back\n2\n", ["2", "?"]),
    (":skip\n:skip\n", ["?", "?"]), (":none\n", ["", "?"]), (":new cat\nca\n", ["cat", "cat"]),
    (":quit\n1\n", ["?", "?"]), ("no such label\n4", ["4", "?"]),
    (":dance\n:help\n6\n", ["6", "?"]),
    ("", ["?", "?"]), (":new two words\n:back\n:labels two\ntwo\n", ["two words", "?"]),
  ])
  func `lines are answers`(_ lines: String, _ expected: [String]) throws {
    let outcome = label(lines)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try labels() == expected, "\(outcome)")
  }

  @Test func `what was decided is exported`() throws {
    _ = label("\n8\n")
    let target = "\(folder.path)/labelled"
    let words = ["datasets", "export", "d", "--form", "labelled-folder", "--to", target]
    #expect(console.run(words).exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: "\(target)/8/8-1.png"))
  }

  @Test func `a picture that cannot be read is told of and passed over`() throws {
    _ = label("")
    try FileManager.default.removeItem(atPath: "\(folder.path)/3-1.png")
    var console = console
    console.input = Array("\n".utf8)
    let outcome = console.run(["label", Example.digits, "@d"])
    #expect(outcome.exitCode == 0 && outcome.lines == ["d: 1 decided, 1 left"], "\(outcome)")
    #expect(outcome.messages.contains("3-1.png"))
    #expect(try labels() == ["?", "8"])
  }

  @Test func `boxes are added, moved, renamed and deleted`() throws {
    let detector = ProjectFiles.path("Examples/Bundles/shape-detector.tiobundle")
    let samples = try FileManager.default.contentsOfDirectory(atPath: "\(detector)/samples")
    let sample = try #require(samples.filter { $0.hasSuffix(".png") || $0.hasSuffix(".jpg") }.min())
    let shapes = try TemporaryFolder()
    try shapes.copy("\(detector)/samples/\(sample)", as: sample)
    let kept = label("\n", bundle: detector, data: shapes.path)
    #expect(kept.exitCode == 0, "\(kept)")
    let found = try boxes()
    #expect(!found.isEmpty)
    let name = try #require(found[0]["label"]?.string)
    let lines = """
      :none
      :add \(name) 1 2 30 40
      :add \(name) 5 5 3 9
      :add \(name) 1 1 99999 9
      :add \(name) 4 4 8 8
      :move 1 2 2 20 20
      :new thing
      :label 2 thing
      :delete 3
      :add \(name) 1 1 2 2
      :delete 3
      \(name)

      """
    let outcome = label(lines + "\n", ["--all"], bundle: detector, data: shapes.path)
    #expect(outcome.lines == ["d: 1 decided, 0 left"], "\(outcome)")
    let boxes = try boxes()
    #expect(boxes.map { $0["label"]?.string } == [name, "thing"])
    #expect(boxes[0]["box"]?["xmax"]?.number == 20 && boxes[1]["box"]?["ymin"]?.number == 4)
    for text in ["lies inside", "there is no box 3", "has its labels there"] {
      #expect(outcome.messages.contains(text), "\(text)")
    }
  }

  private func boxes() throws -> [JSONTree] {
    let outcome = console.run(["datasets", "show", "d", "--items", "--format", "json"])
    return try outcome.jsonLines().first?["boxes"]?.array ?? []
  }

  @Test(arguments: [
    ("kitty", "\u{1B}_Ga=T,f=100,m="), ("iterm", "\u{1B}]1337;File=inline=1"), ("blocks", "m▀"),
  ])
  func `a picture is shown as the terminal can`(_ how: String, _ sign: String) {
    let outcome = label(":quit\n", ["--picture", how])
    #expect(outcome.messages.contains(sign))
    #expect(!label(":quit\n").messages.contains("\u{1B}"))
  }

  @Test func `what makes no sense is refused`() {
    #expect(console.run(["label", Example.digits]).exitCode == 2)
    #expect(console.run(["label", Example.digits, "@d", "--into", "e"]).exitCode == 2)
    #expect(console.run(["label", Example.digits, "@nothing"]).exitCode == 4)
    #expect(console.run(["label", Example.digits, "\(folder.path)/nothing"]).exitCode == 4)
    #expect(console.run(["label", Example.diabetes, folder.path]).exitCode == 3)
    #expect(console.run(["datasets", "list"]).lines.isEmpty)
  }
}
