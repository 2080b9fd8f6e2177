package import TensorIOBundle
package import TensorIOCore

/// Decodes the most probable answers from the scores of each token as first and last token.
package struct AnswerDecoder: TaskDecoder {
  /// The limits of answers.
  package struct Options: Sendable {
    /// The maximum number of tokens of an answer.
    package var maxTokens = 30
    /// The maximum number of answers.
    package var maxCount = 3
  }

  /// The number of first and last tokens that are combined.
  private static let candidateCount = 20

  package var options = Options()
  /// The names of the outputs with the scores.
  package let startOutput: String
  package let endOutput: String

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    guard let start = source.outputs.outputName(for: .startScores),
      let end = source.outputs.outputName(for: .endScores)
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "the task question-answering requires outputs with the roles start_scores and end_scores"),
        file: source.bundle.path)
    }
    (startOutput, endOutput) = (start, end)
    if let task = source.task {
      options.maxTokens = task.int("max_tokens") ?? options.maxTokens
      options.maxCount = task.int("top") ?? options.maxCount
    }
  }

  /// Returns the answers, most probable first, without overlaps.
  package func decode(_ output: ModelOutput) throws(ModelError) -> [Answer] {
    guard let text = output.texts.first else { return [] }
    let starts = try scores(startOutput, of: output, text)
    let ends = try scores(endOutput, of: output, text)
    // Answers are in the last text: the second one of a question with its context.
    let segment = Int32(max(0, text.texts.count - 1))
    let candidates = text.ids.indices.filter {
      text.ranges[$0] != nil && text.segments[$0] == segment && starts[$0].isFinite
        && ends[$0].isFinite
    }
    let spans = spans(candidates, starts, ends)
    guard let best = spans.first else { return [] }
    let sum = spans.reduce(Float(0)) { $0 + Self.weight($1.score, best.score) }
    var answers: [Answer] = []
    for span in spans where answers.count < options.maxCount {
      guard let range = text.byteRange(fromToken: span.first, through: span.last),
        !answers.contains(where: { $0.range.overlaps(range) }),
        let content = text.text(fromToken: span.first, through: span.last)
      else { continue }
      answers.append(
        Answer(
          text: content, range: range, score: Self.weight(span.score, best.score) / sum))
    }
    return answers
  }

  private typealias Span = (first: Int, last: Int, score: Float)

  private static func weight(_ score: Float, _ best: Float) -> Float { exponential(score - best) }

  private func spans(_ candidates: [Int], _ starts: [Float], _ ends: [Float]) -> [Span] {
    let firsts = candidates.sorted { starts[$0] > starts[$1] }.prefix(Self.candidateCount)
    let lasts = candidates.sorted { ends[$0] > ends[$1] }.prefix(Self.candidateCount)
    var spans: [Span] = []
    for first in firsts {
      for last in lasts where first <= last && last - first < options.maxTokens {
        spans.append((first, last, starts[first] + ends[last]))
      }
    }
    return spans.sorted { $0.score > $1.score }
  }

  private func scores(
    _ name: String, of output: ModelOutput, _ text: TokenizedText
  ) throws(ModelError) -> [Float] {
    let scores = try output.tensor(name).floats(ofLayer: name)
    guard scores.count == text.count else {
      throw ModelError(
        .output, .wrongCount(expected: text.count, actual: scores.count), layer: name)
    }
    return scores
  }
}
