import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct PermutationImportanceTests {
  /// A regression that uses the first number three times as much as the second, and not the third.
  private func measured(
    _ options: PermutationImportance.Options = .init()
  ) throws -> PermutationImportance {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 4)
    var table = "a,b,c,y\n"
    for _ in 0..<200 {
      let v = (0..<3).map { _ in Double.random(in: -1...1, using: &generator) }
      table += "\(v[0]),\(v[1]),\(v[2]),\(3 * v[0] - v[1])\n"
    }
    let path = try folder.write(table, to: "rows.csv")
    let bundle = try FunctionBundle(
      inputs: ["a", "b", "c"].map { #"{"name": "\#($0)", "type": "array", "shape": [1]}"# }
        .joined(separator: ","),
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#, model: FunctionBundle.function)
    let model = try bundle.model { (input) throws(ModelError) in
      let (a, b) = (input.number("a") ?? 0, input.number("b") ?? 0)
      return ModelOutput(layers: [.init(name: "y", value: .number(3 * a - b))])
    }
    let plan = try EvaluationPlan(model.bundle, dataAt: path)
    return try PermutationImportance(of: model, on: plan, options)
  }

  @Test func `The number that decides is first, and one that is unused costs nothing`() throws {
    let result = try measured()
    #expect(result.metric == "r2" && isClose(result.value, to: 1, within: 1e-9))
    #expect(result.rows.map(\.name) == ["a", "b", "c"] && result.count == 200)
    // The expected fall of R² is 2 · 9/10 and 2 · 1/10 of the variance.
    #expect(isClose(result.rows[0].importance, to: 1.8, within: 0.3))
    #expect(isClose(result.rows[1].importance, to: 0.2, within: 0.1))
    #expect(isClose(result.rows[2].importance, to: 0, within: 1e-9))
    #expect(result.rows[0].deviation > 0)
    #expect(try measured() == result)
  }

  @Test func `An error rises, and some items are enough`() throws {
    var options = PermutationImportance.Options()
    (options.metric, options.maxItems, options.concurrency) = ("mae", 50, 3)
    let result = try measured(options)
    #expect(result.metric == "mae" && result.count == 50 && result.rows[0].name == "a")
    #expect(result.rows[0].importance > 1)
    options.metric = "top1"
    #expect(throws: ModelError.self) { try measured(options) }
  }
}
