import Foundation
import TensorIOTestSupport
import Testing

/// Tests of `tensorio datasets`.
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

  private func datasets(_ arguments: String...) -> CommandResult {
    console.run(["datasets"] + arguments)
  }

  private func counts(_ name: String, _ arguments: String...) throws -> JSONTree {
    try console.run(["datasets", "show", name, "--format", "json"] + arguments).json()
  }

  // MARK: Importing

  @Test func `A folder per label is imported, counted, filtered and removed`() throws {
    #expect(datasets("import", "d", digits).lines == ["d: 4 added, 0 duplicates, 0 failed"])
    #expect(datasets("list").lines == ["d  4 images  2 labels"])
    #expect(try counts("d")["count"]?.number == 4)
    #expect(try counts("d")["labels"]?[0]?["label"]?.string == "3")
    #expect(try counts("d", "--filter", "label=3")["count"]?.number == 2)
    let items = try datasets("show", "d", "--items", "--filter", "name~*8-1*", "--format", "json")
      .jsonLines()
    #expect(items.map { $0["image"]?.string } == ["\(digits)/8/8-1.png"])
    #expect(items.first?["origin"]?.string == digits)
    #expect(datasets("remove", "d", "--filter", "label=8", "--yes").lines == ["d: 2 removed"])
    #expect(try counts("d")["count"]?.number == 2)
    #expect(datasets("remove", "d", "--yes").exitCode == 0)
    #expect(datasets("list").lines.isEmpty && datasets("show", "d").exitCode == 4)
  }

  @Test func `An image that is imported repeatedly is stored once`() throws {
    _ = datasets("import", "d", digits)
    let again = datasets("import", "d", digits)
    #expect(again.exitCode == 0 && again.lines == ["d: 0 added, 4 duplicates, 0 failed"])
    try folder.copy(Example.digit("3-1"), as: "other.png")
    try folder.write("image,label,set\nother.png,three,TEST\n", to: "more.csv")
    #expect(datasets("import", "d", "\(folder.path)/more.csv").output.contains("1 duplicates"))
  }

  @Test func `Copied images do not depend on their originals`() throws {
    #expect(datasets("import", "d", digits, "--copy").exitCode == 0)
    try FileManager.default.removeItem(atPath: digits)
    let target = "\(folder.path)/out"
    #expect(
      datasets("export", "d", "--output", target, "--data-format", "labeled-folder").exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(target)/3").count == 2)
    #expect(datasets("remove", "d", "--filter", "label=3", "--yes").exitCode == 0)
    let kept = try FileManager.default.contentsOfDirectory(
      atPath: "\(home.path)/datasets/d/pictures")
    #expect(kept.count == 2)
  }

  @Test func `An unreadable image is reported and the others are imported`() throws {
    try folder.write("not an image", to: "digits/3/bad.png")
    let outcome = datasets("import", "d", digits)
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines == ["d: 4 added, 0 duplicates, 1 failed"])
    #expect(outcome.messages.contains("3/bad.png"))
  }

  @Test func `Images without a file extension are imported and used for training`() throws {
    let photos = "\(folder.path)/photos.v2"
    try FileManager.default.createDirectory(
      atPath: photos, withIntermediateDirectories: false)
    try folder.copy(Example.digit("3-1"), as: "photos.v2/three")
    try folder.copy(Example.digit("8-1"), as: "photos.v2/eight")
    let list = try folder.write(
      "image,label\n\(photos)/three,3\n\(photos)/eight,8\n", to: "list.csv")
    for (name, flags) in [("copied", ["--copy"]), ("linked", [])] {
      let imported = console.run(["datasets", "import", name, list] + flags)
      #expect(imported.exitCode == 0, "\(imported)")
      #expect(try counts(name)["count"]?.number == 2)
      let bundle = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
      let evaluated = console.run(["evaluate", bundle, "@\(name)", "--format", "json"])
      #expect(evaluated.exitCode == 0, "\(evaluated)")
    }
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
  func `An invalid line is reported and the others are imported`(
    _ name: String, _ text: String, _ count: Double
  ) throws {
    let path = try folder.write(text, to: name)
    let outcome = datasets("import", "d", path)
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(!outcome.messages.isEmpty)
    #expect(try counts("d")["count"]?.number == count)
  }

  @Test func `Unreadable data does not create a dataset`() throws {
    let empty = try folder.write("image\n", to: "empty.csv")
    let wrong = try folder.write("name\nx\n", to: "wrong.csv")
    let text = try folder.write("x", to: "text.txt")
    for path in [empty, wrong, text, "\(folder.path)/nothing"] {
      #expect(datasets("import", "d", path).exitCode == 4, "\(path)")
    }
    #expect(datasets("list").lines.isEmpty)
  }

  @Test func `Boxes are imported from one format and exported to others`() throws {
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
      let exported = datasets("export", "b", "--output", target, "--data-format", form, "--copy")
      #expect(exported.exitCode == 0, "\(exported)")
      let name = ["coco": "annotations.json", "automl": "data.csv", "ndjson": "data.ndjson"][form]
      let again = datasets("import", "from-\(form)", "\(target)/\(name ?? "")")
      #expect(again.exitCode == 0, "\(again)")
      let items = try datasets("show", "from-\(form)", "--items", "--format", "json").jsonLines()
      let box = items[0]["boxes"]?[0]
      #expect(box?["label"]?.string == "three")
      #expect(abs((box?["box"]?["ymax"]?.number ?? 0) - 8) < 1e-3)
    }
    let rejected = datasets("export", "b", "--output", "\(folder.path)/csv", "--data-format", "csv")
    #expect(rejected.exitCode == 4 && !folder.entries.contains("csv"))
  }

  // MARK: Splitting and using

  @Test func `A split is determined by its seed and keeps the label proportions`() throws {
    _ = datasets("import", "d", digits)
    let split = datasets("split", "d", "0.5/0.5", "--seed", "3")
    #expect(split.exitCode == 0, "\(split)")
    let first = datasets("show", "d", "--items").output
    for split in ["TRAIN", "TEST"] {
      let counts = try counts("d", "--filter", "set=\(split)")
      #expect(counts["labels"]?.array?.map { $0["count"]?.number } == [1, 1])
    }
    _ = datasets("split", "d", "0.5/0.5", "--seed", "3")
    #expect(datasets("show", "d", "--items").output == first)
    for parts in ["0.5", "1/1", "a/b", "0.25/0.25/0.25/0.25"] {
      #expect(datasets("split", "d", parts).exitCode == 2)
    }
  }

  @Test func `A dataset and its splits are data for training`() throws {
    _ = datasets("import", "d", digits)
    _ = datasets("split", "d", "0.5/0.5")
    let bundle = ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle")
    for (word, count) in [("@d", 4.0), ("@d:train", 2)] {
      let arguments = [
        "train", bundle, word, "--epochs", "1", "--batch-size", "1", "--format", "json",
      ]
      let trained = console.run(arguments)
      #expect(trained.exitCode == 0, "\(trained)")
      #expect(try trained.json()["steps"]?.number == count)
    }
    #expect(console.run(["train", bundle, "@e"]).exitCode == 4)
    #expect(console.run(["train", bundle, "@d:sometimes"]).exitCode == 2)
  }

  @Test func `An export does not overwrite files without --force`() {
    _ = datasets("import", "d", digits)
    let target = "\(folder.path)/d.csv"
    let arguments = ["datasets", "export", "d", "--output", target, "--data-format", "csv"]
    #expect(console.run(arguments).exitCode == 0)
    #expect(console.run(arguments).exitCode != 0)
    #expect(console.run(arguments + ["--force"]).exitCode == 0)
  }

  @Test func `A file that is not a dataset is rejected`() throws {
    try home.write("no database", to: "datasets/d/data.sqlite")
    #expect(datasets("show", "d").exitCode != 0)
    let unknown = datasets("show", "e")
    #expect(unknown.exitCode == 4 && unknown.firstMessageLine.contains("known: d"), "\(unknown)")
  }

  @Test func `Concurrent imports lose no images`() throws {
    let executable = Executable(environment: ["TENSORIO_HOME": home.path])
    let processes = try ["3", "8", "3", "8"].map { label in
      try executable.start(["datasets", "import", "d", "\(digits)/\(label)"])
    }
    for process in processes { #expect(process.wait().exitCode == 0) }
    #expect(try counts("d")["count"]?.number == 4)
    #expect(try counts("d")["unlabeled"]?.number == 4)
  }

  @Test(arguments: [
    [], ["show"], ["import", "d"], ["import", "../d", "x"], ["split", "d"], ["export", "d"],
    ["export", "d", "--output", "x"], ["find"], ["list", "--split", "never"],
  ])
  func `An invalid command line is rejected`(_ arguments: [String]) {
    #expect(console.run(["datasets"] + arguments).exitCode == 2)
  }
}
