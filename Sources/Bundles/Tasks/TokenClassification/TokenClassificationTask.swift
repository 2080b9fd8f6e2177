package import TensorIOBundle
package import TensorIOCore

/// Token classification: sections of a text with labels, such as names.
package struct TokenClassificationTask: TaskHandler {
  package static let format = TaskFormat(
    "token-classification",
    settings: ["join": .boolean, "threshold": .fraction],
    requiredOutputs: [.role(.tokenScores)])

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
