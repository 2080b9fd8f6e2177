import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

/// A task of an application that scores its results itself: the number of scores above a half.
private struct CountingTask: EvaluatedTask {
  static let format = TaskFormat("test-counting", outputs: [.scores])
  static let groundTruth = [GroundTruthColumn.number("count"), .text("unit")]

  private let scores: String

  init(_ model: ModelInfo) throws(ModelError) { scores = try model.output(.scores) }

  func result(of output: ModelOutput) throws(ModelError) -> Int {
    let scores: [Float] = try output.value(of: self.scores)
    return scores.count { $0 > 0.5 }
  }

  func scores(
    of count: Int, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    guard try String(groundTruth["unit"] ?? .strings([""])) == "piece" else {
      throw ModelError(.input, .invalidValue("pieces are counted"))
    }
    #expect(groundTruth.keys.sorted() == ["count", "unit"])
    return ["count_error": abs(Double(count) - (groundTruth["count"]?.number ?? .nan))]
  }
}

@Suite struct EvaluatedTaskTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    TaskRegistry.register(CountingTask.self)
  }

  /// Evaluates a model that returns three scores, of which as many as its input are high.
  private func result(
    _ content: String, in file: String = "data.csv"
  ) throws -> (EvaluationPlan, EvaluationResult) {
    let bundle = try FunctionBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [3], "role": "scores"}"#,
      model: FunctionBundle.function, extra: #""task": {"type": "test-counting"}"#)
    let model = try bundle.model { (input) throws(ModelError) in
      let high = Int(input.number("x") ?? 0)
      return ModelOutput(layers: [
        ModelOutput.Layer(
          name: "y",
          value: .numbers(Numbers(.floats((0..<3).map { $0 < high ? 1 : 0 }), shape: [3])))
      ])
    }
    let path = try folder.write(Array(content.utf8), to: file)
    let plan = try EvaluationPlan(bundle.read(), dataAt: path)
    return (plan, try Evaluation(plan) { _ in model }.run())
  }

  @Test func `A task scores its results with columns of a table`() throws {
    let (plan, result) = try result("x,count,unit\n1,1,piece\n2,3,piece\n3,1,piece\n")
    #expect(result.failedItems.map(\.message) == [])
    #expect(plan.metricNames == nil)
    #expect(result.metrics.first { $0.name == "count_error" }?.value == 1)
    let gate = try Gate("count_error<=2")
    #expect(try gate.evaluate(result.metrics).passes)
  }

  @Test func `Only the items that the task cannot score fail`() throws {
    let (_, result) = try result("x,count,unit\n1,1,piece\n2,3,crate\n")
    #expect(result.failedItems.map(\.message).allSatisfy { $0.contains("pieces are counted") })
    #expect(result.failedItems.count == 1)
    #expect(result.metrics.first { $0.name == "count_error" }?.value == 0)
  }

  @Test func `A task scores its results with members of JSON lines`() throws {
    let (_, result) = try result(
      #"{"x": 1, "count": 1, "unit": "piece"}"# + "\n" + #"{"x": 2, "count": 4, "unit": "piece"}"#,
      in: "data.ndjson")
    #expect(result.failedItems.map(\.message) == [])
    #expect(result.metrics.first { $0.name == "count_error" }?.value == 1)
  }

  @Test func `Folders of classes have no columns of a task`() throws {
    try folder.draw("images/3/a.png", gray: 9)
    let bundle = try FunctionBundle(
      inputs: #"{"name": "x", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [3], "role": "scores"}"#,
      model: FunctionBundle.function, extra: #""task": {"type": "test-counting"}"#)
    let error = #expect(throws: ModelError.self) {
      try EvaluationPlan(bundle.read(), dataAt: folder.path + "/images")
    }
    #expect(error?.description.contains("requires a table or JSON lines") == true)
  }

  @Test func `A table without a column of the task is an error that names it`() throws {
    let error = #expect(throws: ModelError.self) { try result("x,count\n1,1\n") }
    #expect(error?.description.contains("unit") == true)
  }
}
