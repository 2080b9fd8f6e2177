import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Training in a separate process, on the digits of the example.
@Suite(.ownThreads) struct TrainTests {
  static let digits = ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle")
  /// The bundles with the same network, for TensorFlow and for LiteRT.
  static let bundles = [
    digits, ProjectFiles.path("Examples/Bundles/digits-trainable-tflite.tiobundle"),
  ]
  static let pictures = ProjectFiles.path("Examples/Data/digits-training")
  static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")

  let folder: TemporaryFolder
  let executable = Executable()

  init() throws {
    folder = try TemporaryFolder()
  }

  func train(_ words: String, bundle: String = digits, data: String = pictures) throws
    -> CommandResult
  {
    let words = words.replacing("FOLDER", with: folder.path).split(separator: " ").map(String.init)
    return try executable.run(["train", bundle, data] + words)
  }

  /// Writes points of y = 2a - b as a table.
  func points() throws -> String {
    let rows = (0..<40).map { index in
      let (a, b) = (Double(index % 8) / 8, Double(index / 8) / 5)
      return "\"[\(a),\(b)]\",\(2 * a - b)\n"
    }
    return try folder.write("x,target\n" + rows.joined(), to: "points.csv")
  }

  private static let fixedBatch = ProjectFiles.path(
    "Tests/Fixtures/Bundles/fixed-training.tiobundle")

  @Test func `A model of a fixed batch trains on a folder of images, and its export is evaluated`()
    throws
  {
    let exported = folder.path + "/x.tiobundle"
    let trained = TestConsole.run([
      "train", Self.fixedBatch, Self.heldOut, "--batch-size", "7", "--validation-split", "0.3",
      "--epochs", "3", "--format", "json", "--export", exported,
    ])
    try #require(trained.exitCode == 0, "\(trained)")
    let evaluated = TestConsole.run(["evaluate", exported, Self.heldOut, "--format", "json"])
    try #require(evaluated.exitCode == 0, "\(evaluated)")
    #expect(try #require(evaluated.json()[0]?["metrics"]?["top1"]?.number) > 0.5)
    let table = try folder.write(
      "image,labels\n\(Self.heldOut)/none.png,12\n", to: "table.csv")
    let invalid = TestConsole.run(["train", Self.fixedBatch, table, "--batch-size", "7"])
    #expect(invalid.exitCode == 4 && invalid.messages.contains("12"), "\(invalid)")
    let few = try folder.write("image,labels\n\(Self.fixedBatch)/few.png,3\n", to: "few.csv")
    #expect(TestConsole.run(["train", Self.fixedBatch, few]).exitCode == 4)
  }

  @Test func `Validation opens the mode train of a file of LiteRT`() throws {
    #expect(TestConsole.run(["validate", Self.fixedBatch]).exitCode == 0)
    let copy = folder.path + "/copy.tiobundle"
    try FileManager.default.copyItem(atPath: Self.fixedBatch, toPath: copy)
    let description = try String(contentsOfFile: copy + "/model.json", encoding: .utf8)
    let renamed = description.replacing("\"loss\"", with: "\"lost\"")
    try Data(renamed.utf8).write(to: URL(filePath: copy + "/model.json"))
    let invalid = TestConsole.run(["validate", copy])
    #expect(invalid.exitCode == 3 && invalid.output.contains("/train/outputs/0/name"), "\(invalid)")
  }

