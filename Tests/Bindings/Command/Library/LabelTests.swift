import Foundation
import TensorIOTestSupport
import Testing

/// Tests of `tensorio label`.
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
    _ lines: String, _ arguments: [String] = [], bundle: String = Example.digits,
    data: String? = nil
  ) -> CommandResult {
    var console = console
    console.input = Array(lines.utf8)
    return console.run(["label", bundle, data ?? folder.path, "--dataset", "d"] + arguments)
  }

  /// The labels of the dataset's items; a question mark marks items that were not reviewed.
  private func labels() throws -> [String] {
    let outcome = console.run(["datasets", "show", "d", "--items", "--format", "json"])
    return try outcome.jsonLines().map { item in
      let labels = item["labels"]?.array?.compactMap(\.string) ?? []
      return (item["reviewed"]?.bool == true ? "" : "?") + labels.joined(separator: "+")
    }
  }

  @Test func `Enter accepts the suggestion of the model`() throws {
    let outcome = label("\n\n")
    #expect(outcome.exitCode == 0 && outcome.lines == ["d: 2 decided, 0 left"], "\(outcome)")
    #expect(try labels() == ["3", "8"])
    #expect(outcome.messages.contains("1 of 2") && outcome.messages.contains("(1.00) 3"))
    #expect(label("").lines == ["d: 0 decided, 0 left"])
    #expect(label("5\n:quit\n", ["--include-reviewed"]).lines == ["d: 1 decided, 1 left"])
    #expect(try labels() == ["5", "8"])
  }

  @Test(arguments: [
    ("7\n", ["7", "?"]), (":skip\n9\n", ["?", "9"]), ("1\n:back\n2\n", ["2", "?"]),
    (":skip\n:skip\n", ["?", "?"]), (":none\n", ["", "?"]), (":new cat\nca\n", ["cat", "cat"]),
    (":quit\n1\n", ["?", "?"]), ("no such label\n4", ["4", "?"]),
    (":dance\n:help\n6\n", ["6", "?"]),
    ("", ["?", "?"]), (":new two words\n:back\n:labels two\ntwo\n", ["two words", "?"]),
  ])
  func `Input lines choose labels or run commands`(_ lines: String, _ expected: [String]) throws {
    let outcome = label(lines)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try labels() == expected, "\(outcome)")
  }

  @Test func `Reviewed labels are exported`() throws {
    _ = label("\n8\n")
    let target = "\(folder.path)/labeled"
    let arguments = [
      "datasets", "export", "d", "--data-format", "labeled-folder", "--output", target,
    ]
    #expect(console.run(arguments).exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: "\(target)/8/8-1.png"))
  }

  @Test func `An unreadable image is reported and skipped`() throws {
    _ = label("")
    try FileManager.default.removeItem(atPath: "\(folder.path)/3-1.png")
    var console = console
    console.input = Array("\n".utf8)
    let outcome = console.run(["label", Example.digits, "@d"])
    #expect(outcome.exitCode == 0 && outcome.lines == ["d: 1 decided, 1 left"], "\(outcome)")
    #expect(outcome.messages.contains("3-1.png"))
    #expect(try labels() == ["?", "8"])
  }

  @Test func `Boxes are added, moved, relabeled and deleted`() throws {
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
    let outcome = label(lines + "\n", ["--include-reviewed"], bundle: detector, data: shapes.path)
    #expect(outcome.lines == ["d: 1 decided, 0 left"], "\(outcome)")
    let boxes = try boxes()
    #expect(boxes.map { $0["label"]?.string } == [name, "thing"])
    #expect(boxes[0]["box"]?["xmax"]?.number == 20 && boxes[1]["box"]?["ymin"]?.number == 4)
    for text in ["must lie within", "no box 3", "labeled boxes instead of a label"] {
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
  func `An image is shown with the protocol of the terminal`(_ name: String, _ sequence: String) {
    let outcome = label(":quit\n", ["--image-protocol", name])
    #expect(outcome.messages.contains(sequence))
    #expect(!label(":quit\n").messages.contains("\u{1B}"))
  }

  @Test func `An invalid command line is rejected`() {
    #expect(console.run(["label", Example.digits]).exitCode == 2)
    #expect(console.run(["label", Example.digits, "@d", "--dataset", "e"]).exitCode == 2)
    #expect(console.run(["label", Example.digits, "@nothing"]).exitCode == 4)
    #expect(console.run(["label", Example.digits, "\(folder.path)/nothing"]).exitCode == 4)
    #expect(console.run(["label", Example.diabetes, folder.path]).exitCode == 3)
    #expect(console.run(["datasets", "list"]).lines.isEmpty)
  }
}
