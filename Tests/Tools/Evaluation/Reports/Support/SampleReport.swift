import TensorIOEvaluation
import TensorIOTasks
import TensorIOTestSupport

/// Small hand-made results with known output.
enum SampleReport {
  static let photograph = ProjectFiles.path("Examples/Data/shapes-over-photographs/0003.jpg")

  static func classifier(_ name: String, top1: Double, p50: Double) -> EvaluationResult {
    var result = EvaluationResult(
      model: EvaluatedModel(path: "\(name).tiobundle", name: name, id: name, version: "1"),
      data: "fruit")
    result.count = 10
    result.metrics = [
      MetricValue("top1", top1, unit: .fraction, direction: .higher),
      MetricValue("mae", values: [0.5, 1.25], direction: .lower),
    ]
    result.classes = [("fig", 6, 1), ("plum", 4, 0.5)].map { label, count, recall in
      ClassResult(
        label: label, count: count,
        metrics: [MetricValue("recall", recall, unit: .fraction, direction: .higher)])
    }
    result.confusion = ConfusionResult(
      labels: ["fig", "plum"],
      cells: [
        .init(actual: 0, predicted: 0, count: 6), .init(actual: 1, predicted: 0, count: 2),
        .init(actual: 1, predicted: 1, count: 2),
      ])
    result.performance.stageLatencies = [
      StageLatency(name: "total", mean: 2, p50: p50, p90: 3, p99: 4)
    ]
    return result
  }

  static func of(_ results: EvaluationResult...) -> EvaluationReport {
    EvaluationReport(
      results, command: "tensorio evaluate fig.tiobundle fruit", date: "2026-11-22T00:00:00Z",
      toolVersion: "0.1.0", machine: "x86_64, 2 threads")
  }

  /// Returns a result with predicted and ground-truth boxes in a photograph.
  static func detector() -> EvaluationResult {
    var result = EvaluationResult(
      model: EvaluatedModel(path: "shapes.tiobundle", name: "Shapes", id: "shapes", version: "1"),
      data: "photographs")
    result.count = 1
    var sample = SamplePrediction(
      name: "0003.jpg", imagePath: photograph, groundTruth: "2 objects",
      prediction: "1 detected, 1 false positives",
      isCorrect: false, loss: 2)
    sample.groundTruthBoxes = [
      SampleBox(
        label: "star", classIndex: 1, box: BoundingBox(xmin: 40, ymin: 30, xmax: 120, ymax: 110)),
      SampleBox(
        label: "ring", classIndex: 2, box: BoundingBox(xmin: 150, ymin: 90, xmax: 220, ymax: 160)),
    ]
    sample.predictedBoxes = [
      SampleBox(
        label: "star", classIndex: 1, box: BoundingBox(xmin: 44, ymin: 28, xmax: 122, ymax: 113),
        score: 0.93)
    ]
    result.samples.add(sample)
    return result
  }

  /// Returns a result with many classes, long labels and the maximum number of samples.
  static func large(classes: Int) -> EvaluationResult {
    var result = EvaluationResult(
      model: EvaluatedModel(path: "large.tiobundle", name: "Large", id: "large", version: "1"),
      data: "photographs")
    let labels = (0..<classes).map { "a class with a long name, number \($0)" }
    result.classes = labels.enumerated().map { index, label in
      ClassResult(
        label: label, count: 50,
        metrics: ["precision", "recall", "f1"].map {
          MetricValue($0, Double(index) / Double(classes), unit: .fraction, direction: .higher)
        })
    }
    let cells = (0..<classes).flatMap { actual in
      (0..<40).map {
        ConfusionResult.Cell(actual: actual, predicted: (actual + $0) % classes, count: 1)
      }
    }
    result.confusion = ConfusionResult(labels: labels, cells: cells)
    result.curves = labels.flatMap { label in
      ResultCurve.Kind.allCases.map { kind in
        ResultCurve(
          kind, label: label, area: 0.5,
          points: (0...1000).map { .init(Double($0) / 1000, (Double($0) / 1000).squareRoot()) })
      }
    }
    for number in 0..<SamplePredictions.maxCount {
      for isCorrect in [false, true] {
        result.samples.add(
          SamplePrediction(
            name: "\(number).jpg", imagePath: photograph, groundTruth: labels[0],
            prediction: labels[1],
            isCorrect: isCorrect, loss: 1))
      }
    }
    return result
  }
}
