import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// Verifies that the bundles in `Tests/Fixtures/TensorFlow` have the outputs of TensorFlow's Python
/// package, in the library and on the command line.
///
/// To add a case, add a bundle with a `cases.json`.
@Suite(.ownThreads) struct SavedModelConformanceTests {
  @Test(arguments: SavedModelCase.all("cases"))
  func `The library produces the expected output`(_ testCase: SavedModelCase) throws {
    let model = try Model(at: testCase.bundle)
    let output = try model.run(try testCase.input, placeholders: testCase.placeholders)
    #expect(Double(model.inputs.count) == testCase.file["counts"]?["inputs"]?.number)
    try testCase.check(output, against: testCase.tree)
  }

  @Test(arguments: SavedModelCase.all("cases"))
  func `The command line produces the expected output`(_ testCase: SavedModelCase) throws {
    let outcome = TestConsole.run(
      ["run", testCase.bundle, "--format", "json"] + testCase.arguments)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let outputs = try #require(try outcome.json()["outputs"]?.object)
    #expect(outputs.keys.sorted() == testCase.outputNames)
    for (name, expected) in testCase.tree["outputs"]?.object ?? [:] {
      let found = FlatValue(try #require(outputs[name]))
      let expectedValue = FlatValue(expected)
      #expect(found.isClose(to: expectedValue, within: testCase.tolerance))
    }
  }

  @Test(arguments: SavedModelCase.all("batches"))
  func `Batched and single items have the expected outputs`(
    _ testCase: SavedModelCase
  ) throws {
    let options = OpeningOptions(mode: testCase.mode)
    let model = try Model(at: testCase.bundle, options: options)
    let batch = try testCase.batch(testCase.tree, model.inputs.map(\.name))
    try testCase.check(try model.evaluate(batch), against: testCase.tree)
    guard testCase.mode == .predict else { return }
    var console = TestConsole()
    let items = try #require(testCase.tree["items"]?.array)
    console.input = Array(items.map { $0.text + "\n" }.joined().utf8)
    let records = try console.run(["run", testCase.bundle, "--input-file", "-"]).jsonLines()
    #expect(records.count == items.count)
    for (name, expected) in testCase.tree["outputs"]?.object ?? [:] {
      let found = FlatValue(.array(try records.map { try #require($0["outputs"]?[name]) }))
      let expectedValue = FlatValue(expected)
      #expect(found.isClose(to: expectedValue, within: testCase.tolerance))
    }
  }

  @Test(arguments: SavedModelCase.all("training"))
  func `Training matches TensorFlow's Python package`(_ testCase: SavedModelCase) throws {
    let model = try TrainableModel(at: testCase.bundle, options: .init(threads: 1))
    for step in testCase.tree["steps"]?.array ?? [] {
      let batch = try testCase.batch(step, model.inputs.map(\.name))
      let output = try model.train(batch, placeholders: testCase.placeholders)
      try testCase.check(output, against: step)
    }
    for then in testCase.tree["then"]?.array ?? [] {
      if then["mode"]?.string == "predict" {
        let predictor = try model.predictionModel()
        let batch = try testCase.batch(then, predictor.inputs.map(\.name))
        try testCase.check(try predictor.evaluate(batch), against: then)
      } else {
        let batch = try testCase.batch(then, model.inputs.map(\.name))
        try testCase.check(try model.evaluate(batch), against: then)
      }
    }
  }

  @Test(arguments: SavedModelCase.all("training").filter(\.isOneBatch))
  func `Training on the command line matches TensorFlow's Python package`(
    _ testCase: SavedModelCase
  ) async throws {
    let folder = try TemporaryFolder()
    let steps = try #require(testCase.tree["steps"]?.array)
    let items = try #require(steps[0]["items"]?.array)
    let data = try folder.write(items.map { $0.text + "\n" }.joined(), to: "data.ndjson")
    let outcome = await Self.runOnNewThread(
      [
        "train", testCase.bundle, data, "--epochs", "\(steps.count)", "--batch-size",
        "\(items.count)",
      ]
        + ["--no-shuffle", "--threads", "1", "--format", "ndjson"] + testCase.placeholderArguments)
    let records = try outcome.jsonLines().filter { $0["step"] != nil }
    let finite = steps.prefix { FlatValue(.object($0["outputs"]?.object ?? [:])).isFinite }
    #expect(outcome.exitCode == (finite.count == steps.count ? 0 : 6), "\(outcome)")
    #expect(records.count >= finite.count)
    for (record, step) in zip(records, finite) {
      for (name, expected) in step["outputs"]?.object ?? [:] {
        let found = FlatValue(try #require(record["outputs"]?[name]))
        #expect(found.isClose(to: FlatValue(expected), within: testCase.tolerance), "\(record)")
      }
    }
  }

  /// Runs the command on a new thread, since it blocks while it waits for its steps.
  private static func runOnNewThread(_ arguments: [String]) async -> CommandResult {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: TestConsole.run(arguments)) }
    }
  }

  @Test func `A model has the same outputs in both runtimes`() throws {
    let testCases = SavedModelCase.all("cases").filter { $0.name.hasPrefix("picture-t") }
    #expect(testCases.count == 2)
    let results = try testCases.map { testCase in
      try Model(at: testCase.bundle).run(try testCase.input)["probabilities"].value(
        as: [Float].self)
    }
    #expect(zip(results[0], results[1]).allSatisfy { abs($0 - $1) <= 1e-4 }, "\(results)")
    #expect(results[0].count == 3 && abs(results[0].reduce(0, +) - 1) < 1e-5)
  }

  @Test func `There are cases of every kind`() {
    let counts = ["cases", "batches", "training"].map { SavedModelCase.all($0).count }
    #expect(counts[0] > 60 && counts[1] > 9 && counts[2] > 10, "\(counts)")
    #expect(SavedModelCase.all("training").filter(\.isOneBatch).count > 5)
  }
}
