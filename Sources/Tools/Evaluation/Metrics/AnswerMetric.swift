/// The metrics of SQuAD: answers that are equal after normalization, and the overlap of their words.
package struct AnswerMetric: Metric {
  /// The result of a question.
  package struct Score: Sendable, Hashable {
    /// Whether the answer is equal to a correct one.
    package var isExact: Bool
    /// The largest F1 score of the words of the answer and of a correct one.
    package var overlap: Double
  }

  private var exact = RunningMean()
  private var overlap = RunningMean()

  /// Creates a metric without questions.
  package init() {}

  /// Returns the result of an answer; an empty answer, or no correct answers, mean that the text does not
  /// answer the question.
  package static func score(_ answer: String, correct: [String]) -> Score {
    let usable = correct.filter { !words(of: $0).isEmpty }
    let found = words(of: answer)
    let references = usable.isEmpty ? [[]] : usable.map { words(of: $0) }
    return Score(
      isExact: references.contains(found),
      overlap: references.map { overlap(found, $0) }.max() ?? 0)
  }

  /// Adds the result of a question.
  package mutating func add(_ score: Score) {
    exact.add(score.isExact ? 1 : 0)
    overlap.add(score.overlap)
  }

  /// `exact_match` and `f1`.
  package var values: [MetricValue] {
    [.fraction("exact_match", exact.value), .fraction("f1", overlap.value)].compactMap(\.self)
  }

  /// Returns the F1 score of two lists of words.
  private static func overlap(_ found: [String], _ reference: [String]) -> Double {
    guard !found.isEmpty, !reference.isEmpty else { return found == reference ? 1 : 0 }
    var counts: [String: Int] = [:]
    for word in reference { counts[word, default: 0] += 1 }
    var shared = 0
    for word in found where counts[word, default: 0] > 0 {
      counts[word, default: 0] -= 1
      shared += 1
    }
    guard shared > 0 else { return 0 }
    let (precision, recall) = (
      Double(shared) / Double(found.count), Double(shared) / Double(reference.count)
    )
    return 2 * precision * recall / (precision + recall)
  }

  /// Returns the words of an answer in lower case, without punctuation and articles.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var current = String.UnicodeScalarView()
    var run = String.UnicodeScalarView()
    // An article is removed where letters and digits end, which can be inside of a word of others.
    func endRun() {
      if !articles.contains(String(run)) {
        current.append(contentsOf: run)
      } else {
        endWord()
      }
      run = String.UnicodeScalarView()
    }
    func endWord() {
      if !current.isEmpty { words.append(String(current)) }
      current = String.UnicodeScalarView()
    }
    for scalar in text.lowercased().unicodeScalars where !isPunctuation(scalar) {
      if isLetterOrDigit(scalar) {
        run.append(scalar)
        continue
      }
      endRun()
      if isSpace(scalar) { endWord() } else { current.append(scalar) }
    }
    endRun()
    endWord()
    return words
  }

  private static let articles: Set<String> = ["a", "an", "the"]

  /// Whether a character is ASCII punctuation.
  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: scalar.properties.numericType != nil
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || (0x1C...0x1F).contains(scalar.value)
  }
}
