import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio datasets`: pictures with their labels and boxes under names.
@Suite struct DatasetsTests {
  private let home: TemporaryFolder
  private let folder: TemporaryFolder
  private var console = TestConsole()

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    console.environment = ["TENSORIO_HOME": home.path]
    for digit in ["3-1", "3-2", "8-1", "8-2"] {
      let label = String(digit.prefix(1))
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/digits/\(label)", withIntermediateDirectories: true)
      try folder.copy(Example.digit(digit), as: "digits/\(label)/\(digit).png")
    }
  }

  private var digits: String { "\(folder.path)/digits" }

  private func datasets(_ words: String...) -> CommandResult { console.run(["datasets"] + words) }

  private func counts(_ name: String, _ words: String...) throws -> JSONTree {
    try console.run(["datasets", "show", name, "--format", "json"] + words).json()
  }

  // MARK: Importing

  @Test func `a folder per label is imported, counted, filtered and removed`() throws {
    #expect(datasets("import", "d", digits).lines == ["d: 4 added, 0 known before, 0 failed"])
    #expect(datasets("list").lines == ["d  4 pictures  2 labels"])
    #expect(try counts("d")["count"]?.number == 4)
    #expect(try counts("d")["labels"]?[0]?["label"]?.string == "3")
    #expect(try counts("d", "--filter", "label=3")["count"]?.number == 2)
    let items = try datasets("show", "d", "--items", "--filter", "name~*8-1*", "--format", "json")
      .jsonLines()
    #expect(items.map { $0["image"]?.string } == ["\(digits)/8/8-1.png"])
    #expect(items.first?["origin"]?.string == digits)
    #expect(datasets("remove", "d", "--filter", "label=8").lines == ["d: 2 removed"])
    #expect(try counts("d")["count"]?.number == 2)
    #expect(datasets("remove", "d").exitCode == 0)
    #expect(datasets("list").lines.isEmpty && datasets("show", "d").exitCode == 4)
  }

  @Test func `a picture is there once, however often and from wherever it comes`() throws {
    _ = datasets("import", "d", digits)
    let again = datasets("import", "d", digits)
    #expect(again.exitCode == 0 && again.lines == ["d: 0 added, 4 known before, 0 failed"])
    try folder.copy(Example.digit("3-1"), as: "other.png")
    try folder.write("image,label,set\nother.png,three,TEST\n", to: "more.csv")
    #expect(datasets("import", "d", "\(folder.path)/more.csv").output.contains("1 known before"))
  }

  @Test func `copies outlive what they were copied from`() throws {
    #expect(datasets("import", "d", digits, "--copy").exitCode == 0)
    try FileManager.default.removeItem(atPath: digits)
    let target = "\(folder.path)/out"
    #expect(datasets("export", "d", "--to", target, "--form", "labelled-folder").exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(target)/3").count == 2)
    #expect(datasets("remove", "d", "--filter", "label=3").exitCode == 0)
    let kept = try FileManager.default.contentsOfDirectory(
      atPath: "\(home.path)/datasets/d/pictures")
    #expect(kept.count == 2)
  }

  @Test func `a picture that cannot be read is told of, and the others go on`() throws {
    try folder.write("no picture", to: "digits/3/bad.png")
    let outcome = datasets("import", "d", digits)
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines == ["d: 4 added, 0 known before, 1 failed"])
    #expect(outcome.messages.contains("3/bad.png"))
  }

  @Test(arguments: [
    ("list.csv", "image,label\ndigits/3/3-1.png,three\n,four\ndigits/8/8-1.png,\n", 2),
    ("list.csv", "image,label\ndigits/3/3-1.png,three\nnowhere.png,four\n", 1),
    ("list.csv", "image,set\ndigits/3/3-1.png,TEST\ndigits/8/8-1.png,SOMETIMES\n", 1),
    (
      "list.ndjson", "{\"image\": \"digits/3/3-1.png\", \"label\": \"a\"}\n{\"label\": \"b\"}\n{\n",
      1
    ),
  ])
  func `a line with a fault is told of, and the others go on`(
    _ name: String, _ text: String, _ count: Double
  ) throws {
    let path = try folder.write(text, to: name)
    let outcome = datasets("import", "d", path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(!outcome.messages.isEmpty)
    #expect(try counts("d")["count"]?.number == count)
  }

  @Test func `of data that cannot be read at all, no data set is made`() throws {
    let empty = try folder.write("image\n", to: "empty.csv")
    let wrong = try folder.write("name\nx\n", to: "wrong.csv")
    let text = try folder.write("x", to: "text.txt")
    for path in [empty, wrong, text, "\(folder.path)/nothing"] {
      #expect(datasets("import", "d", path).exitCode == 4, "\(path)")
    }
    #expect(datasets("list").lines.isEmpty)
  }

  @Test func `boxes are imported from one form and exported in others`() throws {
    let line = """
      {"image": "digits/3/3-1.png", "set": "TEST", "boxes": [{"label": "three", \
      "box": {"xmin": 1, "ymin": 2, "xmax": 7, "ymax": 8}}]}
      {"image": "digits/8/8-1.png", "boxes": []}
      """
    let path = try folder.write(line, to: "boxes.ndjson")
    #expect(datasets("import", "b", path).exitCode == 0)
    #expect(try counts("b")["boxes"]?.number == 1)
    for form in ["coco", "automl", "ndjson"] {
      let target = "\(folder.path)/\(form)"
      let exported = datasets("export", "b", "--to", target, "--form", form, "--copy")
      #expect(exported.exitCode == 0, "\(exported)")
      let name = ["coco": "annotations.json", "automl": "data.csv", "ndjson": "data.ndjson"][form]
      let again = datasets("import", "from-\(form)", "\(target)/\(name ?? "")")
      #expect(again.exitCode == 0, "\(again)")
      let items = try datasets("show", "from-\(form)", "--items", "--format", "json").jsonLines()
      let box = items[0]["boxes"]?[0]
      #expect(box?["label"]?.string == "three")
      #expect(abs((box?["box"]?["ymax"]?.number ?? 0) - 8) < 1e-3)
    }
    let refused = datasets("export", "b", "--to", "\(folder.path)/csv", "--form", "csv")
    #expect(refused.exitCode == 4 && !folder.entries.contains("csv"))
  }

  // MARK: Splitting and using

  @Test func `a split follows from its seed and keeps the shares of labels`() throws {
    _ = datasets("import", "d", digits)
    let split = datasets("split", "d", "0.5/0.5", "--seed", "3")
    #expect(split.exitCode == 0, "\(split)")
    let first = datasets("show", "d", "--items").output
    for set in ["TRAIN", "TEST"] {
      let counts = try counts("d", "--filter", "set=\(set)")
      #expect(counts["labels"]?.array?.map { $0["count"]?.number } == [1, 1])
    }
    _ = datasets("split", "d", "0.5/0.5", "--seed", "3")
    #expect(datasets("show", "d", "--items").output == first)
    for parts in ["0.5", "1/1", "a/b", "0.25/0.25/0.25/0.25"] {
      #expect(datasets("split", "d", parts).exitCode == 2)
    }
  }

  @Test func `a data set and a part of it are data for training`() throws {
    _ = datasets("import", "d", digits)
    _ = datasets("split", "d", "0.5/0.5")
    let bundle = ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle")
    for (word, count) in [("@d", 4.0), ("@d:train", 2)] {
      let words = ["train", bundle, word, "--epochs", "1", "--batch-size", "1", "--format", "json"]
      let trained = console.run(words)
      #expect(trained.exitCode == 0, "\(trained)")
      #expect(try trained.json()["steps"]?.number == count)
    }
    #expect(console.run(["train", bundle, "@e"]).exitCode == 4)
    #expect(console.run(["train", bundle, "@d:sometimes"]).exitCode == 2)
  }

  @Test func `what was exported is refused a second time, unless by force`() {
    _ = datasets("import", "d", digits)
    let target = "\(folder.path)/d.csv"
    let words = ["datasets", "export", "d", "--to", target, "--form", "csv"]
    #expect(console.run(words).exitCode == 0)
    #expect(console.run(words).exitCode != 0)
    #expect(console.run(words + ["--force"]).exitCode == 0)
  }

  @Test func `a database that holds something else is refused`() throws {
    try home.write("no database", to: "datasets/d/data.sqlite")
    #expect(datasets("show", "d").exitCode != 0)
    let unknown = datasets("show", "e")
    #expect(unknown.exitCode == 4 && unknown.firstMessageLine.contains("known: d"), "\(unknown)")
  }

  @Test func `imports that come at once lose nothing`() throws {
    let executable = Executable(environment: ["TENSORIO_HOME": home.path])
    let processes = try ["3", "8", "3", "8"].map { label in
      try executable.start(["datasets", "import", "d", "\(digits)/\(label)"])
    }
    for process in processes { #expect(process.wait().exitCode == 0) }
    #expect(try counts("d")["count"]?.number == 4)
    #expect(try counts("d")["unlabelled"]?.number == 4)
  }

  @Test(arguments: [
    [], ["show"], ["import", "d"], ["import", "../d", "x"], ["split", "d"], ["export", "d"],
    ["export", "d", "--to", "x"], ["find"], ["list", "--set", "never"],
  ])
  func `what makes no sense is refused`(_ words: [String]) {
    #expect(console.run(["datasets"] + words).exitCode == 2)
  }
}
