package import TensorIOBundle
package import TensorIOCore

/// Token classification: sections of a text with labels, such as names.
package struct TokenClassificationTask: ModelTask {
  package static let format = TaskFormat(
    "token-classification", requiredOutputs: [.role(.tokenScores)],
    interface: TaskInterface(
      "entities",
      .init("entities", type: "[LabeledText]", "The sections of the text that have a label.")
    ).with {
      $0.labeledOutput = { outputs in outputs.first { $0.role == .tokenScores } }
      // A label is without its prefix in the result.
      $0.canList = { _, _ in false }
    }
  ) {
    joinsTokens
    minimumScore
  }

  private static let joinsTokens = TaskSetting.flag(
    "join", default: Options().joinsTokens,
    "Whether adjacent tokens with one label are one section."
  ).example("false")
  private static let minimumScore = TaskSetting.number(
    "threshold", in: .fraction, default: Options().minimumScore,
    "The minimum score of a section, 0 to 1."
  ).example("0.5")

  /// How tokens become sections.
  package struct Options: Sendable {
    /// Whether adjacent tokens with one label are one section.
    package var joinsTokens = true
    /// The minimum score of a section.
    package var minimumScore: Float = 0
  }

  package var options = Options()
  /// The name of the output with the scores.
  package let output: String
  private let labels: [String]

  /// Whether the input is text, without which there is only a score for each token.
  private let takesText: Bool

  package init(_ model: ModelInfo) throws(ModelError) {
    takesText = model.takesText
    output = try model.output(.tokenScores)
    labels = try model.labels()
    options.joinsTokens = model[Self.joinsTokens]
    options.minimumScore = model[Self.minimumScore]
  }

  package mutating func apply(_ options: ResultOptions) {
    self.options.minimumScore = options.minimumScore ?? self.options.minimumScore
  }

  package var replacedOutputs: Set<String> { [output] }

  package var resultColumn: ResultColumn.Member? {
    takesText ? .init(Self.resultName, EntityResult.column(of: [])) : nil
  }

  package static func forms(for description: ModelDescription) -> [ResultForm] { [.sections] }

  package func reading(as form: ResultForm) -> ResultReading? {
    .sections { (output) throws(ModelError) in try result(of: output) }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    guard !output.texts.isEmpty else { return .outputs }
    return .result(EntityResult(entities: try result(of: output)), replacing: replacedOutputs)
  }

  /// Returns the sections, in the order of the text.
  package func result(of output: ModelOutput) throws(ModelError) -> [LabeledText] {
    guard let text = output.texts.first else { return [] }
    let tensor = try output.tensor(self.output)
    let scores = try tensor.floats(ofLayer: self.output)
    guard let labelCount = tensor.shape.last, labelCount > 0,
      scores.count == text.count * labelCount
    else {
      throw ModelError(
        .output,
        .wrongShape(expected: "[\(text.count),labels]", actual: "\(tensor.shape)"),
        layer: self.output)
    }
    var sections: [Section] = []
    for token in text.ids.indices {
      guard text.ranges[token] != nil,
        let best = best(scores[token * labelCount..<(token + 1) * labelCount])
      else { continue }
      let tag = TokenTag(label(best.index))
      guard options.joinsTokens, let last = sections.last, last.continues(tag, at: token, in: text)
      else {
        sections.append(Section(tag, token: token, score: best.score))
        continue
      }
      sections[sections.count - 1].append(token, score: best.score)
    }
    return sections.compactMap { $0.labeledText(in: text, options.minimumScore) }
  }

  private func label(_ index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : "\(index)"
  }

  /// Returns the label with the highest score, and its probability; `nil` if no score is a number.
  private func best(_ scores: ArraySlice<Float>) -> (index: Int, score: Float)? {
    let finite = scores.indices.filter { scores[$0].isFinite }
    guard let best = finite.max(by: { scores[$0] < scores[$1] }) else { return nil }
    let isProbability =
      scores.allSatisfy { (0...1).contains($0) } && abs(scores.reduce(0, +) - 1) < 0.01
    let sum = finite.reduce(Float(0)) { $0 + exponential(scores[$1] - scores[best]) }
    return (best - scores.startIndex, isProbability ? scores[best] : 1 / sum)
  }
}

/// A section of a text that is being collected.
private struct Section {
  let tag: TokenTag
  let first: Int
  private(set) var last: Int
  private var scores: [Float]

  init(_ tag: TokenTag, token: Int, score: Float) {
    (self.tag, first, last, scores) = (tag, token, token, [score])
  }

  mutating func append(_ token: Int, score: Float) {
    last = token
    scores.append(score)
  }

  /// Whether a token belongs to this section: it continues a word, or has the same label.
  func continues(_ next: TokenTag, at token: Int, in text: TokenizedText) -> Bool {
    guard token == last + 1, text.segments[token] == text.segments[last],
      let end = text.ranges[last]?.upperBound, let start = text.ranges[token]?.lowerBound
    else { return false }
    // Pieces of one word have the label of its first piece.
    if start == end, !next.isOutside || !tag.isOutside, text.isWithinWord(at: start, token) {
      return true
    }
    return next.label == tag.label && !next.begins
  }

  func labeledText(in text: TokenizedText, _ threshold: Float) -> LabeledText? {
    let score = scores.reduce(0, +) / Float(scores.count)
    guard !tag.isOutside, score >= threshold,
      let range = text.byteRange(fromToken: first, through: last),
      let content = text.text(fromToken: first, through: last)
    else { return nil }
    return LabeledText(text: content, range: range, label: tag.label, score: score)
  }
}
