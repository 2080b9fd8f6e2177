import Foundation
import Synchronization
import TensorIOCore
import TensorIOData
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct EvaluationTests {
  /// Gives the label at index `x` a score of 0.7, the next one 0.2 and the last 0.1; fails above 2.
  static let scores: FunctionRunner.Body = { (input) throws(ModelError) in
    guard let x = input.number("x"), x < 3 else { throw ModelError(.run, .failed("too large")) }
    let scores = (0..<3).map { Float([0.7, 0.2, 0.1][($0 - Int(x) + 3) % 3]) }
    let classification = Classification(labels: ["fig", "plum", "pear"], scores: scores)
    return ModelOutput(layers: [.init(name: "scores", value: .classification(classification))])
  }

  private let folder: TemporaryFolder
  private let bundle: FunctionBundle

  init() throws {
    folder = try TemporaryFolder()
    bundle = try FunctionBundle.classifier()
  }

  private func data(_ rows: [(Double, String)]) throws -> String {
    try folder.write(
      "x,label\n" + rows.map { "\($0.0),\($0.1)\n" }.joined(), to: "data.csv")
  }

  private func evaluation(
    _ data: String, concurrency: Int = 1, iterations: Int = 1,
    customMetric: (any CustomMetric)? = nil,
    _ body: @escaping FunctionRunner.Body = scores
  ) throws -> Evaluation {
    var plan = try EvaluationPlan(bundle.read(), dataAt: data)
    if let customMetric { plan = plan.adding(customMetric) }
    var options = Evaluation.Options()
    (options.concurrency, options.iterations) = (concurrency, iterations)
    let model = try bundle.model(body)
    return try Evaluation(plan, options) { _ in model }
  }

  private static let rows: [(Double, String)] = [
    (0, "fig"), (1, "plum"), (2, "pear"), (0, "plum"), (1, "pear"), (5, "fig"),
  ]

  @Test func `Each line of a log names the ground truth and the prediction`() throws {
    let evaluation = try evaluation(data([(0, "fig"), (1, "pear")]))
    let path = "\(folder.path)/log.ndjson"
    let header = EvaluationLogHeader(bundleDigest: "", data: "", count: 2, options: [])
    let log = try EvaluationLog(at: path, of: header, resuming: false)
    _ = try evaluation.run(log: log)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains(#""ground_truth":"fig","prediction":"fig""#), "\(lines)")
    #expect(lines[2].contains(#""ground_truth":"pear","prediction":"plum""#), "\(lines)")
  }

  @Test func `All reported metrics are among those that the plan announces`() throws {
    let plan = try EvaluationPlan(bundle.read(), dataAt: data(Self.rows))
    let result = try evaluation(data(Self.rows)).run()
    let names = try #require(plan.metricNames)
    let reported =
      result.metrics + result.performance.metrics + result.performance.stageMetrics
    #expect(reported.map(\.name).filter { !names.contains($0) } == [])
    #expect(result.metrics.map(\.name).contains("log_loss"))
  }

  @Test func `Labels are evaluated and failed items are listed`() throws {
    let result = try evaluation(data(Self.rows)).run()
    #expect(result.count == 5 && result.failedItems.map(\.name) == ["line 7"])
    #expect(result.failedItems.first?.code == "failed" && result.failedItems.first?.stage == .run)
    #expect(result.metrics.first?.name == "top1" && result.metrics["top1"]?.value == 0.6)
    #expect(result.metrics["top9"] == nil)
    #expect(result.classes.map(\.label) == ["fig", "plum", "pear"])
    #expect(result.classes.map(\.count) == [1, 2, 2])
    #expect(result.confusion?.labels == ["fig", "plum", "pear"])
    #expect(
      result.confusion?.cells == [
        .init(actual: 0, predicted: 0, count: 1), .init(actual: 1, predicted: 0, count: 1),
        .init(actual: 1, predicted: 1, count: 1), .init(actual: 2, predicted: 1, count: 1),
        .init(actual: 2, predicted: 2, count: 1),
      ])
    // Five curves of each class: ROC, precision over recall, and F1, precision and recall over the score.
    #expect(result.curves.count == 15 && result.calibration.map(\.count) == [5])
    #expect(result.samples.worst.map(\.name) == ["line 5", "line 6"])
    #expect(result.samples.best.map(\.name) == ["line 2", "line 3", "line 4"])
    #expect(
      result.performance.stageLatencies.map(\.name) == ["image", "input", "run", "output", "total"])
  }

  @Test(arguments: [1, 2, 5])
  func `Metrics do not depend on concurrency`(_ concurrency: Int) throws {
    let rows = (0..<200).map { (Double($0 * 7 % 4), ["fig", "plum", "pear"][$0 % 3]) }
    let path = try data(rows)
    let expected = try evaluation(path).run()
    let result = try evaluation(path, concurrency: concurrency).run()
    #expect(result.metrics == expected.metrics && result.failedItems == expected.failedItems)
    #expect(result.samples == expected.samples && result.confusion == expected.confusion)
    #expect(result.count == 150 && result.failedItems.count == 50)
  }

  @Test func `An item is run several times and evaluated once`() throws {
    let runs = Mutex(0)
    let evaluation = try evaluation(data([(0, "fig"), (1, "plum")]), iterations: 4) {
      (input) throws(ModelError) in
      runs.withLock { $0 += 1 }
      return try Self.scores(input)
    }
    let result = try evaluation.run()
    #expect(result.count == 2)
    #expect(runs.withLock { $0 } == 1 + 2 * 4)  // including the warm-up run
    #expect(result.performance.histogram.map(\.count).reduce(0, +) == 8)
  }

  @Test(arguments: 0...6)
  func `A resumed evaluation gives the same result`(_ recorded: Int) throws {
    let path = try data(Self.rows)
    let header = EvaluationLogHeader(bundleDigest: "b", data: path, count: 6, options: ["o"])
    let file = "\(folder.path)/log-\(recorded).ndjson"
    do {
      let log = try EvaluationLog(at: file, of: header, resuming: false)
      var done = 0
      let partial = try evaluation(path).run(log: log) { _ in
        done += 1
        return done < recorded ? .proceed : .finishPending
      }
      #expect(partial.count + partial.failedItems.count == max(1, recorded))
    }
    // A process that is killed can leave an incomplete line.
    try folder.write(bytes(of: file) + Array(#"{"item":5,"na"#.utf8), to: "log-\(recorded).ndjson")
    let log = try EvaluationLog(at: file, of: header, resuming: true)
    #expect(log.completedItems.count == max(1, recorded))
    let runs = Mutex(0)
    let evaluation = try evaluation(path) { (input) throws(ModelError) in
      runs.withLock { $0 += 1 }
      return try Self.scores(input)
    }
    let resumed = try evaluation.run(log: log)
    let uninterrupted = try self.evaluation(path).run()
    #expect(resumed.metrics == uninterrupted.metrics && resumed.samples == uninterrupted.samples)
    #expect(resumed.failedItems == uninterrupted.failedItems)
    #expect(resumed.count == uninterrupted.count)
    let pending = 6 - max(1, recorded)
    #expect(runs.withLock { $0 } == (pending == 0 ? 0 : pending + 1))
  }

  @Test func `The log of another evaluation is not changed`() throws {
    let header = EvaluationLogHeader(bundleDigest: "b", data: "d", count: 6, options: [])
    let file = "\(folder.path)/log.ndjson"
    _ = try EvaluationLog(at: file, of: header, resuming: false)
    let before = bytes(of: file)
    var other = header
    other.bundleDigest = "c"
    #expect(throws: ModelError.self) {
      try EvaluationLog(at: file, of: other, resuming: true)
    }
    #expect(throws: ModelError(.run, .alreadyExists(file))) {
      try EvaluationLog(at: file, of: header, resuming: false)
    }
    #expect(bytes(of: file) == before)
  }

  @Test func `Items beyond the dataset in a log do not count`() throws {
    let path = try data([(0, "fig")])
    let header = EvaluationLogHeader(bundleDigest: "b", data: path, count: 1, options: [])
    let file = "\(folder.path)/edited.ndjson"
    do {
      let log = try EvaluationLog(at: file, of: header, resuming: false)
      let failure = FailedItem(name: "x", stage: .run, code: "failed", message: "failed")
      try log.append(EvaluatedItem(index: 7, name: "x", outcome: .failed(failure)))
    }
    let log = try EvaluationLog(at: file, of: header, resuming: true)
    let result = try evaluation(path).run(log: log)
    #expect(result.count == 1 && result.failedItems.isEmpty)
    #expect(result.performance.throughput ?? 0 > 0)
  }

  @Test func `A custom metric is evaluated in addition`() throws {
    struct CorrectScore: CustomMetric {
      func evaluate(
        _ output: ModelOutput, groundTruth: [String: LayerValue]
      ) throws(ModelError) -> [String: Double] {
        let index =
          try groundTruth["label"].map { (value) throws(ModelError) in try Int(value) } ?? 0
        return ["correct_score": Double(try Classification(output["scores"]).scores[index])]
      }
    }
    let result = try evaluation(data(Self.rows), customMetric: CorrectScore()).run()
    let mean = try #require(result.metrics.first { $0.name == "correct_score" }?.value)
    #expect(abs(mean - (0.7 * 3 + 0.2 * 2) / 5) < 1e-7)
  }

  @Test func `Only items that match a filter are evaluated`() throws {
    var plan = try EvaluationPlan(bundle.read(), dataAt: data(Self.rows))
    try plan.filter(DatasetFilter(parsing: "label=plum"))
    let model = try bundle.model(Self.scores)
    let result = try Evaluation(plan) { _ in model }.run()
    #expect(result.count == 2 && result.metrics.first?.value == 0.5)
  }

  private func bytes(of path: String) -> [UInt8] {
    (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
  }
}
