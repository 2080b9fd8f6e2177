import Testing
@testable import TensorIOEvaluation

private struct ClassificationCase: Decodable {
  struct Probabilities: Decodable {
    let loss, brier, ece: Double
    let counts: [Int]
    let accuracies, confidences: [Double]
  }

  let scores: [[Float]]
  let truth: [Int]
  let top: [String: Double]
  let accuracy, balanced: Double
  let occurring: [Int]
  let confusion: [[Int]]
  let perClass: [[Double]]
  let averages: [String: [Double?]]
  let probabilities: Probabilities?

  func metric() throws -> ClassificationMetric {
    var metric = ClassificationMetric(topK: top.keys.compactMap { Int($0) })
    for (scores, truth) in zip(scores, truth) { try metric.add(scores, groundTruth: truth) }
    return metric
  }
}

@Suite struct ClassificationReferenceTests {
  static let files = Reference.files(of: "classification")

  @Test(arguments: files)
  func `labels are judged as scikit-learn judges them`(file: Reference) throws {
    for example in try file.cases(ClassificationCase.self) {
      let metric = try example.metric()
      let confusion = metric.confusion
      for (depth, share) in example.top {
        #expect(agree(metric.topK.accuracy(k: try #require(Int(depth))), share))
      }
      #expect(agree(confusion.accuracy, example.accuracy))
      #expect(agree(confusion.balancedAccuracy, example.balanced))
      #expect(confusion.classes == example.occurring)
      #expect(confusion.rows(of: example.occurring) == example.confusion)
      let classes = confusion.perClass
      #expect(agree(classes.map(\.scores.precision), example.perClass[0]))
      #expect(agree(classes.map(\.scores.recall), example.perClass[1]))
      #expect(agree(classes.map(\.scores.f1), example.perClass[2]))
      #expect(classes.map { Double($0.support) } == example.perClass[3])
    }
  }

  @Test(arguments: files)
  func `averages are scikit-learn's`(file: Reference) throws {
    for example in try file.cases(ClassificationCase.self) {
      let confusion = try example.metric().confusion
      for averaging in Averaging.allCases {
        let scores = confusion.average(averaging)
        let expected = try #require(example.averages[averaging.rawValue])
        #expect(agree([scores.precision, scores.recall, scores.f1], expected))
      }
    }
  }

  @Test(arguments: files)
  func `probabilities are judged as scikit-learn judges them`(file: Reference) throws {
    for example in try file.cases(ClassificationCase.self) {
      let ours = try example.metric().probabilities
      let theirs = example.probabilities
      #expect(agree(ours.logLoss, theirs?.loss))
      #expect(agree(ours.brierScore, theirs?.brier))
      #expect(agree(ours.calibration?.expectedCalibrationError, theirs?.ece))
      let bins = ours.calibration?.bins ?? []
      #expect(bins.map(\.count) == theirs?.counts ?? [])
      #expect(agree(bins.compactMap(\.accuracy), theirs?.accuracies ?? []))
      #expect(agree(bins.compactMap(\.confidence), theirs?.confidences ?? []))
    }
  }
}
