import TensorIOTestSupport
import Testing

@testable import TensorIOData
@testable import TensorIOEvaluation

private struct AnswerCase: Decodable {
  let answer: String
  let correct: [String]
  let exact: Bool
  let f1: Double
  let rouge: Double
}

private struct EntityCase: Decodable {
  struct Sentence: Decodable {
    let actual, predicted: [String]
  }

  let sentences: [Sentence]
  let metrics: [String: Double]
}

/// The metrics of answers and of labeled sections agree with those of SQuAD and seqeval.
@Suite struct TextReferenceTests {
  @Test(arguments: Reference.files(of: "answers"))
  func `The scores of answers match SQuAD's formulas`(file: Reference) throws {
    var metric = AnswerMetric()
    let cases = try file.cases(AnswerCase.self)
    for example in cases {
      let score = AnswerMetric.score(example.answer, correct: example.correct)
      #expect(score.isExact == example.exact, "\(example)")
      #expect(agree(score.overlap, example.f1), "\(example): \(score)")
      metric.add(score)
    }
    let exact = Double(cases.count(where: \.exact)) / Double(cases.count)
    let overlap = cases.reduce(0) { $0 + $1.f1 } / Double(cases.count)
    #expect(metric.values.map(\.name) == MetricNames.answers)
    #expect(agree(metric.values.map(\.value), [exact, overlap], within: 1e-9))
  }

  @Test(arguments: Reference.files(of: "answers"))
  func `ROUGE-L matches rouge_score`(file: Reference) throws {
    var metric = RougeMetric()
    let cases = try file.cases(AnswerCase.self)
    for example in cases {
      let score = RougeMetric.score(example.answer, expected: example.correct)
      #expect(agree(score, example.rouge), "\(example): \(score)")
      metric.add(score)
    }
    let mean = cases.reduce(0) { $0 + $1.rouge } / Double(cases.count)
    #expect(agree(metric.values.map(\.value), [mean], within: 1e-9))
  }

  @Test(arguments: Reference.files(of: "entities"))
  func `The metrics of labeled sections match seqeval`(file: Reference) throws {
    let folder = try TemporaryFolder()
    for example in try file.cases(EntityCase.self) {
      let (actual, predicted) = try (
        sentences(example.sentences.map(\.actual), in: folder),
        sentences(example.sentences.map(\.predicted), in: folder)
      )
      var metric = EntityMetric()
      for index in example.sentences.indices {
        let (truth, found) = (actual.entities(at: index), predicted.entities(at: index))
        for label in Set(truth.map(\.label)).union(found.map(\.label)) {
          let correct = Set(truth).intersection(found).count { $0.label == label }
          metric.add(
            .init(
              correct: correct, predicted: found.count { $0.label == label },
              actual: truth.count { $0.label == label }), of: label)
        }
      }
      let names = example.metrics.isEmpty ? [] : MetricNames.entities
      #expect(metric.values.map(\.name) == names)
      for value in metric.values {
        #expect(agree(value.value, example.metrics[value.name], within: 1e-9), "\(value.name)")
      }
    }
  }

  /// Reads sentences with these tags from a file.
  private func sentences(_ tags: [[String]], in folder: TemporaryFolder) throws -> TaggedSentences {
    let lines = tags.map { $0.map { "word \($0)\n" }.joined() }
    return try TaggedSentences(at: folder.write(lines.joined(separator: "\n"), to: "a.conll"))
  }
}
