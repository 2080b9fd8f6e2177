package import TensorIOBundle
package import TensorIOCore

/// Token classification: sections of a text with labels, such as names.
package struct TokenClassificationTask: TaskHandler {
  package static let format = TaskFormat(
    "token-classification", requiredOutputs: [.role(.tokenScores)]
  ) {
    Field(
      "join", .boolean, otherwise: "`true`",
      "Whether adjacent tokens with one label are one section."
    ).example("false")
    Field(
      "threshold", .number(in: .fraction), otherwise: "0", "The minimum score of a section, 0 to 1."
    ).example("0.5")
  }

  private var decoder: EntityDecoder

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try EntityDecoder(source)
  }

  package mutating func apply(_ options: ResultOptions) {
    decoder.options.threshold = options.threshold ?? decoder.options.threshold
  }

  package var replacedOutputs: Set<String> { [decoder.output] }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    guard !output.texts.isEmpty else { return .outputs }
    return .result(EntityResult(entities: try decoder.decode(output)))
  }
}
