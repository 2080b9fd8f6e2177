import Foundation
import TensorIOTestSupport
import Testing

@Suite struct EvaluateTests {
  static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")

  @Test func `Labels can be in a column with any name`() throws {
    let folder = try TemporaryFolder()
    let source = ProjectFiles.path("Examples/Data/topics-held-out.csv")
    let bundle = ProjectFiles.path("Examples/Bundles/topics.tiobundle")
    let text = try String(contentsOfFile: source, encoding: .utf8)
    let header = try #require(text.split(whereSeparator: \.isNewline).first)
    #expect(header.contains("label"))
    let other = try folder.write(
      header.replacingOccurrences(of: "label", with: "topic") + text.dropFirst(header.count),
      to: "other.csv")
    let metrics = try [[source], [other, "--label", "topic"]].map { words in
      let result = TestConsole.run(["evaluate", bundle] + words + ["--format", "json"])
      try #require(result.exitCode == 0, "\(result)")
      return try #require(try result.json()[0]?["metrics"]?["top1"]?.number)
    }
    #expect(metrics[0] == metrics[1])
    let missing = TestConsole.run(["evaluate", bundle, other])
    #expect(missing.exitCode == 4 && missing.messages.contains("label"), "\(missing)")
    let unknown = TestConsole.run(["evaluate", bundle, other, "--label", "none"])
    #expect(unknown.exitCode == 4 && unknown.messages.contains("none"), "\(unknown)")
    let images = TestConsole.run([
      "evaluate", ProjectFiles.path("Examples/Bundles/digits.tiobundle"),
      ProjectFiles.path("Examples/Data/digits-held-out"), "--label", "topic",
    ])
    #expect(images.exitCode == 4 && images.messages.contains("topic"), "\(images)")
  }

