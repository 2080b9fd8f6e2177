import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOTasks

/// Evaluates lines of text: their outlines, and their texts if the model reads them.
struct TextLineEvaluator: Evaluator {
  private let read: ResultReading.Function<[TextLine]>
  /// Whether the model finds the lines of an image; otherwise it reads images of one line.
  private let findsLines: Bool
  private var metric: TextLineMetric
  private var samples = SamplePredictions()
  /// The metric without images, and that of each image.
  private let empty: TextLineMetric
  private var items: [TextLineMetric] = []

  init(_ model: ResultReader, findsLines: Bool, hasTexts: Bool) throws(ModelError) {
    // Lines with low scores are errors, if they are: those of a bundle are what programs get.
    read = try model.lines(findsLines ? ResultOptions() : .results(minimumScore: -.infinity))
    self.findsLines = findsLines
    empty = TextLineMetric(hasOutlines: findsLines, hasTexts: hasTexts)
    metric = empty
  }

  /// Returns the counts; the names are the expected and the found texts.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .lines(let truth) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let found = try read(output)
    let counts =
      findsLines
      ? try Self.counts(truth, found) : Self.counts(ofLine: truth.first?.text ?? "", found.first)
    return ItemScore(
      counts.values,
      names: [
        truth.filter { !$0.isIgnored }.map(\.text).joined(separator: "\n"),
        found.compactMap(\.text).joined(separator: "\n"),
      ])
  }

  private static func counts(ofLine truth: String, _ found: TextLine?) -> TextLineMetric.Counts {
    var counts = TextLineMetric.Counts()
    (counts.truth, counts.predicted) = (1, 1)
    counts.addPair(truth, found?.text ?? "")
    return counts
  }

  /// Pairs lines in descending order of their intersection over union.
  private static func counts(
    _ truth: [TextImages.Line], _ found: [TextLine]
  ) throws(ModelError) -> TextLineMetric.Counts {
    let overlaps = truth.map { line in found.map { $0.overlap(with: line.corners) } }
    var pairs: [(overlap: Double, truth: Int, found: Int)] = []
    for (line, row) in overlaps.enumerated() where !truth[line].isIgnored {
      for (index, overlap) in row.enumerated() where overlap >= TextLineMetric.minIoU {
        pairs.append((overlap, line, index))
      }
    }
    pairs.sort {
      $0.overlap != $1.overlap
        ? $0.overlap > $1.overlap : ($0.truth, $0.found) < ($1.truth, $1.found)
    }
    var counts = TextLineMetric.Counts()
    var (usedTruth, usedFound): (Set<Int>, Set<Int>) = ([], [])
    for pair in pairs where !usedTruth.contains(pair.truth) && !usedFound.contains(pair.found) {
      usedTruth.insert(pair.truth)
      usedFound.insert(pair.found)
      counts.addPair(truth[pair.truth].text, found[pair.found].text ?? "")
    }
    for (index, line) in truth.enumerated() where !line.isIgnored {
      counts.truth += 1
      if !usedTruth.contains(index) {
        counts.missedCharacters += TextLineMetric.characters(line.text).count
      }
    }
    for (index, line) in found.enumerated() {
      let isIgnored =
        !usedFound.contains(index)
        && truth.indices.contains {
          truth[$0].isIgnored && overlaps[$0][index] >= TextLineMetric.minIoU
        }
      if isIgnored { continue }
      counts.predicted += 1
      if !usedFound.contains(index) {
        counts.extraCharacters += TextLineMetric.characters(line.text ?? "").count
      }
    }
    return counts
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard score.names.count == 2, let counts = TextLineMetric.Counts(score.values) else {
      return nil
    }
    return ItemSummary(
      groundTruth: .label(score.names[0]), prediction: .label(score.names[1]),
      isCorrect: counts.errors == 0, loss: Double(counts.errors))
  }

  func itemMetrics() -> [any ItemMetric] { [MergedItems(items, empty: empty, itemCost: 30)] }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let counts = TextLineMetric.Counts(score.values), score.names.count == 2 else {
      throw ItemScore.malformed(item)
    }
    var single = empty
    single.add(counts)
    metric.add(single, times: 1)
    items.append(single)
    let errors = counts.errors
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: score.names[0],
        prediction: score.names[1], isCorrect: errors == 0,
        loss: errors == 0 ? -Double(counts.truth) : Double(errors)))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.samples = samples
  }
}

extension TextLineMetric.Counts {
  /// Lines that were missed or are none, and edits of the others.
  fileprivate var errors: Int { truth + predicted - 2 * matched + matchedEdits }

  /// The counts in the order of a score.
  fileprivate var values: [Double] {
    [
      truth, predicted, matched, exact, matchedEdits, matchedCharacters, missedCharacters,
      extraCharacters,
    ].map(Double.init)
  }

  /// Creates counts from a score; `nil` if it is malformed.
  fileprivate init?(_ values: [Double]) {
    let counts = values.compactMap { Int(exactly: $0) }
    guard counts.count == 8, values.count == 8, counts.allSatisfy({ $0 >= 0 }) else { return nil }
    self.init()
    (truth, predicted, matched, exact) = (counts[0], counts[1], counts[2], counts[3])
    (matchedEdits, matchedCharacters) = (counts[4], counts[5])
    (missedCharacters, extraCharacters) = (counts[6], counts[7])
  }
}
