package import TensorIOBundle
package import TensorIOCore

/// Classification: the labels with the highest scores.
package struct ClassificationTask: TaskHandler {
  package static let format = TaskFormat(
    "classification",
    settings: ["threshold": .number, "top": .positiveInteger, "allow": .strings, "deny": .strings],
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with labels, or with the role \"scores\"") {
        outputs in
        outputs.contains { $0.role == .scores || ($0.labelsFile != nil && $0.isLabeledByIndex) }
      }
    ])

  package init(_ context: TaskContext) {}

  package func result(of output: ModelOutput) -> TaskHandlerResult { .outputs }
}