  @Test func `The example bundle recognizes digits in held-out voices`() {
    let outcome = TestConsole.run([
      "evaluate", ProjectFiles.path("Examples/Bundles/spoken-digits.tiobundle"),
      ProjectFiles.path("Examples/Data/spoken-digits-held-out"),
      "--gate", "recall>=0.9", "--gate", "precision>=0.9",
    ])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `An image folder is scored by its labels`() throws {
    let report = try TestConsole.run(
      ["evaluate", Example.digits, Self.heldOut, "--format", "json"]
    ).json()
    let facts = try #require(report[0])
    #expect(report.array?.count == 1)
    #expect(facts["model"]?.string == Example.digits && facts["data"]?.string == Self.heldOut)
    #expect(facts["count"]?.number == 360 && facts["errors"]?.number == 0)
    let top1 = try #require(facts["metrics"]?["top1"]?.number)
    #expect(top1 > 0.95 && top1 <= facts["metrics"]?["top5"]?.number ?? 0)
    #expect(facts["metrics"]?["log_loss"]?.number ?? 1 < 0.3)
    let classes = try #require(facts["per_class"]?.array)
    #expect(classes.count == 10 && classes.first?["label"]?.string == "0")
    #expect(classes.compactMap { $0["count"]?.number }.reduce(0, +) == 360)
    #expect(facts["latency_ms"]?["total"]?["p50"]?.number ?? 0 > 0)
    #expect(facts["peak_memory_mb"]?.number ?? 0 > 0)
  }

  @Test func `The text format is a table`() throws {
    let outcome = TestConsole.run(["evaluate", Example.digits, Self.heldOut])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    #expect(outcome.lines.first == "\(Example.digits) on \(Self.heldOut): 360 items")
    #expect(outcome.lines.contains { $0.hasPrefix("  top1  ") })
  }

  @Test func `Numbers are scored by their error`() throws {
    let bundle = try TinyBundle.double()
    let data = try bundle.folder.write(
      "x,y\n\"[1,2,3,4]\",\"[2,4,6,8]\"\n\"[0,0,0,0]\",\"[1,0,0,-3]\"\n", to: "data.csv")
    let metrics = try bundle.run([data, "--format", "json"], command: "evaluate").json()[0]?[
      "metrics"]
    #expect(metrics?["mae"]?.number == 0.5)
    #expect(metrics?["rmse"]?.number.map { abs($0 - 1.25.squareRoot()) < 1e-12 } == true)
    // The ground truth is 2, 4, 6, 8, 1, 0, 0, -3, with a sum of squared deviations of 89.5.
    #expect(metrics?["r2"]?.number.map { abs($0 - (1 - 10 / 89.5)) < 1e-12 } == true)
    #expect(metrics?["top1"] == nil)
  }

  @Test(arguments: [
    ("x,label\n\"[0,0.1,0.4,0]\",\"plum, sweet\"\n\"[0,0,0,0.5]\",0\n", 0.5, true),
    ("x,label\n\"[0,1,2,0]\",\"plum, sweet\"\n\"[0,0,0,1]\",fig\n", 1, false),
  ])
  func `Scores are evaluated by label and probabilities also by loss`(
    _ text: String, _ top1: Double, _ hasLoss: Bool
  ) throws {
    let bundle = try TinyBundle.labeled()
    let data = try bundle.folder.write(text, to: "data.csv")
    let report = try bundle.run([data, "--format", "json"], command: "evaluate").json()[0]
    #expect(report?["metrics"]?["top1"]?.number == top1)
    #expect((report?["metrics"]?["log_loss"] != nil) == hasLoss)
    // With at most four labels, top5 is always 1.
    #expect(report?["metrics"]?["top5"] == nil)
  }

  @Test func `All data errors are reported before anything runs`() throws {
    let bundle = try TinyBundle.labeled()
    let data = try bundle.folder.write("x,label\n[1],fgi\n\"[1,2,3,4]\",9\n", to: "data.csv")
    let outcome = bundle.run([data], command: "evaluate")
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(
      outcome.messages == """
        tensorio: \(data): line 2, column 1: x: wrong number of values \
        (expected 4, found 1)
        tensorio: \(data): line 2, column 5: label: unknown label 'fgi'; did you mean 'fig'?
        tensorio: \(data): line 3, column 13: label: label index out of range \
        (expected an integer from 0 to 3, found 9)
        tensorio: \(data): 3 errors in the data

        """)
  }

  @Test func `The folders of a bundle without labels are numbered`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(Example.digits, as: "digits.tiobundle")
    let text = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    let unlabeled = text.replacing(#/,?\s*"labels"\s*:\s*"labels\.txt"/#, with: "")
      .replacing(#/,\s*"examples": .*/#.dotMatchesNewlines(), with: "}")
      .replacing(#/,?\s*"task"\s*:\s*\{[^}]*\}/#, with: "")
    try folder.write(unlabeled, to: "digits.tiobundle/model.json")
    let outcome = TestConsole.run(["evaluate", path, Self.heldOut, "--format", "json"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try outcome.json()[0]?["metrics"]?["top1"]?.number ?? 0 > 0.95)
    try folder.write("", to: "some/.hidden")
    try folder.copy(Self.heldOut + "/3", as: "some/3")
    let some = TestConsole.run(["evaluate", path, folder.path + "/some"])
    #expect(
      some.exitCode == 4 && some.firstMessageLine.contains("a folder for each of its 10 classes"),
      "\(some)")
  }

  @Test func `A failed example is reported and the others are scored`() throws {
    let folder = try TemporaryFolder()
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    try folder.write(picture, to: "3/a.png")
    try folder.write(Array(picture.dropLast(40)), to: "3/b.png")
    let outcome = TestConsole.run(["evaluate", Example.digits, folder.path, "--format", "json"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.firstMessageLine.contains("3/b.png"))
    let facts = try outcome.json()[0]
    #expect(facts?["count"]?.number == 1 && facts?["errors"]?.number == 1)
  }

  @Test func `An image that is not an image is reported and the others are scored`() throws {
    let folder = try TemporaryFolder()
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    try folder.write(picture, to: "3/a.png")
    try folder.write("not an image", to: "3/b.png")
    try folder.write("", to: "3/c.png")
    try folder.write(picture, to: "3/d.png")
    let words = ["evaluate", Example.digits, folder.path, "--format", "json"]
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == 1, "\(outcome)")
    let facts = try outcome.json()[0]
    #expect(facts?["count"]?.number == 2 && facts?["errors"]?.number == 2)
    #expect(facts?["failed"]?[0]?["name"]?.string == "3/b.png")
    let limited = TestConsole.run(words + ["--max-failures", "1", "--threads", "1"])
    #expect(limited.exitCode == 1 && limited.messages.contains("1 failed"), "\(limited)")
    try folder.write(
      """
      3/a.png 3/d.png 1
      3/a.png 3/b.png 0
      """, to: "pairs.txt")
    let pairs = TestConsole.run([
      "evaluate", Example.bundle("digits-embedder"), folder.path + "/pairs.txt", "--format", "json",
    ])
    #expect(try pairs.exitCode == 1 && pairs.json()[0]?["errors"]?.number == 1, "\(pairs)")
  }

  @Test func `The reason why probabilities have no metrics is reported, and fails their gates`()
    throws
  {
    let bundle = try TinyBundle.labeled()
    let data = try bundle.folder.write(
      """
      x,label
      "[0,0.1,0.4,0]",pear
      "[0,0,0,0.48]",fig
      "[0,1,0,-0.5]",pear

      """, to: "data.csv")
    let outcome = bundle.run(
      [data, "--gate", "ece<5%", "--gate", "top1>=50%"], command: "evaluate")
    let reason =
      "the scores of 2 of 3 items are not probabilities from 0 to 1 that add up to 1 ± 0.01; "
      + "the first of them has scores that add up to 0.960"
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines.contains("log_loss, brier_score, ece undefined: \(reason)"), "\(outcome)")
    #expect(
      outcome.messages
        == "tensorio: \(bundle.path): ece < 0.05: failed with no value; \(reason)\n")
    let report = try bundle.run([data, "--format", "json"], command: "evaluate").json()[0]
    let undefined = try #require(report?["undefined_metrics"]?.array)
    #expect(undefined.compactMap { $0["name"]?.string } == ["log_loss", "brier_score", "ece"])
    #expect(undefined.allSatisfy { $0["reason"]?.string == reason })
  }

  @Test func `A bundle whose outputs cannot be scored is rejected`() {
    let outcome = TestConsole.run(["evaluate", Example.negative, Self.heldOut])
    #expect(outcome.exitCode == 3 && outcome.firstMessageLine.contains("eval mode"))
  }

  @Test(arguments: [
    (["evaluate"], "missing <bundle> and <data>"),
    (["evaluate", Example.digits], "missing <data>"),
  ])
  func `A bundle and data are required`(_ words: [String], _ message: String) {
    let outcome = TestConsole.run(words)
    #expect(
      outcome.exitCode == 2
        && outcome.firstMessageLine == "tensorio: \(message); see `tensorio evaluate --help`")
  }

