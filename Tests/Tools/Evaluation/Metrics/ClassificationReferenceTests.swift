import Testing

@testable import TensorIOEvaluation

private struct ClassificationCase: Decodable {
  struct Probabilities: Decodable {
    let logLoss, brierScore, ece: Double
    let counts: [Int]
    let accuracies, confidences: [Double]
  }

  let scores: [[Float]]
  let groundTruth: [Int]
  let top: [String: Double]
  let accuracy, balanced: Double
  let occurring: [Int]
  let confusion: [[Int]]
  let perClass: [[Double]]
  let averages: [String: [Double?]]
  let probabilities: Probabilities?

  func metric() throws -> ClassificationMetric {
    var metric = ClassificationMetric(topK: top.keys.compactMap { Int($0) })
    for (scores, label) in zip(scores, groundTruth) { try metric.add(scores, groundTruth: label) }
    return metric
  }
}

@Suite struct ClassificationReferenceTests {
  static let files = Reference.files(of: "classification")

  @Test(arguments: files)
  func `Accuracies and the confusion matrix match scikit-learn`(file: Reference) throws {
    for example in try file.cases(ClassificationCase.self) {
      let metric = try example.metric()
      let confusion = metric.confusion
      for (k, accuracy) in example.top {
        #expect(agree(metric.topK.accuracy(k: try #require(Int(k))), accuracy))
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
  func `Averages match scikit-learn`(file: Reference) throws {
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
  func `Probability metrics match scikit-learn`(file: Reference) throws {
    for example in try file.cases(ClassificationCase.self) {
      let actual = try example.metric().probabilities
      let expected = example.probabilities
      #expect(agree(actual.logLoss, expected?.logLoss))
      #expect(agree(actual.brierScore, expected?.brierScore))
      #expect(agree(actual.calibration?.expectedCalibrationError, expected?.ece))
      let bins = actual.calibration?.bins ?? []
      #expect(bins.map(\.count) == expected?.counts ?? [])
      #expect(agree(bins.compactMap(\.accuracy), expected?.accuracies ?? []))
      #expect(agree(bins.compactMap(\.confidence), expected?.confidences ?? []))
    }
  }
}
