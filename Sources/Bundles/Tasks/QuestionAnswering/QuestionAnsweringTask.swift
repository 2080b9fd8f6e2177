package import TensorIOBundle
package import TensorIOCore

/// Question answering: the section of a text that answers a question.
package struct QuestionAnsweringTask: TaskHandler {
  package static let format = TaskFormat(
    "question-answering", requiredOutputs: [.role(.startScores), .role(.endScores)]
  ) {
    Field("max_tokens", .count, otherwise: "30", "The maximum number of tokens of an answer.")
      .example("10")
    Field.top("answers").otherwise("3")
    Field(
      "window", .count, otherwise: "none: the whole text",
      """
      The maximum number of tokens of a question and a section of the text, for tensors of variable length.
      """
    ).example("384")
    Field(
      "overlap", .count, otherwise: "128",
      """
      The number of tokens that adjacent sections of a long text share; at most half of a section is shared.
      """
    ).example("64")
  }

  private var decoder: AnswerDecoder

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try AnswerDecoder(source)
  }

  package mutating func apply(_ options: ResultOptions) {
    decoder.options.maxCount = options.top ?? decoder.options.maxCount
  }

  package var replacedOutputs: Set<String> { [decoder.startOutput, decoder.endOutput] }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    guard !output.texts.isEmpty else { return .outputs }
    return .result(AnswerResult(answers: try decoder.decode(output)))
  }
}
