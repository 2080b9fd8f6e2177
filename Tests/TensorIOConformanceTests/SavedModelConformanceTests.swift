import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// The bundles of `Tests/Fixtures/TensorFlow` answer what TensorFlow's Python package answered,
/// through the library and the command.
///
/// Adding a case is adding a bundle with a `cases.json`.
@Suite struct SavedModelConformanceTests {
  @Test(arguments: SavedModelStory.all("cases"))
  func `the library answers`(_ story: SavedModelStory) throws {
    let model = try Model(bundleAt: story.bundle)
    let output = try model.run(try story.input, placeholders: story.placeholders)
    #expect(Double(model.inputs.count) == story.file["counts"]?["inputs"]?.number)
    try story.check(output, against: story.tree)
  }

  @Test(arguments: SavedModelStory.all("cases"))
  func `the command answers`(_ story: SavedModelStory) throws {
    let outcome = TestConsole.run(["run", story.bundle, "--format", "json"] + story.words)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let outputs = try #require(try outcome.json()["outputs"]?.object)
    #expect(outputs.keys.sorted() == story.outputNames)
    for (name, expected) in story.tree["outputs"]?.object ?? [:] {
      let found = FlatValue(try #require(outputs[name]))
      let wanted = FlatValue(expected)
      // The command writes texts as base64.
      #expect(found.isClose(to: wanted, within: story.tolerance) || found.isBase64(of: wanted))
    }
  }

  @Test(arguments: SavedModelStory.all("batches"))
  func `several items go through at once, and one by one through the command`(
    _ story: SavedModelStory
  ) throws {
    let options = Model.Options(mode: story.mode)
    let model = try Model(bundleAt: story.bundle, options: options)
    let batch = try story.batch(story.tree, model.inputs.map(\.name))
    try story.check(try model.run(batch), against: story.tree)
    guard story.mode == .predict else { return }
    var console = TestConsole()
    let items = try #require(story.tree["items"]?.array)
    console.input = Array(items.map { $0.text + "\n" }.joined().utf8)
    let records = try console.run(["run", story.bundle, "--batch", "-"]).jsonLines()
    #expect(records.count == items.count)
    for (name, expected) in story.tree["outputs"]?.object ?? [:] {
      let found = FlatValue(.array(try records.map { try #require($0["outputs"]?[name]) }))
      let wanted = FlatValue(expected)
      #expect(found.isClose(to: wanted, within: story.tolerance) || found.isBase64(of: wanted))
    }
  }

  @Test(arguments: SavedModelStory.all("training"))
  func `training goes as in Python`(_ story: SavedModelStory) throws {
    let model = try TrainableModel(bundleAt: story.bundle, options: .init(threads: 1))
    for step in story.tree["steps"]?.array ?? [] {
      let batch = try story.batch(step, model.inputs.map(\.name))
      let output = try model.train(batch, placeholders: story.placeholders)
      try story.check(output, against: step)
    }
    for then in story.tree["then"]?.array ?? [] {
      if then["mode"]?.string == "predict" {
        let predictor = try model.predictionModel()
        let batch = try story.batch(then, predictor.inputs.map(\.name))
        try story.check(try predictor.run(batch), against: then)
      } else {
        let batch = try story.batch(then, model.inputs.map(\.name))
        try story.check(try model.evaluate(batch), against: then)
      }
    }
  }

  @Test(arguments: SavedModelStory.all("training").filter(\.isOneBatch))
  func `the command trains as in Python`(_ story: SavedModelStory) async throws {
    let folder = try TemporaryFolder()
    let steps = try #require(story.tree["steps"]?.array)
    let items = try #require(steps[0]["items"]?.array)
    let data = try folder.write(items.map { $0.text + "\n" }.joined(), to: "data.ndjson")
    let outcome = await Self.runAside(
      ["train", story.bundle, data, "--epochs", "\(steps.count)", "--batch-size", "\(items.count)"]
        + ["--no-shuffle", "--threads", "1", "--format", "ndjson"] + story.placeholderWords)
    let records = try outcome.jsonLines().filter { $0["step"] != nil }
    let finite = steps.prefix { FlatValue(.object($0["outputs"]?.object ?? [:])).isFinite }
    #expect(outcome.exitCode == (finite.count == steps.count ? 0 : 6), "\(outcome)")
    #expect(records.count >= finite.count)
    for (record, step) in zip(records, finite) {
      for (name, expected) in step["outputs"]?.object ?? [:] {
        let found = FlatValue(try #require(record["outputs"]?[name]))
        #expect(found.isClose(to: FlatValue(expected), within: story.tolerance), "\(record)")
      }
    }
  }

  /// The command waits for its steps, which must not hold up one of the threads that take them.
  private static func runAside(_ words: [String]) async -> CommandResult {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: TestConsole.run(words)) }
    }
  }

  @Test func `one model answers the same in both runtimes`() throws {
    let stories = SavedModelStory.all("cases").filter { $0.name.hasPrefix("picture-t") }
    #expect(stories.count == 2)
    let answers = try stories.map { story in
      try Model(bundleAt: story.bundle).run(try story.input)["probabilities"].value(
        as: [Float].self)
    }
    #expect(zip(answers[0], answers[1]).allSatisfy { abs($0 - $1) <= 1e-4 }, "\(answers)")
    #expect(answers[0].count == 3 && abs(answers[0].reduce(0, +) - 1) < 1e-5)
  }

  @Test func `there are cases of every kind`() {
    let counts = ["cases", "batches", "training"].map { SavedModelStory.all($0).count }
    #expect(counts[0] > 60 && counts[1] > 9 && counts[2] > 10, "\(counts)")
    #expect(SavedModelStory.all("training").filter(\.isOneBatch).count > 5)
  }
}
