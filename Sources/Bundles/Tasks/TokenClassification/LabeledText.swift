/// A section of a text with a label, such as the name of a person.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "names.tiobundle")
/// for entity in try model.run("Ada lives in London.").entities {
///   print(entity.text, entity.label, entity.score)
/// }
/// ```
public struct LabeledText: Sendable, Hashable {
  /// The section of the text.
  public let text: String
  /// The location of the section, as UTF-8 offsets.
  public let range: Range<Int>
  /// The label, without a prefix such as `B-`.
  public let label: String
  /// The mean score of the section's tokens.
  public let score: Float

  /// Creates a section with a label.
  public init(text: String, range: Range<Int>, label: String, score: Float) {
    self.text = text
    self.range = range
    self.label = label
    self.score = score
  }
}

extension LabeledText: ResultRecord {
  /// The text, the label, the score and the location.
  public static let members = [
    Member("text", \.text), Member("label", \.label), Member("score", \.score),
    Member("start", \.range.lowerBound), Member("end", \.range.upperBound),
  ]
}
