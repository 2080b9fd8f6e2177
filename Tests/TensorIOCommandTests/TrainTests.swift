import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Training as a process of its own, on the digits of the example.
@Suite struct TrainTests {
  static let digits = ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle")
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

  /// Points of y = 2 a - b, as a table.
  func points() throws -> String {
    let rows = (0..<40).map { index in
      let (a, b) = (Double(index % 8) / 8, Double(index / 8) / 5)
      return "\"[\(a),\(b)]\",\(2 * a - b)\n"
    }
    return try folder.write("x,target\n" + rows.joined(), to: "points.csv")
  }

  @Test func `five epochs teach digits`() throws {
    let trained = "\(folder.path)/trained.tiobundle"
    let outcome = try train("--epochs 5 --export FOLDER/trained.tiobundle --plot FOLDER/loss.png")
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome)")
    let epochs = outcome.lines.filter { $0.hasPrefix("epoch ") }
    let losses = epochs.compactMap { Double($0.split(separator: " ").last ?? "") }
    #expect(epochs.count == 5 && epochs[0].hasPrefix("epoch 1 of 5: loss "))
    #expect(losses.count == 5 && losses[4] < losses[0] / 5)
    #expect(outcome.lines.contains("wrote \(trained)"))
    #expect(outcome.lines.last == "  tensorio run \(trained)")
    #expect(try executable.run(["run", trained, "--top", "1"]).output.contains("\"label\":\"3\""))
    #expect(try executable.run(["validate", trained, "--strict"]).exitCode == 0)
    let card = try String(contentsOfFile: "\(trained)/CARD.md", encoding: .utf8)
    #expect(
      card.hasPrefix("Trained further from the bundle digits-trainable (version 1): 225 steps,"))
    let report = try executable.run(["evaluate", trained, Self.heldOut, "--format", "json"]).json()
    let metrics = try #require(report[0]?["metrics"])
    let accuracy = try #require(metrics["accuracy"]?.number)
    #expect(accuracy >= 0.95)
    // One is a share, the other the mean of what the model says of each example.
    #expect(try abs(#require(metrics["top1"]?.number) - accuracy) < 1e-12)
    let before = try executable.run(["evaluate", Self.digits, Self.heldOut, "--format", "json"])
    #expect(try #require(before.json()[0]?["metrics"]?["accuracy"]?.number) < 0.3)
    let plot = try ImageBuffer(contentsOf: "\(folder.path)/loss.png")
    #expect(plot.width == 960 && plot.height == 600)
  }

  @Test func `what was held out is measured after every epoch`() throws {
    let lines = try train("--epochs 2 --validation 0.2 --format ndjson").jsonLines()
    let epochs = lines.filter { $0["step"] == nil }
    #expect(lines.count == 2 * 36 + 2 && epochs.count == 2)
    #expect(epochs.map { $0["epoch"]?.number } == [1, 2])
    for epoch in epochs {
      #expect(epoch["loss"]?.number ?? 9 < 2 && epoch["validation"]?.number ?? 9 < 2)
      #expect(epoch["metrics"]?["accuracy"]?.number ?? 0 > 0.7)
    }
    let step = try #require(lines.first)
    #expect(step["step"]?.number == 1 && step["epoch"]?.number == 1)
    #expect(step["loss"]?.number == step["outputs"]?["loss"]?.number && step["loss"] != nil)
  }

  @Test func `a training that is resumed goes on exactly`() throws {
    let whole = try train("--epochs 3 --seed 5 --checkpoint FOLDER/whole --format ndjson")
    let first = try train("--epochs 1 --seed 5 --checkpoint FOLDER/parts --format ndjson")
    let rest = try train("--epochs 3 --seed 5 --checkpoint FOLDER/parts --resume --format ndjson")
    #expect(whole.exitCode == 0 && whole.lines.count == 3 * 46)
    #expect(first.lines + rest.lines == whole.lines)
    let other = try train("--epochs 3 --seed 6 --checkpoint FOLDER/parts --resume")
    #expect(other.exitCode == 6 && other.firstMessageLine.contains("seed"))
    let again = try train("--checkpoint FOLDER/parts")
    #expect(again.exitCode == 2 && again.firstMessageLine.contains("--resume"))
  }

  @Test func `an interrupt ends the training between two steps`() throws {
    let kept = "\(folder.path)/kept"
    let words = ["train", Self.digits, Self.pictures, "--checkpoint", kept, "--format", "ndjson"]
    let process = try executable.start(words + ["--epochs", "1000"])
    try process.waitForOutput("\"epoch\":2")
    process.interrupt()
    let outcome = process.wait()
    #expect(outcome.exitCode == 130)
    #expect(outcome.firstMessageLine.contains("interrupted after step "))
    let step = try #require(outcome.jsonLines().last { $0["step"] != nil }?["step"]?.number)
    #expect(outcome.firstMessageLine.contains("the weights are in \(kept)/checkpoint-\(Int(step));"))
    #expect(outcome.firstMessageLine.contains("--resume"))
    // What was done before and after is what would have been done without the interrupt.
    let last = try #require(outcome.jsonLines().last?["epoch"]?.number)
    let epochs = ["--epochs", "\(Int(last) + 1)"]
    let rest = try executable.run(words + epochs + ["--resume"])
    let whole = try train("--format ndjson " + epochs.joined(separator: " "))
    #expect(rest.exitCode == 0 && outcome.lines + rest.lines == whole.lines)
  }

  @Test func `a loss that is no number ends the training`() throws {
    let outcome = try train("--epochs 3 --placeholder learning_rate=1e30 --checkpoint FOLDER/kept")
    #expect(outcome.exitCode == 6)
    #expect(outcome.firstMessageLine.contains("step 1") && outcome.firstMessageLine.contains("no weights"))
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/logarithm-of-zero.tiobundle")
    let data = try folder.write("x\n1\n", to: "ones.csv")
    let later = try train("--epochs 9 --checkpoint FOLDER/later", bundle: bundle, data: data)
    #expect(later.exitCode == 6 && later.firstMessageLine.contains("the weights are in"), "\(later)")
  }

  @Test func `tables train, and placeholders have values`() throws {
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
      "--epochs 500 --early-stop 3 --placeholder learning_rate=0", bundle: bundle, data: data)
    #expect(stopped.output.contains("the loss fell no more"), "\(stopped)")
    let unknown = try train("--placeholder learning_rat=1", bundle: bundle, data: data)
    #expect(unknown.exitCode == 4 && unknown.firstMessageLine.contains("'learning_rate'"), "\(unknown)")
  }

  @Test func `the order of the data may be kept`() throws {
    let kept = try train("--epochs 1 --no-shuffle --format ndjson").lines
    #expect(try train("--epochs 1 --no-shuffle --seed 9 --format ndjson").lines == kept)
    #expect(try train("--epochs 1 --shuffle --format ndjson").lines != kept)
  }

  @Test func `losses may be those that steps begin with`() throws {
    let during = try train("--epochs 1 --no-shuffle --loss during --format ndjson").jsonLines()
    let first = try #require(during.first?["loss"]?.number)
    // Ten labels, none of them preferred.
    #expect(abs(first - 2.3) < 0.1)
  }

  /// A training whose first epoch is over when files can no longer be long.
  private func trainOnFullDisk(_ words: String) throws -> CommandResult {
    try executable.script(
      """
      trap '' XFSZ; cd '\(folder.path)'; export TMPDIR=$PWD
      "$tensorio" train '\(Self.digits)' '\(Self.pictures)' --epochs 20 \(words) > said &
      while kill -0 $! && ! [[ -s said ]]; do sleep 0.01; done
      prlimit --fsize=8192 --pid $!
      wait $!
      """)
  }

  @Test func `a checkpoint on a full disk is told of, and those before it are kept`() throws {
    let outcome = try trainOnFullDisk("--checkpoint kept")
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/kept")
    let steps = kept.compactMap { Int($0.dropFirst("checkpoint-".count)) }
    let last = try #require(steps.max())
    #expect(outcome.exitCode == 6 && steps.count == kept.count, "\(outcome) \(kept)")
    #expect(outcome.firstMessageLine.contains("'kept/checkpoint-\(last + 45)': File too large"))
    #expect(outcome.firstMessageLine.contains("the weights are in kept/checkpoint-\(last);"))
  }

  @Test func `a disk that is full takes nothing away`() throws {
    try folder.write("old", to: "old.tiobundle/model.json")
    let outcome = try trainOnFullDisk("--force --export old.tiobundle")
    #expect(outcome.exitCode == 6 && outcome.firstMessageLine.contains("no weights are kept"), "\(outcome)")
    #expect(outcome.firstMessageLine.contains("'old.tiobundle': File too large"))
    #expect(folder.entries == ["old.tiobundle", "said"])
    let old = try String(contentsOfFile: "\(folder.path)/old.tiobundle/model.json", encoding: .utf8)
    #expect(old == "old")
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let words: String
    let exit: Int32
    let message: String
    var testDescription: String { words }
  }

  static let refusals = [
    Refusal(words: "--resume", exit: 2, message: "--checkpoint"),
    Refusal(words: "--validation 1", exit: 2, message: "from 0 to below 1"),
    Refusal(words: "--epochs 0", exit: 2, message: "whole number from 1"),
    Refusal(words: "--shuffle --no-shuffle", exit: 2, message: "contradict"),
    Refusal(words: "--loss never", exit: 2, message: "after, during"),
    Refusal(words: "--plot loss.txt", exit: 2, message: "loss.png"),
    Refusal(words: "--export FOLDER", exit: 2, message: "--force"),
    Refusal(words: "--export FOLDER/no/x.tiobundle", exit: 6, message: "no folder"),
    Refusal(words: "--format csv", exit: 2, message: "ndjson"),
  ]

  @Test(arguments: refusals)
  func `what cannot be is refused before any step`(_ refusal: Refusal) throws {
    let outcome = try train(refusal.words)
    #expect(outcome.exitCode == refusal.exit && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine.contains(refusal.message), "\(outcome)")
    #expect(folder.entries.isEmpty)
  }

  @Test func `data and bundle are looked at first`() throws {
    try folder.write("", to: "data/3/a.png")
    try folder.write("", to: "data/ten/a.png")
    let wrong = try train("", data: "\(folder.path)/data")
    #expect(wrong.exitCode == 4 && wrong.output.isEmpty)
    #expect(wrong.messages.contains("There is no label 'ten'"))
    #expect(wrong.messages.contains("3/a.png"))
    let untrainable = try train("", bundle: Example.digits)
    #expect(untrainable.exitCode == 3 && untrainable.firstMessageLine.contains("'train'"))
  }

  @Test func `a picture that proves damaged is told by its name`() throws {
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    try folder.write(picture, to: "data/3/a.png")
    try folder.write(Array(picture.dropLast(40)), to: "data/3/b.png")
    let outcome = try train("--quiet", data: "\(folder.path)/data")
    #expect(outcome.exitCode == 4)
    #expect(outcome.firstMessageLine.hasPrefix("tensorio: \(folder.path)/data: 3/b.png: layer 'image'"))
  }

  @Test func `a training of which nothing is kept says so`() throws {
    let outcome = try train("--epochs 1")
    #expect(outcome.exitCode == 0 && outcome.firstMessageLine.contains("--export NEW.tiobundle"))
    #expect(try train("--epochs 1 --quiet").messages.isEmpty)
  }

  @Test func `an eval-only bundle is evaluated`() throws {
    let bundle = ProjectFiles.path("Tests/Fixtures/TensorFlow/eval-only.tiobundle")
    let outcome = try executable.run(["evaluate", bundle, try points(), "--format", "json"])
    let facts = try outcome.json()[0]
    #expect(facts?["count"]?.number == 40)
    #expect(facts?["metrics"]?.object?.keys.sorted() == ["error", "near"])
  }
}
