import TensorIOBundle
import TensorIOEvaluation
import TensorIOTasks
import TensorIOTestSupport

/// Generates random reports with hostile texts and numbers.
struct RandomReport {
  /// Texts with special characters of HTML, CSV, JSON and terminals.
  static let hostileTexts = [
    "", "cat", "<script>alert(1)</script>", "\"quoted\" & 'so on' <b>", "]]><!-- -->",
    "a,b\nc\r\nd",
    "\u{1}\u{1B}[31m\u{7F}", "😀🏳️‍🌈", "日本語の分類", "\u{202E}turned", "\"\u{301}é", "=1+1", "&amp;",
    "{{x}} ${x} `x`", "</svg></style></title>", String(repeating: "W", count: 10_000),
    "e" + String(repeating: "\u{301}", count: 10_000),
  ]

  private var random: SeededGenerator
  private let numbers: [Double]

  /// Creates a generator, optionally one that also generates NaN.
  init(seed: Int, includingNaN: Bool = false) {
    random = SeededGenerator(seed: UInt64(seed))
    numbers =
      [0, -0.0, 1, 0.1, 1 / 3.0, -2.5e-300, 1e300, 97, .infinity, -.infinity]
      + (includingNaN ? [.nan] : [])
  }

  mutating func report() -> EvaluationReport {
    EvaluationReport(
      list(1...3) { $0.result() }, command: text(), date: text(), toolVersion: text(),
      machine: text())
  }

  private mutating func result() -> EvaluationResult {
    var result = EvaluationResult(
      model: EvaluatedModel(path: text(), name: text(), id: text(), version: text()), data: text())
    result.count = count()
    result.failedItems = list(0...3) {
      FailedItem(name: $0.text(), stage: .run, code: $0.text(), message: $0.text())
    }
    result.metrics = metrics(named: "metric")
    result.undefinedMetrics = list(0...2) { UndefinedMetric(name: $0.text(), reason: $0.text()) }
    let classMetrics = metrics(named: "class metric")
    result.classes = list(0...5) { random in
      ClassResult(
        label: random.text(), count: random.count(),
        metrics: classMetrics.map {
          MetricValue($0.name, random.number(), unit: $0.unit, direction: $0.direction)
        })
    }
    if Bool.random(using: &random) { result.confusion = confusion() }
    result.curves = list(0...4) { $0.curve() }
    result.errorCosts = list(0...3) {
      ErrorCost(truth: $0.text(), prediction: $0.text(), count: $0.count(), cost: $0.number())
    }
    result.calibration = list(0...4) {
      CalibrationBin(count: $0.count(), confidence: $0.number(), accuracy: $0.number())
    }
    result.samples = SamplePredictions(
      worst: list(0...3) { $0.sample() }, best: list(0...3) { $0.sample() })
    result.performance = performance()
    return result
  }

  private mutating func metrics(named name: String) -> [MetricValue] {
    (0..<Int.random(in: 0...5, using: &random)).map { index in
      MetricValue(
        "\(name) \(index)", values: list(0...4) { $0.number() },
        unit: MetricValue.Unit.allCases.randomElement(using: &random) ?? .fraction,
        direction: MetricValue.Direction.allCases.randomElement(using: &random) ?? .neither)
    }
  }

  private mutating func confusion() -> ConfusionResult {
    let labels = list(1...50) { $0.text() }
    return ConfusionResult(
      labels: labels,
      cells: list(0...20) { random in
        .init(
          actual: Int.random(in: labels.indices, using: &random.random),
          predicted: Int.random(in: labels.indices, using: &random.random), count: random.count())
      })
  }

  private mutating func curve() -> ResultCurve {
    ResultCurve(
      ResultCurve.Kind.allCases.randomElement(using: &random) ?? .roc, label: text(),
      area: Bool.random(using: &random) ? number() : nil,
      points: list(0...5) { .init($0.number(), $0.number()) })
  }

  private mutating func sample() -> SamplePrediction {
    var sample = SamplePrediction(
      name: text(), imagePath: Bool.random(using: &random) ? "/nowhere/" + text() : nil,
      groundTruth: text(), prediction: text(), isCorrect: Bool.random(using: &random),
      loss: number())
    sample.groundTruthBoxes = list(0...2) { $0.box(score: nil) }
    sample.predictedBoxes = list(0...2) { $0.box(score: $0.number()) }
    return sample
  }

  private mutating func box(score: Double?) -> SampleBox {
    SampleBox(
      label: text(), classIndex: Int.random(in: -5...40, using: &random),
      box: BoundingBox(xmin: number(), ymin: number(), xmax: number(), ymax: number()), score: score
    )
  }

  private mutating func performance() -> PerformanceResult {
    var performance = PerformanceResult()
    performance.stageLatencies = ["image", "run", "total"].prefix(
      Int.random(in: 0...3, using: &random)
    ).map {
      StageLatency(name: $0, mean: number(), p50: number(), p90: number(), p99: number())
    }
    performance.histogram = list(0...4) {
      HistogramBin(
        lowerMilliseconds: $0.number(), upperMilliseconds: $0.number(), count: $0.count())
    }
    performance.firstRunMilliseconds = Bool.random(using: &random) ? number() : nil
    performance.throughput = Bool.random(using: &random) ? number() : nil
    performance.peakMemoryBytes = Bool.random(using: &random) ? count() : nil
    performance.totalSeconds = number()
    performance.concurrency = count()
    return performance
  }
}

// MARK: Values

extension RandomReport {
  private mutating func text() -> String { Self.hostileTexts.randomElement(using: &random) ?? "" }

  private mutating func number() -> Double { numbers.randomElement(using: &random) ?? 0 }

  private mutating func count() -> Int { [0, 1, 7, 4096, .max].randomElement(using: &random) ?? 0 }

  private mutating func list<Value>(
    _ counts: ClosedRange<Int>, _ value: (inout RandomReport) -> Value
  ) -> [Value] {
    (0..<Int.random(in: counts, using: &random)).map { _ in value(&self) }
  }
}
