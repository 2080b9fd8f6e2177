/// An answer to a question, as a section of a text.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "answers.tiobundle")
/// let output = try model.run(["Who wrote it?", "The book was written by Ada."])
/// if let answer = try output.answers.first { print(answer.text, answer.score) }
/// ```
public struct Answer: Sendable, Hashable {
  /// The section of the text.
  public let text: String
  /// The location of the section, as UTF-8 offsets.
  public let range: Range<Int>
  /// The product of the probabilities of the first and the last token among the tokens of the text and the token at the
  /// beginning, which models choose if the text has no answer.
  public let score: Float

  /// Creates an answer.
  public init(text: String, range: Range<Int>, score: Float) {
    self.text = text
    self.range = range
    self.score = score
  }
}

extension Answer: ResultRecord {
  /// The text, the score and the location.
  public static let members = [
    Member("text", \.text), Member("score", \.score), Member("start", \.range.lowerBound),
    Member("end", \.range.upperBound),
  ]
}
