internal import TensorIOCore
internal import TensorIOData
internal import TensorIOTasks

/// Judges boxes the way COCO does.
struct DetectionJudge: Judge {
  /// The numbers of a box that was found: class, edges, score.
  private static let foundCount = 6
  /// The numbers of a box that is there: class, edges, area, whether it is a crowd.
  private static let trueCount = 7
  /// A thing counts as found from this overlap on, where a picture is shown.
  private static let shownOverlap = 0.5

  private let reader: DetectionReader
  /// From which score on a box is shown, as the bundle says.
  private let threshold: Double
  private let labels: [String]

  private var metric = DetectionMetric()
  private var samples = SampleAnswers()

  /// A judge that sees all that a detector finds, however unsure, as the figures want it.
  init(_ reader: DetectionReader, labels: [String]) {
    threshold = Double(reader.options.threshold)
    self.labels = labels
    var reader = reader
    (reader.options.threshold, reader.options.top) = (-.infinity, nil)
    self.reader = reader
  }

  /// How many boxes were found, they, and those that are there.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    guard case .boxes(let boxes) = example.truth else { throw Judgement.unreadable(example.place) }
    let found = try reader.read(output).all
    var numbers = [Double(found.count)]
    for thing in found {
      numbers += [Double(thing.index)] + thing.box.edges + [Double(thing.score)]
    }
    for box in boxes {
      let isPassedOver = box.isCrowd || box.isDifficult
      numbers += [Double(box.label)] + Box(box).edges + [box.area, isPassedOver ? 1 : 0]
    }
    return Judgement(numbers)
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    guard let (found, truth) = Self.boxes(judgement.numbers) else {
      throw Judgement.unreadable(item)
    }
    metric.add(found, truth: truth)
    samples.add(sample(found, truth, item))
  }

  private static func boxes(_ numbers: [Double]) -> (found: [FoundBox], truth: [TrueBox])? {
    guard let first = numbers.first, let count = Int(exactly: first), count >= 0,
      count <= numbers.count / foundCount
    else { return nil }
    let split = 1 + count * foundCount
    guard split <= numbers.count, (numbers.count - split).isMultiple(of: trueCount) else {
      return nil
    }
    let found = stride(from: 1, to: split, by: foundCount).compactMap { start in
      Int(exactly: numbers[start]).map {
        FoundBox(category: $0, box: Box(numbers, at: start + 1), score: numbers[start + 5])
      }
    }
    let truth = stride(from: split, to: numbers.count, by: trueCount).compactMap { start in
      Int(exactly: numbers[start]).map {
        TrueBox(
          category: $0, box: Box(numbers, at: start + 1), area: numbers[start + 5],
          isCrowd: numbers[start + 6] != 0)
      }
    }
    return (found, truth)
  }
}

// MARK: Showing

extension DetectionJudge {
  /// A picture is the worse, the more things were not found and the more was found that is not there.
  private func sample(
    _ found: [FoundBox], _ truth: [TrueBox], _ item: ItemPlace
  ) -> SampleAnswer {
    let wanted = truth.filter { !$0.isCrowd }
    let shown = found.filter { $0.score >= threshold }
    let missed = wanted.count { !$0.isMatched(by: shown, Self.shownOverlap) }
    let stray = shown.count { box in !truth.contains { $0.isMatched(by: [box], Self.shownOverlap) } }
    var sample = SampleAnswer(
      name: item.name, picture: item.picture, truth: "\(wanted.count) things",
      found: "\(wanted.count - missed) found, \(stray) too many", isRight: missed + stray == 0,
      loss: missed + stray == 0 ? -Double(wanted.count) : Double(missed + stray))
    sample.trueBoxes = truth.map {
      SampleBox(label: label(of: $0.category), index: $0.category, box: $0.box)
    }
    sample.foundBoxes = shown.map {
      SampleBox(
        label: label(of: $0.category), index: $0.category, box: $0.box, score: $0.score)
    }
    return sample
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  func report(into result: inout EvaluationResult) {
    let report = metric.report
    result.figures += report.figures
    result.classes = report.categories.compactMap(report.category).map { category in
      ClassResult(
        label: label(of: category.category), count: category.count,
        figures: [
          .share("ap", category.averagePrecision), .share("ap50", category.averagePrecision50),
          .share("ar", category.averageRecall),
        ].compactMap(\.self))
    }
    result.curves = report.categories.compactMap { curve(of: $0, report) }
    result.samples = samples
  }

  private func curve(of category: Int, _ report: DetectionReport) -> ResultCurve? {
    guard let precisions = report.precisions(of: category) else { return nil }
    return ResultCurve(
      .precisionRecall, label: label(of: category),
      area: report.category(category)?.averagePrecision50,
      points: zip(DetectionScheme.recalls, precisions).map { .init($0, $1) })
  }
}

extension TrueBox {
  /// Whether one of some boxes is of this thing.
  fileprivate func isMatched(by found: [FoundBox], _ overlap: Double) -> Bool {
    found.contains { $0.category == category && $0.box.intersectionOverUnion(box) >= overlap }
  }
}

extension Box {
  fileprivate init(_ box: AnnotatedBox) {
    self.init(xmin: box.xmin, ymin: box.ymin, xmax: box.xmax, ymax: box.ymax)
  }

  /// The box whose edges begin at a place of a list.
  fileprivate init(_ numbers: [Double], at start: Int) {
    self.init(
      xmin: numbers[start], ymin: numbers[start + 1], xmax: numbers[start + 2],
      ymax: numbers[start + 3])
  }

  fileprivate var edges: [Double] { [xmin, ymin, xmax, ymax] }
}