  @Test func `A gate with an unknown metric is rejected before the first model runs`() throws {
    let folder = try TemporaryFolder()
    let log = "\(folder.path)/log.ndjson"
    let outcome = TestConsole.run([
      "evaluate", Example.digits, Example.bundle("digits-quantized"), Self.heldOut, "--gate",
      "accuracy>=0.9", "--output", log,
    ])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    #expect(
      outcome.messages
        == "tensorio: --gate: unknown metric 'accuracy'; did you mean 'top1'?\n")
    #expect(folder.entries.isEmpty)
  }

  @Test func `Missing data is an input error`() {
    let outcome = TestConsole.run(["evaluate", Example.digits, "nowhere"])
    #expect(
      outcome.exitCode == 4
        && outcome.firstMessageLine == "tensorio: nowhere: no such file 'nowhere'")
  }
}

@Suite(.ownThreads) struct EvaluationKindTests {
  private static let shapes = ProjectFiles.path("Examples/Data/shapes-over-photographs")

  @Test(arguments: [shapes, shapes + "/annotations.json"])
  func `Boxes are scored like COCO`(_ data: String) throws {
    let report = try TestConsole.run(
      ["evaluate", Example.bundle("shape-detector"), data, "--format", "json"]
    ).json()
    let metrics = try #require(report[0]?["metrics"])
    #expect(metrics["map50"]?.number ?? 0 > 0.9 && metrics["map"]?.number ?? 0 > 0.7)
    #expect(report[0]?["count"]?.number == 12 && report[0]?["per_class"]?.array?.count == 5)
  }

  @Test func `Embeddings are scored by pairs`() throws {
    let report = try TestConsole.run(
      ["evaluate", Example.bundle("digits-embedder"), EvaluateTests.heldOut, "--format", "json"]
    ).json()
    let metrics = try #require(report[0]?["metrics"])
    #expect(metrics["roc_auc"]?.number ?? 0 > 0.99 && metrics["eer"]?.number ?? 1 < 0.02)
    #expect(metrics["rank1_accuracy"]?.number ?? 0 > 0.98)
  }

  @Test func `The names that a gallery gives to embeddings are scored`() throws {
    let folder = try TemporaryFolder()
    let gallery = "\(folder.path)/own.sqlite"
    let embedder = Example.bundle("digits-embedder")
    for digit in ["3", "8"] {
      let data = ProjectFiles.path("Examples/Data/digits-training/\(digit)")
      let enrolled = TestConsole.run(
        ["gallery", "enroll", digit, data, "--bundle", embedder, "--gallery", gallery])
      #expect(enrolled.exitCode == 0, "\(enrolled)")
    }
    for digit in ["3", "5", "8"] {
      try folder.copy("\(EvaluateTests.heldOut)/\(digit)", as: "data/\(digit)")
    }
    let words = ["evaluate", embedder, "\(folder.path)/data", "--gallery", gallery]
    let report = try TestConsole.run(words + ["--gate", "top1>0.8", "--format", "json"]).json()
    let recalls = report[0]?["per_class"]?.array?.map { $0["recall"]?.number ?? 0 } ?? []
    let labels = report[0]?["per_class"]?.array?.compactMap { $0["label"]?.string }
    #expect(labels == ["3", "8", "unknown"])
    // Some fives, which are not enrolled, are near the threes.
    #expect(recalls.count == 3 && recalls[0] > 0.95 && recalls[1] > 0.95 && recalls[2] > 0.5)
    #expect(report[0]?["metrics"]?["top1"]?.number ?? 0 > 0.8)
    #expect(report[0]?["metrics"]?["roc_auc"] == nil)
    let classifier = TestConsole.run(
      ["evaluate", Example.digits, "\(folder.path)/data", "--gallery", gallery])
    #expect(classifier.exitCode == 4, "\(classifier)")
    #expect(classifier.firstMessageLine.contains("bound to another embedder"))
  }

