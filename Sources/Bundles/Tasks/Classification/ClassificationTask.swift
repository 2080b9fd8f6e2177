package import TensorIOBundle
package import TensorIOCore

/// Classification: the labels with the highest scores.
package struct ClassificationTask: ModelTask {
  package static let format = TaskFormat(
    "classification",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output with labels, or with the role \"scores\"") {
        outputs in
        outputs.contains { $0.role == .scores || ($0.labelsFile != nil && $0.isLabeledByIndex) }
      }
    ],
    interface: TaskInterface(
      "classes",
      .init(
        "classes", type: "[Classification.Entry]", element: "Classification.Entry",
        "The labels that the bundle's task selects, highest score first."),
      .init(
        "timeline", type: "[LabeledInterval]", element: "LabeledInterval", requiresSound: true,
        "The sections of the sound in which the same label has the highest score.")
    ).with {
      $0.hasBestLabel = true
      $0.replaces = { _ in false }
      $0.labeledOutput = { $0.classScores }
    },
    isImplied: {
      $0.outputs.classScores.map { $0.labelsFile != nil && $0.isLabeledByIndex } ?? false
    },
    activation: { ClassifierActivation.setting.value(in: $0) }
  ) {
    ClassifierActivation.setting
    Field("threshold", .number, "The minimum score of a result.").example("0.5")
    Field.top("results").otherwise("all")
    Field.allow
    Field.deny
  }

  /// The labels to return.
  package var options: LabelSelection
  /// The name of the output with the scores.
  package let output: String
  private let task: TaskDescription?

  package init(_ model: ModelInfo) throws(ModelError) {
    (options, task) = (LabelSelection(model.task), model.task)
    guard let name = model.outputs.classScores?.name else {
      throw ModelError(
        .bundle, .unmetRequirement("the task classification requires an output with labels"),
        file: model.bundle.path)
    }
    output = name
  }

  package mutating func apply(_ options: ResultOptions) {
    self.options = options.labelSelection(for: task)
  }

  /// Labels of images and texts are outputs; only those of a sound, with its windows, are a result of their own.
  package func presentation(of output: ModelOutput) -> TaskPresentation {
    guard !output.windows.isEmpty else { return .outputs }
    return .result(
      SoundClassification(output, named: self.output, entries(in:)), replacing: [self.output])
  }

  /// Returns the selected labels, in descending order of score.
  package func result(of output: ModelOutput) throws(ModelError) -> [Classification.Entry] {
    let value = try output[self.output]
    if let classification = value.classification { return options.entries(of: classification) }
    let scores: [Float] = try output.value(of: self.output)
    return options.entries(of: Classification(labels: [], scores: scores))
  }

  /// Returns the selected labels of a value, in descending order of score; empty for values without
  /// numbers.
  func entries(in value: LayerValue) -> [Classification.Entry] {
    if let classification = value.classification { return options.entries(of: classification) }
    let scores = value.numbers?.doubles.map(Float.init) ?? []
    return options.entries(of: Classification(labels: [], scores: scores))
  }
}

extension LabelSelection {
  /// Creates a selection from the settings of a classification task; selects everything for other
  /// tasks.
  package init(_ task: TaskDescription?) {
    guard let task, task.type == "classification" else {
      self.init()
      return
    }
    self.init(
      top: task.int("top"), minimumScore: task.float("threshold"), filter: task.labelFilter)
  }
}
