import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The answers to a question in a text, most probable first.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "answers.tiobundle")
  /// let output = try model.run(["Who wrote it?", "The book was written by Ada."])
  /// if let answer = try output.answers.first { print(answer.text, answer.score) }
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no outputs with the roles `start_scores` and
  ///   `end_scores`.
  public var answers: [Answer] {
    get throws(ModelError) { try result(of: QuestionAnsweringTask.self) }
  }
}
