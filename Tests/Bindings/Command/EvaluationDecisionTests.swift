import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// From numbers to a decision: gates, slices, baselines and reports for continuous integration.
@Suite struct EvaluationDecisionTests {
  private let folder: TemporaryFolder
  /// The earlier model, which reads the scores in the column `x`.
  private let old: TinyBundle
  /// The later model, which reads the scores in the column `z`.
  private let new: TinyBundle

  init() throws {
    folder = try TemporaryFolder()
    (old, new) = (try TinyBundle.labeled(), try TinyBundle.labeled(input: "z"))
  }

  private static let labels = ["apple", "pear", "plum, sweet", "fig"]

  /// Writes 300 items. The new model is better overall, and worse for site B.
  private func data() throws -> String {
    var lines = ["x,z,label,site,device"]
    for index in 0..<300 {
      let site = index % 5 == 0 ? "B" : index % 2 == 0 ? "A" : "C"
      let label = index % 4
      let isOldCorrect = index % 10 != 3 && index % 10 != 6 && index % 10 != 7
      let isNewCorrect = site == "B" ? index % 3 == 0 : true
      func scores(_ isCorrect: Bool) -> String {
        let best = isCorrect ? label : (label + 1) % 4
        return "\"[\((0..<4).map { $0 == best ? "0.35" : "0.05" }.joined(separator: ","))]\""
      }
      lines.append(
        "\(scores(isOldCorrect)),\(scores(isNewCorrect)),\"\(Self.labels[label])\",\(site),"
          + (index % 7 < 3 ? "scanner" : "camera"))
    }
    return try folder.write(lines.joined(separator: "\n") + "\n", to: "data.csv")
  }

