package import TensorIOBundle
package import TensorIOCore

/// Question answering: the section of a text that answers a question.
package struct QuestionAnsweringTask: ModelTask {
  package static let format = TaskFormat(
    "question-answering", requiredOutputs: [.role(.startScores), .role(.endScores)],
    interface: TaskInterface(
      "answers", .init("answers", type: "[Answer]", "The answers, most probable first.")
    ).with { $0.takesQuestion = true }
  ) {
    maxTokens
    top
    Field(
      windowKey, .count, otherwise: "none: the whole text",
      """
      The maximum number of tokens of a question and a section of the text, for tensors of variable length.
      """
    ).example("384")
    TextWindows.overlapSetting
  }

  static let windowKey = "window"
  private static let maxTokens = TaskSetting.count(
    "max_tokens", default: Options().maxTokens, "The maximum number of tokens of an answer."
  ).example("10")
  private static let top = TaskSetting.count(
    "top", default: Options().top, "The maximum number of answers, at least 1."
  ).example("10")

  /// The limits of answers.
  package struct Options: Sendable {
    /// The maximum number of tokens of an answer.
    package var maxTokens = 30
    /// The maximum number of answers.
    package var top = 3
  }

  /// The number of sections of a window that are kept.
  private static let candidateCount = 100

  package var options = Options()
  /// The names of the outputs with the scores.
  package let startOutput: String
  package let endOutput: String

  /// Whether the input is text, without which there is only a score for each token.
  private let takesText: Bool

  package init(_ model: ModelInfo) throws(ModelError) {
    takesText = model.takesText
    (startOutput, endOutput) = (try model.output(.startScores), try model.output(.endScores))
    (options.maxTokens, options.top) = (model[Self.maxTokens], model[Self.top])
  }

  package mutating func apply(_ options: ResultOptions) {
    self.options.top = options.top ?? self.options.top
  }

  package var replacedOutputs: Set<String> { [startOutput, endOutput] }

  package var resultColumn: ResultColumn.Member? {
    takesText ? .init(Self.resultName, AnswerResult.column(of: [])) : nil
  }

  package static func forms(for description: ModelDescription) -> [ResultForm] { [.texts] }

  package func reading(as form: ResultForm) -> ResultReading? {
    .texts { (output) throws(ModelError) in try result(of: output).map(\.text) }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    guard !output.texts.isEmpty else { return .outputs }
    return .result(AnswerResult(answers: try result(of: output)), replacing: replacedOutputs)
  }

  /// Returns the answers, most probable first, without overlaps.
  ///
  /// If the text was divided into windows, the answers are the best ones of all windows.
  package func result(of output: ModelOutput) throws(ModelError) -> [Answer] {
    guard let first = output.texts.first else { return [] }
    var spans: [Span] = []
    for (window, text) in ([first] + first.followingWindows).enumerated() {
      guard window <= output.followingLayers.count else { break }
      let layers =
        window == 0 ? output : ModelOutput(layers: output.followingLayers[window - 1])
      let starts = try scores(startOutput, of: layers, text)
      let ends = try scores(endOutput, of: layers, text)
      spans += self.spans(of: text, starts, ends)
    }
    spans.sort { $0.score > $1.score }
    var answers: [Answer] = []
    for span in spans where answers.count < options.top {
      guard !answers.contains(where: { $0.range.overlaps(span.range) }),
        let content = span.text.text(fromToken: span.first, through: span.last)
      else { continue }
      answers.append(Answer(text: content, range: span.range, score: span.score))
    }
    return answers
  }

  /// A section of a text.
  private struct Span {
    let text: TokenizedText
    let first: Int
    let last: Int
    let range: Range<Int>
    let score: Float
  }

  /// Returns the most probable answers in one window.
  private func spans(of text: TokenizedText, _ starts: [Float], _ ends: [Float]) -> [Span] {
    // Answers are in the last text: the second one of a question with its context.
    let index = max(0, text.texts.count - 1)
    let tokens = text.ids.indices.filter {
      text.textIndices[$0] == index && starts[$0].isFinite && ends[$0].isFinite
    }
    // Models choose the special token at the beginning if the text has no answer.
    let beginning = text.mask.firstIndex(of: 1).flatMap { text.ranges[$0] == nil ? $0 : nil }
    let firsts = Self.probabilities(of: starts, tokens, beginning)
    let lasts = Self.probabilities(of: ends, tokens, beginning)
    var candidates: [(first: Int, last: Int, score: Float)] = []
    for (place, first) in tokens.enumerated() where firsts[first] > 0 {
      for last in tokens[place...] {
        guard last - first < options.maxTokens else { break }
        if lasts[last] > 0 { candidates.append((first, last, firsts[first] * lasts[last])) }
      }
    }
    candidates.sort { $0.score > $1.score }
    return candidates.prefix(Self.candidateCount).compactMap { first, last, score in
      text.byteRange(fromToken: first, through: last).map {
        Span(text: text, first: first, last: last, range: $0, score: score)
      }
    }
  }

  /// Returns the probability of each token among some tokens and the beginning.
  private static func probabilities(
    of scores: [Float], _ tokens: [Int], _ beginning: Int?
  ) -> [Float] {
    var probabilities = [Float](repeating: 0, count: scores.count)
    let all = tokens + [beginning].compactMap { $0.flatMap { scores[$0].isFinite ? $0 : nil } }
    guard let best = all.lazy.map({ scores[$0] }).max() else { return probabilities }
    var sum: Float = 0
    for token in all {
      probabilities[token] = exponential(scores[token] - best)
      sum += probabilities[token]
    }
    for token in all { probabilities[token] /= sum }
    return probabilities
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
