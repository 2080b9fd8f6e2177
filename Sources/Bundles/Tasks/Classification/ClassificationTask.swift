package import TensorIOBundle
package import TensorIOCore

/// Classification: the labels with the highest scores.
package struct ClassificationTask: TaskHandler {
  package static let format = TaskFormat(
    "classification",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with labels, or with the role \"scores\"") {
        outputs in
        outputs.contains { $0.role == .scores || ($0.labelsFile != nil && $0.isLabeledByIndex) }
      }
    ]
  ) {
    Field("threshold", .number, "The minimum score of a result.").example("0.5")
    Field.top("results").otherwise("all")
    Field.allow
    Field.deny
  }

  /// Decodes the classes of a sound; `nil` for models that do not take sound.
  private var decoder: ClassificationDecoder?

  package init(_ source: OutputSource) throws(ModelError) {
    guard source.inputs.contains(where: \.isAudio) else { return }
    decoder = try ClassificationDecoder(source)
  }

  package mutating func apply(_ options: ResultOptions) {
    guard let task = decoder?.task else { return }
    decoder?.options = options.labelSelection(for: task)
  }

  package func result(of output: ModelOutput) -> TaskHandlerResult {
    guard let decoder, !output.windows.isEmpty else { return .outputs }
    let name = decoder.output
    return .result(
      SoundClassification(output, named: name, decoder.entries(in:)), replacing: [name])
  }
}
