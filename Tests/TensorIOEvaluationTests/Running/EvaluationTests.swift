import Foundation
import Synchronization
import TensorIOCore
import TensorIOData
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct EvaluationTests {
  /// The label at a number's place has 0.7, the next 0.2, the last 0.1; above 2 nothing works.
  static let scores: FunctionRunner.Body = { (input) throws(ModelError) in
    guard let x = input.number("x"), x < 3 else { throw ModelError(.run, .failed("too large")) }
    let scores = (0..<3).map { Float([0.7, 0.2, 0.1][($0 - Int(x) + 3) % 3]) }
    let answer = Classification(labels: ["fig", "plum", "pear"], scores: scores)
    return ModelOutput(layers: [.init(name: "scores", value: .classification(answer))])
  }

  private let folder: TemporaryFolder
  private let bundle: FunctionBundle

  init() throws {
    folder = try TemporaryFolder()
    bundle = try FunctionBundle.labelled()
  }

  private func data(_ rows: [(Double, String)]) throws -> String {
    try folder.write(
      "x,label\n" + rows.map { "\($0.0),\($0.1)\n" }.joined(), to: "data.csv")
  }

  private func evaluation(
    _ data: String, workers: Int = 1, iterations: Int = 1, own: (any CustomMetric)? = nil,
    _ body: @escaping FunctionRunner.Body = scores
  ) throws -> Evaluation {
    var plan = try EvaluationPlan(bundle.read(), dataAt: data)
    if let own { plan = plan.adding(own) }
    var options = Evaluation.Options()
    (options.concurrency, options.iterations) = (workers, iterations)
    let model = try bundle.model(body)
    return try Evaluation(plan, options) { _ in model }
  }

  private static let rows: [(Double, String)] = [
    (0, "fig"), (1, "plum"), (2, "pear"), (0, "plum"), (1, "pear"), (5, "fig"),
  ]

  @Test func `labels are judged, and what fails is listed while the others go on`() throws {
    let result = try evaluation(data(Self.rows)).run()
    #expect(result.count == 5 && result.failedItems.map(\.name) == ["line 7"])
    #expect(result.failedItems.first?.code == "failed" && result.failedItems.first?.stage == .run)
    #expect(result.metrics.first?.name == "top1" && result.metrics.first?.value == 0.6)
    #expect(result.classes.map(\.label) == ["fig", "plum", "pear"])
    #expect(result.classes.map(\.count) == [1, 2, 2])
    #expect(result.confusion?.labels == ["fig", "plum", "pear"])
    #expect(
      result.confusion?.cells == [
        .init(actual: 0, predicted: 0, count: 1), .init(actual: 1, predicted: 0, count: 1),
        .init(actual: 1, predicted: 1, count: 1), .init(actual: 2, predicted: 1, count: 1),
        .init(actual: 2, predicted: 2, count: 1),
      ])
    #expect(result.curves.count == 6 && result.calibration.map(\.count) == [5])
    #expect(result.samples.worst.map(\.name) == ["line 5", "line 6"])
    #expect(result.samples.best.map(\.name) == ["line 2", "line 3", "line 4"])
    #expect(result.performance.stageLatencies.map(\.name) == ["picture", "input", "run", "output", "total"])
  }

  @Test(arguments: [1, 2, 5])
  func `the figures do not depend on how many work`(_ workers: Int) throws {
    let rows = (0..<200).map { (Double($0 * 7 % 4), ["fig", "plum", "pear"][$0 % 3]) }
    let path = try data(rows)
    let alone = try evaluation(path).run()
    let result = try evaluation(path, workers: workers).run()
    #expect(result.metrics == alone.metrics && result.failedItems == alone.failedItems)
    #expect(result.samples == alone.samples && result.confusion == alone.confusion)
    #expect(result.count == 150 && result.failedItems.count == 50)
  }

  @Test func `an item is run as often as is wanted, and judged once`() throws {
    let runs = Mutex(0)
    let evaluation = try evaluation(data([(0, "fig"), (1, "plum")]), iterations: 4) {
      (input) throws(ModelError) in
      runs.withLock { $0 += 1 }
      return try Self.scores(input)
    }
    let result = try evaluation.run()
    #expect(result.count == 2)
    #expect(runs.withLock { $0 } == 1 + 2 * 4)  // the first run is apart
    #expect(result.performance.histogram.map(\.count).reduce(0, +) == 8)
  }

  @Test(arguments: 0...6)
  func `what was interrupted is gone on with as if nothing had happened`(_ kept: Int) throws {
    let path = try data(Self.rows)
    let subject = EvaluationLogHeader(bundleDigest: "b", data: path, count: 6, options: ["o"])
    let file = "\(folder.path)/journal-\(kept).ndjson"
    do {
      let journal = try EvaluationLog(at: file, of: subject, resuming: false)
      var done = 0
      let part = try evaluation(path).run(log: journal) { _ in
        done += 1
        return done < kept ? .proceed : .finishPending
      }
      #expect(part.count + part.failedItems.count == max(1, kept))
    }
    // Half a line is what a killed process leaves.
    try folder.write(bytes(of: file) + Array(#"{"item":5,"na"#.utf8), to: "journal-\(kept).ndjson")
    let journal = try EvaluationLog(at: file, of: subject, resuming: true)
    #expect(journal.completedItems.count == max(1, kept))
    let runs = Mutex(0)
    let evaluation = try evaluation(path) { (input) throws(ModelError) in
      runs.withLock { $0 += 1 }
      return try Self.scores(input)
    }
    let resumed = try evaluation.run(log: journal)
    let whole = try self.evaluation(path).run()
    #expect(resumed.metrics == whole.metrics && resumed.samples == whole.samples)
    #expect(resumed.failedItems == whole.failedItems && resumed.count == whole.count)
    let open = 6 - max(1, kept)
    #expect(runs.withLock { $0 } == (open == 0 ? 0 : open + 1))
  }

  @Test func `another evaluation's file is not touched`() throws {
    let subject = EvaluationLogHeader(bundleDigest: "b", data: "d", count: 6, options: [])
    let file = "\(folder.path)/journal.ndjson"
    _ = try EvaluationLog(at: file, of: subject, resuming: false)
    let before = bytes(of: file)
    var other = subject
    other.bundleDigest = "c"
    #expect(throws: ModelError.self) {
      try EvaluationLog(at: file, of: other, resuming: true)
    }
    #expect(throws: ModelError(.run, .alreadyExists(file))) {
      try EvaluationLog(at: file, of: subject, resuming: false)
    }
    #expect(bytes(of: file) == before)
  }

  @Test func `a metric of one's own is judged besides`() throws {
    struct Surety: CustomMetric {
      func evaluate(
        _ output: ModelOutput, groundTruth truth: [String: LayerValue]
      ) throws(ModelError) -> [String: Double] {
        let index = try truth["label"].map { (value) throws(ModelError) in try Int(value) } ?? 0
        return ["surety": Double(try Classification(output["scores"]).scores[index])]
      }
    }
    let result = try evaluation(data(Self.rows), own: Surety()).run()
    let surety = try #require(result.metrics.first { $0.name == "surety" }?.value)
    #expect(abs(surety - (0.7 * 3 + 0.2 * 2) / 5) < 1e-7)
  }

  @Test func `only what a filter wants is judged`() throws {
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
