import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct EvaluatorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func result(
    _ bundle: FunctionBundle, _ data: String,
    _ body: @escaping FunctionRunner.Body
  ) throws -> EvaluationResult {
    let plan = try EvaluationPlan(bundle.read(), dataAt: data)
    let model = try bundle.model(body)
    return try Evaluation(plan) { _ in model }.run()
  }

  private func metrics(_ result: EvaluationResult) -> [String: Double] {
    Dictionary(
      result.metrics.compactMap { metric in metric.value.map { (metric.name, $0) } },
      uniquingKeysWith: { first, _ in first })
  }

  @Test func `Regression samples are those with the largest and smallest errors`() throws {
    let bundle = try FunctionBundle(model: FunctionBundle.function)
    let rows = (0..<100).map { "\"[\($0),0]\",\"[\($0 + $0 % 10),0]\"\n" }.joined()
    let data = try folder.write("x,y\n" + rows, to: "data.csv")
    let result = try result(bundle, data) { (input) throws(ModelError) in
      guard case .named(let values) = input, let x = values["x"] else { return .empty }
      return ModelOutput(layers: [.init(name: "y", value: x)])
    }
    #expect(metrics(result)["mae"].map { abs($0 - 2.25) < 1e-12 } == true)
    #expect(metrics(result)["max_error"] == 9)
    #expect(result.samples.worst.count == 12 && result.samples.best.count == 12)
    #expect(result.samples.worst.allSatisfy { $0.loss >= 8 })
    #expect(result.samples.best.allSatisfy { $0.loss <= 1 })
  }

  @Test func `Equal losses of samples are spread over the classes`() {
    var samples = SamplePredictions()
    for index in 0..<60 {
      samples.add(
        SamplePrediction(
          name: "\(index)", imagePath: nil, groundTruth: ["a", "b", "c"][index / 20],
          prediction: "", isCorrect: true, loss: index == 59 ? -1 : 0))
    }
    #expect(samples.best.first?.name == "59" && samples.best.count == SamplePredictions.maxCount)
    let counts = Dictionary(grouping: samples.best, by: \.groundTruth).mapValues(\.count)
    #expect(counts.values.allSatisfy { (4...5).contains($0) } && counts.count == 3, "\(counts)")
  }

  @Test func `The best threshold has the largest F1 score`() throws {
    let predictions: [(score: Double, isRight: Bool)] = [
      (0.9, true), (0.8, true), (0.7, false), (0.6, true), (0.5, false), (0.4, false),
    ]
    let sweep = ThresholdSweep(predictions.thresholdSteps, positives: 4)
    let best = try #require(sweep.best(label: "a"))
    // 0.6 finds 3 of 4 with one mistake, 0.8 finds 2 without one.
    #expect(best.threshold == 0.6 && best.precision == 0.75 && best.recall == 0.75)
    #expect(best.f1 == 0.75 && best.method == .f1)
    #expect(sweep.curves(label: "a").map(\.kind) == [.f1, .precision, .recall])
    #expect(sweep.curves(label: "a")[1].points.map(\.x) == [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    #expect(ThresholdSweep([], positives: 4).best(label: "") == nil)
    #expect(ThresholdSweep(predictions.thresholdSteps, positives: 0).best(label: "") == nil)
  }

  @Test func `Masks are evaluated at the resolution of the ground truth`() throws {
    let result = try segmentation([0.9, 0.1, 0.2, 0.8, 0.9, 0.1, 0.6, 0.4], shape: [2, 2, 2])
    // The lower right quarter is predicted as the first class.
    #expect(result.failedItems.isEmpty && metrics(result)["pixel_accuracy"] == 0.75)
    #expect(metrics(result)["miou"] == (32.0 / 48 + 16.0 / 32) / 2)
  }

  @Test func `The summary of a mask has the classes that occur in it and in the prediction`() throws
  {
    let layer = Layer(name: "y", kind: .array(NumericLayer(shape: [2, 2, 3])))
    let evaluator = try SegmentationEvaluator(layer, labels: ["road", "car"])
    // Actual class, predicted class and number of pixels.
    let summary = evaluator.summary(of: ItemScore([0, 0, 5, 0, 2, 1, 1, 0, 2]))
    #expect(summary?.groundTruth == .labels(["road", "car"]))
    #expect(summary?.prediction == .labels(["road", "2"]))
    // 5 of 8 pixels are correct.
    #expect(summary?.isCorrect == false && summary?.loss == 0.375)
    #expect(evaluator.summary(of: ItemScore([0, 0])) == nil)
  }

  @Test(arguments: [2, 4, 12])
  func `An output with an undeclared number of values is an error of the item`(
    _ count: Int
  ) throws {
    let scores = [Float](repeating: 0.5, count: count)
    let result = try segmentation(scores, shape: [1, count / 2, 2])
    #expect(result.count == 0 && result.failedItems.map(\.code) == ["wrong-count"])
    #expect(result.failedItems.first?.stage == .output)
  }

  /// Evaluates scores of 2 × 2 cells and two classes against a mask whose left half is class 0 and
  /// whose right half is class 1.
  private func segmentation(_ scores: [Float], shape: [Int]) throws -> EvaluationResult {
    let bundle = try FunctionBundle(
      inputs: #"{"name": "x", "type": "image", "shape": [4, 4, 3], "format": "RGB"}"#,
      outputs: #"{"name": "classes", "type": "array", "shape": [2, 2, 2]}"#,
      model: FunctionBundle.function)
    try folder.draw("images/a.png", gray: 9)
    try folder.write(mask(left: 0, right: 1), to: "masks/a.png")
    return try result(bundle, folder.path) { _ in
      ModelOutput(layers: [
        .init(name: "classes", value: .numbers(Numbers(.floats(scores), shape: shape)))
      ])
    }
  }

  private func mask(left: UInt8, right: UInt8) throws -> [UInt8] {
    let pixels = (0..<64).map { $0 % 8 < 4 ? left : right }
    return try ImageBuffer(width: 8, height: 8, format: .gray, pixels: pixels)
      .encoded(as: ImageEncoding.png)
  }

  @Test func `A test bundle is evaluated against its expected labels`() throws {
    let bundle = try FunctionBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [4, 4, 3], "format": "RGB"}"#,
      outputs:
        #"{"name": "classification", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      model: FunctionBundle.function, labels: "dark\nlight\n")
    try folder.draw("t.testbundle/images/01.png", gray: 9)
    try folder.draw("t.testbundle/images/02.png", gray: 9)
    try folder.write(
      """
      {"name": "T", "id": "t", "version": "1", "models": ["test"],
       "options": {"iterations": 2, "metric": "EvaluationMetricAccuracyTop5"},
       "images": [{"type": "file", "path": "images/01.png"}, {"type": "file", "path": "images/02.png"},
                  {"type": "file", "path": "images/03.png"},],
       "labels": [
         {"path": "images/01.png", "inference_results": {"classification": {"dark": ""}}},
         {"path": "images/02.png", "inference_results": {"classification": {"light": ""}}},
         {"path": "images/03.png", "inference_results": {"classification": {"light": ""}}},],}
      """, to: "t.testbundle/test.json")
    let result = try result(bundle, folder.path + "/t.testbundle") { _ in
      let classification = Classification(labels: ["dark", "light"], scores: [0.95, 0.05])
      return ModelOutput(layers: [
        .init(name: "classification", value: .classification(classification))
      ])
    }
    #expect(result.count == 2 && result.failedItems.count == 1)
    #expect(metrics(result)["top1"] == 0.5 && metrics(result)["top5-threshold"] == 0.5)
    #expect(result.performance.histogram.isEmpty || result.count == 2)
  }
}