  @Test func `Embeddings are scored by the pairs of a file`() throws {
    let folder = try TemporaryFolder()
    let samples = Example.digits + "/samples"
    try folder.write(
      """
      \(samples)/3-1.png \(EvaluateTests.heldOut)/3/\(try Self.firstImage("3")) 1
      \(samples)/8-1.png \(EvaluateTests.heldOut)/8/\(try Self.firstImage("8")) 1
      \(samples)/3-1.png \(samples)/8-1.png 0
      \(samples)/0-1.png \(samples)/1-1.png 0
      """, to: "pairs.txt")
    let embedder = Example.bundle("digits-embedder")
    let report = try TestConsole.run(
      ["evaluate", embedder, folder.path + "/pairs.txt", "--format", "json"]
    ).json()
    let metrics = try #require(report[0]?["metrics"])
    #expect(metrics["roc_auc"]?.number == 1 && metrics["eer"]?.number == 0)
    // The threshold is a distance, in the unit of the bundle's own.
    let threshold = try #require(metrics["best_threshold"]?.number)
    #expect(threshold > 0 && threshold < 2)
    #expect(metrics["rank1_accuracy"] == nil)
    let classifier = TestConsole.run(["evaluate", Example.digits, folder.path + "/pairs.txt"])
    #expect(classifier.exitCode == 3)
    #expect(classifier.firstMessageLine.hasSuffix("requires the task embedding"))
  }

  private static func firstImage(_ digit: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: "\(EvaluateTests.heldOut)/\(digit)")
    return try #require(names.sorted().first)
  }

  @Test func `The metrics of the digits models match their model cards`() throws {
    let names = ["digits", "digits-quantized"]
    let report = try TestConsole.run(
      ["evaluate"] + names.map(Example.bundle) + [EvaluateTests.heldOut, "--format", "json"]
    ).json()
    for (index, name) in names.enumerated() {
      let card = try String(
        contentsOfFile: Example.bundle(name) + "/CARD.md", encoding: .utf8)
      let told = try #require(card.firstMatch(of: #/([0-9.]+) ?%/#)).1
      let top1 = try #require(report[index]?["metrics"]?["top1"]?.number)
      #expect(abs(top1 * 100 - (Double(told) ?? 0)) <= 0.1, "\(name): \(told) %")
    }
  }

  @Test(arguments: [
    ("top1>=97%", 0, ""), ("top1>=0.999", 1, "top1 >= 0.999: failed with 0.97"),
    ("latency_p50<60000", 0, ""), ("topp1>0.5", 2, "did you mean 'top1'?"),
    ("top1", 2, "invalid gate 'top1'"),
  ])
  func `A failed gate is reported`(_ gate: String, _ exit: Int32, _ text: String) {
    let outcome = TestConsole.run(
      ["evaluate", Example.digits, EvaluateTests.heldOut, "--gate", gate, "--filter", "label=8"])
    #expect(
      outcome.exitCode == exit && (text.isEmpty || outcome.messages.contains(text)), "\(outcome)")
  }

  @Test func `A filter excludes examples`() throws {
    let report = try TestConsole.run([
      "evaluate", Example.digits, EvaluateTests.heldOut, "--filter", "label=3", "--filter",
      "name~*1*", "--format", "json",
    ]).json()
    #expect(report[0]?["per_class"]?.array?.contains { $0["label"]?.string == "3" } == true)
    #expect((1..<37).contains(report[0]?["count"]?.number ?? 0))
  }

  @Test func `An interrupted evaluation can be resumed`() throws {
    let folder = try TemporaryFolder()
    let words = [
      "evaluate", Example.digits, EvaluateTests.heldOut, "--format", "json", "--output",
      "\(folder.path)/journal.ndjson",
    ]
    let whole = try TestConsole.run(words).json()
    let lines = try String(contentsOfFile: "\(folder.path)/journal.ndjson", encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 361)
    try folder.write(lines.prefix(100).joined(separator: "\n") + "\n{\"it", to: "journal.ndjson")
    #expect(TestConsole.run(words).exitCode == 6)
    let resumed = TestConsole.run(words + ["--resume"])
    #expect(resumed.messages == "tensorio: resuming; 99 of 360 items are recorded\n")
    #expect(try resumed.json()[0]?["metrics"] == whole[0]?["metrics"])
  }
}
