import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct ClassificationTaskTests {
  private func labels(_ task: String) throws -> [String] {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [4]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [4], "labels": "labels.txt"}"#,
      labels: "cat\ndog\nbird\nfish\n",
      extra: #""task": {"type": "classification"\#(task)}"#)
    let model = try bundle.open(
      .identity(TensorInfo(name: "t", elementType: .float32, shape: [1, 4])))
    let output = try model.run([0.1, 0.4, 0.3, 0.2] as [Float])
    return try ClassificationTask(model).result(of: output).map(\.label)
  }

  @Test(arguments: [
    ("", ["dog", "bird", "fish", "cat"]), (#", "top": 2"#, ["dog", "bird"]),
    (#", "threshold": 0.3"#, ["dog", "bird"]), (#", "allow": ["cat", "fish"]"#, ["fish", "cat"]),
    (#", "deny": ["dog"], "top": 1"#, ["bird"]),
    (#", "allow": ["dog", "cat"], "deny": ["dog"]"#, ["cat"]),
  ])
  func `The bundle's task selects labels`(task: String, expected: [String]) throws {
    #expect(try labels(task) == expected)
  }

  @Test func `Denied labels are not part of smoothed results`() throws {
    var smoother = ClassificationSmoother(decay: 0.5, minimumScore: 0)
    let selection = LabelSelection(top: 1, filter: LabelFilter(deny: ["dog"]))
    for scores in [[0.2, 0.9], [0.6, 0.8]] as [[Float]] {
      smoother.smooth(
        selection.entries(of: Classification(labels: ["cat", "dog"], scores: scores)))
    }
    #expect(smoother.entries?.map(\.label) == ["cat"])
    #expect(isClose(Double(smoother.entries?[0].score ?? 0), to: 0.4, within: 1e-6))
  }
}
