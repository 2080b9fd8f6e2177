/// An answer to a question, as a section of a text.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(bundleAt: "answers.tiobundle")
/// let output = try model.run(["Who wrote it?", "The book was written by Ada."])
/// if let answer = try output.answers.first { print(answer.text, answer.score) }
/// ```
public struct Answer: Sendable, Hashable {
  /// The section of the text.
  public let text: String
  /// The location of the section, as UTF-8 offsets.
  public let range: Range<Int>
  /// The probability of the section among all sections that are considered.
  public let score: Float

  /// Creates an answer.
  public init(text: String, range: Range<Int>, score: Float) {
    self.text = text
    self.range = range
    self.score = score
  }
}
