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

  /// Opens a classifier of three labels that returns its input.
  private func classifier(_ task: String, output: String = #""labels": "labels.txt""#) throws
    -> Model
  {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,3]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,3], \#(output)}"#,
      labels: "cat\ndog\nbird\n", extra: #""task": {"type": "classification"\#(task)}"#)
    return try bundle.open(
      .identity(
        TensorInfo(
          name: "t", elementType: .float32, shape: TensorShape(signedDimensions: [-1, 3]))))
  }

  private static let logits: [Float] = [1, 3, -2]

  @Test(
    arguments: [
      ("", logits), (#", "activation": "none""#, logits),
      (#", "activation": "softmax""#, [0.118_499_6, 0.875_600_6, 0.005_899_8]),
      (#", "activation": "sigmoid""#, [0.731_058_6, 0.952_574_1, 0.119_202_9]),
    ] as [(String, [Float])])
  func `Scores become probabilities wherever they are read`(task: String, expected: [Float]) throws
  {
    let model = try classifier(task)
    func isExpected(_ scores: [Float]) -> Bool {
      scores.count == expected.count
        && zip(scores, expected).allSatisfy { abs($0 - $1) < 1e-6 }
    }
    let output = try model.run(Self.logits)
    #expect(isExpected(try Classification(output["y"]).scores))
    #expect(isExpected(try output.classes.sorted { $0.index < $1.index }.map(\.score)))
    // Each item of a batch separately, and numbers without values for each item.
    let items = try model.run(batch: [Self.logits, [0, 0, 0], Self.logits])
    #expect(isExpected(try Classification(items[2]["y"]).scores))
    var floats = [Float](repeating: 0, count: 3)
    try model.run(Self.logits, into: &floats)
    #expect(isExpected(floats))
    var rows = [Float](repeating: 0, count: 6)
    let twice = Self.logits + Self.logits
    var span = rows.mutableSpan
    try model.run(rows: twice.span, into: &span, count: 2)
    #expect(isExpected(Array(rows[3...])))
    let joined = try model.run(rows: ["x": Tensor(twice, shape: [2, 3])])
    #expect(isExpected(Array(try joined.value(of: "y", as: [Float].self)[3...])))
  }

  @Test func `A single score without a label becomes a probability`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1], "role": "scores"}"#,
      extra: #""task": {"type": "classification", "activation": "sigmoid"}"#)
    let model = try bundle.open(
      .identity(TensorInfo(name: "t", elementType: .float32, shape: [1, 1])))
    for (logit, probability) in [(0, 0.5), (2, 0.880_797), (-200, 0), (200, 1)] as [(Float, Float)]
    {
      let output = try model.run([logit])
      #expect(abs(try output.value(of: "y", as: Float.self) - probability) < 1e-6)
      #expect(abs(try #require(output.classes.first).score - probability) < 1e-6)
    }
  }

  @Test func `Scores that are no numbers have no probabilities, and large ones do not overflow`()
    throws
  {
    let model = try classifier(#", "activation": "softmax""#)
    #expect(try Classification(model.run([1e38, 0, -1e38])["y"]).scores == [1, 0, 0])
    let invalid = try Classification(model.run([.nan, 0, 1])["y"]).scores
    #expect(invalid.allSatisfy { $0.isNaN })
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