  @Test(arguments: bundles)
  func `Five epochs of training reach the expected accuracy`(_ bundle: String) throws {
    let trained = "\(folder.path)/trained.tiobundle"
    let outcome = try train(
      "--epochs 5 --export FOLDER/trained.tiobundle --plot FOLDER/loss.png", bundle: bundle)
    // A slow machine also prints its progress.
    let messages = outcome.messages.split(separator: "\n")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(messages.allSatisfy { $0.hasPrefix("epoch ") }, "\(outcome)")
    let epochs = outcome.lines.filter { $0.hasPrefix("epoch ") }
    let losses = epochs.compactMap { Double($0.split(separator: " ").last ?? "") }
    #expect(epochs.count == 5 && epochs[0].hasPrefix("epoch 1 of 5: loss "))
    #expect(losses.count == 5 && losses[4] < losses[0] / 5)
    #expect(outcome.lines.contains("wrote \(trained)"))
    // The suggestion begins with the name that the program was started by.
    #expect(try outcome.lines.last == "  \(Executable.path()) run \(trained)")
    #expect(try executable.run(["run", trained, "--top", "1"]).output.contains("\"label\":\"3\""))
    #expect(try executable.run(["validate", trained, "--strict"]).exitCode == 0)
    let card = try String(contentsOfFile: "\(trained)/CARD.md", encoding: .utf8)
    let id = URL(filePath: bundle).deletingPathExtension().lastPathComponent
    #expect(card.hasPrefix("Trained further from the bundle \(id) (version 1): 225 steps,"))
    let report = try executable.run(["evaluate", trained, Self.heldOut, "--format", "json"]).json()
    let metrics = try #require(report[0]?["metrics"])
    let accuracy = try #require(metrics["accuracy"]?.number)
    #expect(accuracy >= 0.95)
    // top1 is a fraction; accuracy is the mean of an output of the model.
    #expect(try abs(#require(metrics["top1"]?.number) - accuracy) < 1e-12)
    let before = try executable.run(["evaluate", bundle, Self.heldOut, "--format", "json"])
    #expect(try #require(before.json()[0]?["metrics"]?["accuracy"]?.number) < 0.3)
    let plot = try ImageBuffer(contentsOf: "\(folder.path)/loss.png")
    #expect(plot.width == 960 && plot.height == 600)
  }

  @Test func `The validation split is measured after every epoch`() throws {
    let lines = try train("--epochs 2 --validation-split 0.2 --format ndjson").jsonLines()
    let epochs = lines.filter { $0["step"] == nil }
    #expect(lines.count == 2 * 36 + 2 && epochs.count == 2)
    #expect(epochs.map { $0["epoch"]?.number } == [1, 2])
    for epoch in epochs {
      #expect(epoch["loss"]?.number ?? 9 < 2 && epoch["validation_loss"]?.number ?? 9 < 2)
      #expect(epoch["metrics"]?["accuracy"]?.number ?? 0 > 0.7)
    }
    let step = try #require(lines.first)
    #expect(step["step"]?.number == 1 && step["epoch"]?.number == 1)
    #expect(step["loss"]?.number == step["outputs"]?["loss"]?.number && step["loss"] != nil)
  }

  @Test(arguments: bundles)
  func `A resumed training has identical results`(_ bundle: String) throws {
    let whole = try train(
      "--epochs 3 --seed 5 --checkpoint-dir FOLDER/whole --format ndjson", bundle: bundle)
    let first = try train(
      "--epochs 1 --seed 5 --checkpoint-dir FOLDER/parts --format ndjson", bundle: bundle)
    let rest = try train(
      "--epochs 3 --seed 5 --checkpoint-dir FOLDER/parts --resume --format ndjson", bundle: bundle)
    #expect(whole.exitCode == 0 && whole.lines.count == 3 * 46)
    #expect(first.lines + rest.lines == whole.lines)
    let other = try train(
      "--epochs 3 --seed 6 --checkpoint-dir FOLDER/parts --resume", bundle: bundle)
    #expect(other.exitCode == 6 && other.firstMessageLine.contains("seed"))
    let again = try train("--checkpoint-dir FOLDER/parts", bundle: bundle)
    #expect(again.exitCode == 2 && again.firstMessageLine.contains("--resume"))
  }

