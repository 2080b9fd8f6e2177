package import TensorIOBundle
package import TensorIOCore

/// Question answering: the section of a text that answers a question.
package struct QuestionAnsweringTask: TaskHandler {
  package static let format = TaskFormat(
    "question-answering",
    settings: [
      "max_tokens": .positiveInteger, "top": .positiveInteger, "window": .positiveInteger,
      "overlap": .positiveInteger,
    ],
    requiredOutputs: [.role(.startScores), .role(.endScores)])

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