  @Test func `A model that is better overall and worse in one slice fails its gate`() throws {
    let data = try data()
    let report = "\(folder.path)/old.json"
    #expect(old.run([data, "--report", report], command: "evaluate").exitCode == 0)
    let files = ["html", "md", "xml", "json", "csv"].map { "\(folder.path)/new.\($0)" }
    let outcome = new.run(
      [data, "--baseline", report, "--gate", "top1>=baseline", "--gate", "slice_regressions<=0"]
        + files.flatMap { ["--report", $0] }, command: "evaluate")
    #expect(outcome.exitCode == 1)
    let headline =
      "FAILED: slice_regressions is 1, more than 0 (site=B (60 items): 40 items got worse, 0 better; "
      + "p < 0.0001); 1 of 2 gates pass"
    #expect(outcome.lines[0] == headline)
    #expect(outcome.lines.contains { $0.contains("top1") && $0.contains(" better ") })
    let finding = "site=B (60 items): 40 items got worse, 0 better; p < 0.0001, of "
    #expect(outcome.lines.contains { $0.contains(finding) }, "\(outcome)")
    #expect(outcome.lines.contains { $0.contains("site=B (60 items): 33.33 % correct") })
    #expect(outcome.messages.contains("slice_regressions <= 0.0: failed with 1.0"))
    for file in files {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("slice_regressions") && text.contains("site=B"), "\(file)")
    }
    let markdown = try String(contentsOfFile: files[1], encoding: .utf8)
    #expect(markdown.hasPrefix("# FAILED: slice"))
    let junit = try String(contentsOfFile: files[2], encoding: .utf8)
    #expect(junit.split(separator: "<failure ").count == 2)
    let json = try JSONTree(contentsOf: files[3])[0]
    #expect(json?["comparison"]?["regression_count"]?.number == 40)
    #expect(json?["items"]?.array?.count == 300)
    #expect(json?["items"]?[0]?["attributes"]?["site"]?.string == "B")
    let identity = try #require(json?["identity"])
    for name in ["model", "data", "description"] {
      #expect(identity[name]?.string?.count == 64, "\(name)")
    }
    #expect(identity["runtime"]?.string?.hasPrefix("tflite") == true)
  }

  @Test func `The log of an evaluation is enough to compare with, by all metrics`() throws {
    let data = try data()
    let logs = ["old", "new"].map { "\(folder.path)/\($0).ndjson" }
    #expect(old.run([data, "--output", logs[0]], command: "evaluate").exitCode == 0)
    let outcome = new.run(
      [
        data, "--baseline", logs[0], "--output", logs[1], "--gate", "regressions<=40", "--format",
        "json",
      ],
      command: "evaluate")
    #expect(outcome.exitCode == 0, "\(outcome)")
    let changes = try #require(try outcome.json()[0]?["comparison"]?["changes"]?.array)
    for name in ["top1", "f1", "balanced_accuracy"] {
      let change = changes.first { $0["metric"]?.string == name }
      #expect(
        change?["verdict"]?.string == "better" && change?["interval"]?["low"] != nil, "\(name)")
    }
    let line = try String(contentsOfFile: logs[1], encoding: .utf8).split(separator: "\n")[1]
    for member in [
      #""truth":"apple""#, #""prediction":"apple""#, #""correct":true"#, #""confidence":"#,
      #""loss":"#,
    ] {
      #expect(line.contains(member), "\(line)")
    }
    let compared = TestConsole.run(["compare"] + logs + ["--format", "json"])
    #expect(try compared.json()["regression_count"]?.number == 40, "\(compared)")
    let text = TestConsole.run(["compare"] + logs)
    #expect(text.exitCode == 0)
    #expect(
      text.lines.contains { $0.contains("of 300 items, 40 got wrong and 90 got right") }, "\(text)")
  }

  @Test func `Two models are compared with each other, and a tie is called one`() throws {
    let data = try data()
    let outcome = TestConsole.run(["evaluate", old.path, old.path, data])
    #expect(
      outcome.lines.contains {
        $0.contains("of 300 items, 0 got wrong and 0 got right; p = 1.0000, which is a tie")
      }, "\(outcome)")
    #expect(outcome.lines.contains { $0.contains("top1") && $0.contains(" tie ") })
  }

  @Test func `Costs of errors are a metric in all reports, with gates and a threshold`() throws {
    let data = try data()
    let costs = try folder.write(
      "truth,prediction,cost\napple,pear,50\n*,*,2\n*,(none),40\n", to: "costs.csv")
    let files = ["html", "md", "xml", "json", "csv"].map { "\(folder.path)/cost.\($0)" }
    let gates = [
      "--gate", "expected_cost<=6", "--gate", "expected_cost[site=B]<=1", "--gate",
      "expected_cost<=baseline",
    ]
    let report = "\(folder.path)/before.json"
    #expect(
      new.run([data, "--cost", costs, "--report", report], command: "evaluate").exitCode == 0)
    let outcome = old.run(
      [data, "--cost", costs, "--baseline", report] + gates + files.flatMap { ["--report", $0] },
      command: "evaluate")
    #expect(outcome.exitCode == 1)
    // The old model takes three of ten items for the next label; the labels repeat every four items.
    let wrong = (0..<300).filter { [3, 6, 7].contains($0 % 10) }
    let total = wrong.reduce(0.0) { $0 + ($1 % 4 == 0 ? 50 : 2) }
    let json = try JSONTree(contentsOf: files[3])[0]
    let value = try #require(json?["metrics"]?["expected_cost"]?.number)
    #expect(abs(value - total / 300) < 1e-12)
    #expect(json?["intervals"]?["expected_cost"]?["low"]?.number ?? 9 < value)
    #expect(json?["metric_info"]?["expected_cost"]?["direction"]?.string == "lower")
    let most = json?["error_costs"]?[0]
    #expect(most?["truth"]?.string == "apple" && most?["prediction"]?.string == "pear")
    #expect(most?["cost"]?.number == 50)
    let point = json?["operating_points"]?[0]
    #expect(point?["chosen_by"]?.string == "cost" && point?["label"]?.string == "")
    #expect(
      json?["comparison"]?["changes"]?.array?.contains { $0["metric"]?.string == "expected_cost" }
        == true)
    for file in files {
      #expect(
        try String(contentsOfFile: file, encoding: .utf8).contains("expected_cost"), "\(file)")
    }
    #expect(outcome.output.contains("costs of errors:") && outcome.output.contains("apple → pear"))
    #expect(outcome.messages.contains("expected_cost"))
  }

  @Test(arguments: [
    ("truth,prediction,cost\nmango,pear,5\n", "the costs have a label 'mango'", 4 as Int32),
    ("truth,prediction,cost\napple,pear,x\n", "not a number", 4),
  ])
  func `Costs that do not fit are errors`(_ text: String, _ message: String, _ exit: Int32) throws {
    let costs = try folder.write(text, to: "costs.csv")
    let outcome = old.run([try data(), "--cost", costs], command: "evaluate")
    #expect(outcome.exitCode == exit && outcome.messages.contains(message), "\(outcome)")
    let gate = old.run([try data(), "--gate", "expected_cost<=1"], command: "evaluate")
    #expect(gate.exitCode == 2, "\(gate)")
  }

  @Test func `Slices and classes have gates`() throws {
    let data = try data()
    let words = [data, "--slice", "site", "--slice", "site,device", "--format", "json"]
    let outcome = new.run(
      words + [
        "--gate", "top1[site=A]>=0.99", "--gate", "recall[fig]>=0.5", "--gate", "worst_slice>=0.9",
      ],
      command: "evaluate")
    let result = try #require(try outcome.json()[0])
    #expect(outcome.exitCode == 1)
    let gates = try #require(result["verdict"]?["gates"]?.array)
    #expect(gates.map { $0["passed"]?.bool } == [true, true, false])
    let slices = try #require(result["slices"]?.array)
    #expect(slices.compactMap { $0["name"]?.string }.prefix(3) == ["site=A", "site=B", "site=C"])
    #expect(slices.count == 3 + 6)
    #expect(slices[1]["metrics"]?["top1"]?.number.map { abs($0 - 1 / 3.0) < 1e-12 } == true)
    #expect(slices[1]["intervals"]?["top1"]?["method"]?.string == "wilson")
  }

  @Test(arguments: [
    (["--slice", "sitte"], "did you mean 'site'?"),
    (["--slice", "a,b,c"], "--slice takes one attribute"),
    (["--gate", "top1[site=D]>=0.5"], "no item has site=D"),
    (["--gate", "top1[sites=A]>=0.5"], "did you mean 'site'?"),
    (["--gate", "recall[figg]>=0.5"], "did you mean 'fig'?"),
    (["--gate", "top1>=baseline"], "requires --baseline FILE"),
    (["--gate", "regressions<=1"], "requires --baseline FILE"),
    (["--gate", "tpo1[site=A]>=0.5"], "did you mean 'top1'?"),
    (["--report", "a.pdf"], ".md or .xml"),
  ])
  func `Unknown slices, classes and baselines are rejected before the model runs`(
    _ words: [String], _ message: String
  ) throws {
    let outcome = new.run([try data()] + words, command: "evaluate")
    #expect(outcome.exitCode == 2 && outcome.messages.contains(message), "\(outcome)")
    #expect(outcome.lines.isEmpty)
  }

  @Test func `A baseline of other data or of another format is rejected`() throws {
    let data = try data()
    let other = try folder.write("x,label\n\"[1,0,0,0]\",apple\n", to: "other.csv")
    let report = "\(folder.path)/other.json"
    #expect(old.run([other, "--report", report], command: "evaluate").exitCode == 0)
    let renamed = try String(contentsOfFile: report, encoding: .utf8).replacing(
      "line 2", with: "line 9999")
    try folder.write(renamed, to: "other.json")
    let unrelated = old.run([data, "--baseline", report], command: "evaluate")
    #expect(
      unrelated.exitCode != 0 && unrelated.messages.contains("it is of other data"), "\(unrelated)")
    for (name, text) in [("a.json", "[{}]"), ("a.ndjson", "{\"item\":0}\n"), ("b.json", "no")] {
      let path = try folder.write(text, to: name)
      let outcome = old.run([data, "--baseline", path], command: "evaluate")
      #expect(outcome.exitCode != 0 && outcome.messages.contains(name), "\(outcome)")
    }
    let missing = old.run([data, "--baseline", "\(folder.path)/none.json"], command: "evaluate")
    #expect(missing.exitCode != 0)
  }

  @Test func `A folder of images has attributes in a table`() throws {
    let heldOut = EvaluateTests.heldOut
    let names = try FileManager.default.contentsOfDirectory(atPath: heldOut + "/3").sorted()
    let rows = names.enumerated().map { "3/\($1),\($0 % 2 == 0 ? "Basel" : "Lyon")" }
    let attributes = try folder.write(
      (["item,site"] + rows).joined(separator: "\n"), to: "attributes.csv")
    let words = ["evaluate", Example.digits, heldOut, "--filter", "label=3", "--format", "json"]
    let result = try TestConsole.run(words + ["--attributes", attributes, "--slice", "site"])
      .json()[0]
    #expect(
      result?["slices"]?.array?.compactMap { $0["name"]?.string } == ["site=Basel", "site=Lyon"])
    for (text, message) in [
      ("item,site\nx.png,A\n", "has to name items"), ("item\n", "no items"),
      ("item,site\na,b,c\n", "row length"), ("item,site\na,b\na,c\n", "several rows"),
    ] {
      let path = try folder.write(text, to: "bad.csv")
      let outcome = TestConsole.run(words + ["--attributes", path])
      #expect(outcome.exitCode != 0 && outcome.messages.contains(message), "\(outcome)")
    }
    let none = TestConsole.run(words + ["--slice", "site"])
    #expect(none.exitCode == 2 && none.messages.contains("the data has no attributes"))
  }

  @Test func `The best threshold is written into the bundle, whose other text remains`() throws {
    let bundle = try folder.copy(Example.bundle("shape-detector"), as: "shapes.tiobundle")
    let file = URL(filePath: bundle + "/model.json")
    let before = try String(contentsOf: file, encoding: .utf8)
    let data = ProjectFiles.path("Examples/Data/shapes-over-photographs")
    let outcome = TestConsole.run(
      ["evaluate", bundle, data, "--set-threshold", "--format", "json"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let result = try #require(try outcome.json()[0])
    let points = try #require(result["operating_points"]?.array)
    let best = try #require(points.first { $0["label"]?.string == "" }?["threshold"]?.number)
    let after = try String(contentsOf: file, encoding: .utf8)
    #expect(try JSONTree(contentsOf: file.path)["task"]?["threshold"]?.number == best)
    #expect(before.split(separator: "\n").count == after.split(separator: "\n").count)
    #expect(result["confusion"]?["labels"]?.array?.last?.string == "(background)")
    #expect(TestConsole.run(["validate", bundle]).exitCode == 0)
    let packed = old.run([try self.data(), "--set-threshold"], command: "evaluate")
    #expect(packed.exitCode == 2 && packed.messages.contains("has no task with a threshold"))
  }

  @Test(arguments: [
    (
      #"{"task": {"type": "detection", "threshold": 0.5, "iou": 1}}"#,
      #"{"task": {"type": "detection", "threshold": 0.25, "iou": 1}}"#
    ),
    (#"{"task": {"threshold":5e-1}}"#, #"{"task": {"threshold":0.25}}"#),
    (#"{"task": {"type": "detection"}}"#, #"{"task": {"threshold": 0.25, "type": "detection"}}"#),
    (#"{"task": "detection"}"#, nil), ("{", nil),
  ])
  func `Only the threshold of a description changes`(_ text: String, _ changed: String?) {
    let bytes = ThresholdWriter.replacingThreshold(in: Array(text.utf8), by: "0.25")
    #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == changed)
  }

  private func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  @Test func `Images that occur twice are named`() throws {
    let source = EvaluateTests.heldOut + "/3"
    let names = try FileManager.default.contentsOfDirectory(atPath: source).sorted()
    try folder.write(bytes(of: source + "/" + names[0]), to: "images/3/a.png")
    try folder.write(bytes(of: source + "/" + names[1]), to: "images/3/b.png")
    try folder.write(bytes(of: source + "/" + names[0]), to: "images/8/c.png")
    let outcome = TestConsole.run(["evaluate", Example.digits, folder.path + "/images"])
    #expect(
      outcome.lines.contains {
        $0.hasSuffix("3/a.png, 8/c.png: the same image 2 times, with different ground truth")
      }, "\(outcome)")
  }

  @Test func `Two models are compared by the ground truth of their data`() throws {
    let data = ProjectFiles.path("Examples/Data/digits-held-out")
    let outcome = TestConsole.run(
      ["compare", Example.digits, Example.bundle("digits-quantized"), data, "--format", "json"])
    let groundTruth = try #require(try outcome.json()["ground_truth"])
    #expect(groundTruth["count"]?.number == 360 && groundTruth["same_items"]?.bool == true)
    let change = groundTruth["changes"]?.array?.first { $0["metric"]?.string == "top1" }
    #expect(change?["verdict"]?.string == "tie")
  }

  /// Returns the images of the page of an evaluation of masks.
  private func images(of bundle: String) throws -> Set<String> {
    let page = "\(folder.path)/masks.html"
    let data = ProjectFiles.path("Examples/Data/shape-masks")
    #expect(TestConsole.run(["evaluate", bundle, data, "--report", page]).exitCode == 0)
    let text = try String(contentsOfFile: page, encoding: .utf8)
    return Set(
      text.split(separator: "src=\"data:image/").dropFirst().map {
        String($0.prefix { $0 != "\"" })
      })
  }

  @Test func `The page shows the masks of the worst and the best items`() throws {
    let drawn = try images(of: Example.bundle("shape-segmenter"))
    // Without a task, the page has the images as they are.
    let plain = try folder.copy(Example.bundle("shape-segmenter"), as: "plain.tiobundle")
    let file = URL(filePath: plain + "/model.json")
    var description = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    description["task"] = nil
    try JSONSerialization.data(withJSONObject: description).write(to: file)
    #expect(try drawn.count == 12 && drawn.isDisjoint(with: images(of: plain)))
  }

  @Test(arguments: [
    ("topics", "topics-held-out.csv", "You have sent me two left shoes."),
    ("tones", "tones-held-out", "Waveform of "),
  ])
  func `The page shows the texts and the sounds of items`(
    bundle: String, data: String, content: String
  ) throws {
    let page = "\(folder.path)/\(bundle).html"
    let arguments = [
      "evaluate", Example.bundle(bundle), ProjectFiles.path("Examples/Data/\(data)"), "--report",
      page,
    ]
    #expect(TestConsole.run(arguments).exitCode == 0)
    #expect(try String(contentsOfFile: page, encoding: .utf8).contains(content))
  }
}