  @Test(arguments: bundles)
  func `An interrupt ends the training after a step`(_ bundle: String) throws {
    let kept = "\(folder.path)/kept"
    let words = [
      "train", bundle, Self.pictures, "--checkpoint-dir", kept, "--format", "ndjson",
    ]
    let process = try executable.start(words + ["--epochs", "1000"])
    try process.waitForOutput("\"epoch\":2")
    process.interrupt()
    let outcome = process.wait()
    #expect(outcome.exitCode == 130)
    #expect(outcome.firstMessageLine.contains("interrupted after step "))
    let step = try #require(outcome.jsonLines().last { $0["step"] != nil }?["step"]?.number)
    #expect(
      outcome.firstMessageLine.contains("the weights are in \(kept)/checkpoint-\(Int(step));"))
    #expect(outcome.firstMessageLine.contains("--resume"))
    // The steps before and after the interrupt are those of an uninterrupted training.
    let last = try #require(outcome.jsonLines().last?["epoch"]?.number)
    let epochs = ["--epochs", "\(Int(last) + 1)"]
    let rest = try executable.run(words + epochs + ["--resume"])
    let whole = try train("--format ndjson " + epochs.joined(separator: " "), bundle: bundle)
    #expect(rest.exitCode == 0 && outcome.lines + rest.lines == whole.lines)
  }

  @Test func `A non-finite loss ends the training`() throws {
    let outcome = try train(
      "--epochs 3 --placeholder learning_rate=1e30 --checkpoint-dir FOLDER/kept")
    #expect(outcome.exitCode == 6)
    #expect(
      outcome.firstMessageLine.contains("step 1")
        && outcome.firstMessageLine.contains("the weights were not saved"))
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/logarithm-of-zero.tiobundle")
    let data = try folder.write("x\n1\n", to: "ones.csv")
    let later = try train("--epochs 9 --checkpoint-dir FOLDER/later", bundle: bundle, data: data)
    #expect(
      later.exitCode == 6 && later.firstMessageLine.contains("the weights are in"), "\(later)")
  }

  @Test func `Training accepts tables and placeholders`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/linear-regression-rate.tiobundle")
    let data = try points()
    let outcome = try train(
      "--epochs 200 --batch-size 8 --placeholder learning_rate=0.3 --format json "
        + "--export FOLDER/line.tiobundle", bundle: bundle, data: data)
    let report = try outcome.json()
    #expect(report["steps"]?.number == 1000 && report["epochs"]?.array?.count == 200)
    #expect(report["epochs"]?.array?.last?["loss"]?.number ?? 1 < 1e-4)
    #expect(report["export"]?.string == "\(folder.path)/line.tiobundle")
    let evaluation = try executable.run(
      ["evaluate", "\(folder.path)/line.tiobundle", data, "--format", "json"])
    #expect(try #require(evaluation.json()[0]?["metrics"]?["r2"]?.number) > 0.99)
    let stopped = try train(
      "--epochs 500 --early-stopping 3 --placeholder learning_rate=0", bundle: bundle, data: data)
    #expect(stopped.output.contains("stopped early"), "\(stopped)")
    let unknown = try train("--placeholder learning_rat=1", bundle: bundle, data: data)
    #expect(
      unknown.exitCode == 4 && unknown.firstMessageLine.contains("'learning_rate'"), "\(unknown)")
  }

  @Test func `The order of the data can be kept`() throws {
    let kept = try train("--epochs 1 --no-shuffle --format ndjson").lines
    #expect(try train("--epochs 1 --no-shuffle --seed 9 --format ndjson").lines == kept)
    #expect(try train("--epochs 1 --shuffle --format ndjson").lines != kept)
  }

  @Test func `The loss can be computed before the update`() throws {
    let during = try train("--epochs 1 --no-shuffle --loss-timing before-update --format ndjson")
      .jsonLines()
    let first = try #require(during.first?["loss"]?.number)
    // The loss of a uniform distribution over ten labels is ln 10.
    #expect(abs(first - 2.3) < 0.1)
  }

  /// Runs a training in which writing large files fails after the first epoch.
  ///
  /// On a slow machine lines about the progress come before the error.
  private func trainOnFullDisk(_ bundle: String, _ words: String) throws -> CommandResult {
    try executable.script(
      """
      trap '' XFSZ; cd '\(folder.path)'; export TMPDIR=$PWD
      "$tensorio" train '\(bundle)' '\(Self.pictures)' --epochs 20 \(words) > said &
      while kill -0 $! && ! [[ -s said ]]; do sleep 0.01; done
      prlimit --fsize=8192 --pid $!
      wait $!
      """)
  }

  @Test(arguments: bundles)
  func `A checkpoint failing on a full disk is reported and earlier ones are kept`(
    _ bundle: String
  ) throws {
    let outcome = try trainOnFullDisk(bundle, "--checkpoint-dir kept")
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept")
    let steps = kept.compactMap { Int($0.dropFirst("checkpoint-".count)) }
    let last = try #require(steps.max())
    #expect(outcome.exitCode == 6 && steps.count == kept.count, "\(outcome) \(kept)")
    #expect(outcome.messages.contains("'kept/checkpoint-\(last + 45)': File too large"))
    #expect(outcome.messages.contains("the weights are in kept/checkpoint-\(last);"))
  }

  @Test(arguments: bundles)
  func `A full disk does not damage existing files`(_ bundle: String) throws {
    try folder.write("old", to: "old.tiobundle/model.json")
    let outcome = try trainOnFullDisk(bundle, "--force --export old.tiobundle")
    #expect(
      outcome.exitCode == 6 && outcome.messages.contains("the weights were not saved"),
      "\(outcome)")
    #expect(outcome.messages.contains("'old.tiobundle': File too large"))
    #expect(folder.entries == ["old.tiobundle", "said"])
    let old = try String(contentsOfFile: "\(folder.path)/old.tiobundle/model.json", encoding: .utf8)
    #expect(old == "old")
  }

  struct Rejection: Sendable, CustomTestStringConvertible {
    let words: String
    let exit: Int32
    let message: String
    var testDescription: String { words }
  }

  static let rejections = [
    Rejection(words: "--resume", exit: 2, message: "--checkpoint-dir"),
    Rejection(words: "--validation-split 1", exit: 2, message: "from 0 to below 1"),
    Rejection(words: "--epochs 0", exit: 2, message: "an integer from 1"),
    Rejection(words: "--shuffle --no-shuffle", exit: 2, message: "mutually exclusive"),
    Rejection(words: "--loss-timing never", exit: 2, message: "after-update, before-update"),
    Rejection(words: "--plot loss.txt", exit: 2, message: "loss.png"),
    Rejection(words: "--export FOLDER", exit: 2, message: "--force"),
    Rejection(
      words: "--export FOLDER/no/x.tiobundle", exit: 6, message: "no such folder: 'FOLDER/no'"),
    Rejection(words: "--format csv", exit: 2, message: "ndjson"),
  ]

  @Test(arguments: rejections)
  func `Invalid arguments are rejected before the first step`(_ rejection: Rejection) throws {
    let outcome = try train(rejection.words)
    #expect(outcome.exitCode == rejection.exit && outcome.output.isEmpty)
    #expect(
      outcome.firstMessageLine.contains(
        rejection.message.replacing("FOLDER", with: folder.path)), "\(outcome)")
    #expect(folder.entries.isEmpty)
  }

  @Test func `Data and bundle are validated first`() throws {
    try folder.write("", to: "data/3/a.png")
    try folder.write("", to: "data/ten/a.png")
    let wrong = try train("", data: "\(folder.path)/data")
    #expect(wrong.exitCode == 4 && wrong.output.isEmpty)
    #expect(wrong.messages.contains("unknown label 'ten'"))
    #expect(wrong.messages.contains("3/a.png"))
    let untrainable = try train("", bundle: Example.digits)
    #expect(untrainable.exitCode == 3 && untrainable.firstMessageLine.contains("'train'"))
  }

  @Test func `A damaged image is reported by name`() throws {
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    try folder.write(picture, to: "data/3/a.png")
    try folder.write(Array(picture.dropLast(40)), to: "data/3/b.png")
    let outcome = try train("--quiet", data: "\(folder.path)/data")
    #expect(outcome.exitCode == 4)
    #expect(
      outcome.firstMessageLine.hasPrefix("tensorio: \(folder.path)/data: 3/b.png: layer 'image'"))
  }

  @Test func `A training without outputs prints a warning`() throws {
    let outcome = try train("--epochs 1")
    #expect(outcome.exitCode == 0 && outcome.firstMessageLine.contains("--export NEW.tiobundle"))
    #expect(try train("--epochs 1 --quiet").messages.isEmpty)
  }

  @Test func `A bundle with only an eval mode is evaluated`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/eval-only.tiobundle")
    let outcome = try executable.run(["evaluate", bundle, try points(), "--format", "json"])
    let facts = try outcome.json()[0]
    #expect(facts?["count"]?.number == 40)
    #expect(facts?["metrics"]?.object?.keys.sorted() == ["error", "near"])
  }
}
