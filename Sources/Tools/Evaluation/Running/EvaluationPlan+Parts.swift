import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOJSON
import TensorIOTasks

/// The evaluators of the kinds of ground truth.
extension EvaluationPlan {
  static func detections(_ bundle: ModelBundle) -> Part {
    Part(mode: .predict, inputs: [], metricNames: MetricNames.detection) {
      (model) throws(ModelError) in
      try DetectionEvaluator(ResultReader(model, .boxes), labels: bundle.detectionLabels())
    }
  }

  static func instanceMasks(_ bundle: ModelBundle) -> Part {
    Part(mode: .predict, inputs: [], metricNames: MetricNames.detection) {
      (model) throws(ModelError) in
      try InstanceMaskEvaluator(ResultReader(model, .outlines), labels: bundle.detectionLabels())
    }
  }

  static func tracks(_ bundle: ModelBundle) throws(ModelError) -> Part {
    try require(.tracks, of: bundle, for: "tracks")
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.tracking) {
      (model) throws(ModelError) in
      try TrackEvaluator(ResultReader(model, .tracks), labels: bundle.detectionLabels())
    }
  }

  static func answers(_ bundle: ModelBundle) throws(ModelError) -> Part {
    try require(.texts, of: bundle, for: "answers to questions")
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.answers) {
      (model) throws(ModelError) in
      try AnswerEvaluator(ResultReader(model, .texts))
    }
  }

  static func entities(_ bundle: ModelBundle) throws(ModelError) -> Part {
    try require(.sections, of: bundle, for: "tagged sentences")
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.entities) {
      (model) throws(ModelError) in
      try EntityEvaluator(ResultReader(model, .sections))
    }
  }

  /// Returns the metrics of lines of text, which a detector finds and a chain also reads.
  static func textLines(_ forms: [ResultForm]) -> Part {
    let findsLines = forms.contains(.lines)
    let hasTexts = forms.contains(.line)
    return Part(
      mode: .predict, inputs: [],
      metricNames: TextLineMetric.names(hasOutlines: findsLines, hasTexts: hasTexts)
    ) { (model) throws(ModelError) in
      try TextLineEvaluator(
        ResultReader(model, findsLines ? .lines : .line), findsLines: findsLines,
        hasTexts: hasTexts)
    }
  }

  /// Returns the error rates of transcripts, with one normalizer or that of the language of each.
  static func transcripts(_ normalizer: TranscriptNormalizer? = nil) -> Part {
    Part(mode: .predict, inputs: [], metricNames: TranscriptMetric.names) {
      (model) throws(ModelError) in
      try TranscriptEvaluator(ResultReader(model, .transcript), normalizer)
    }
  }

  /// The words that are spotted in recordings.
  static var keywords: Part {
    Part(mode: .predict, inputs: [], metricNames: KeywordMetric.names) {
      (model) throws(ModelError) in
      try KeywordEvaluator(ResultReader(model, .keywords))
    }
  }

  /// Returns the metrics of texts, of answers or of choices: all items have the same kind.
  static func prompts(_ data: PromptDataset) -> Part {
    #if Everything
      switch data.item(at: 0).expectation {
      case .text:
        return Part(mode: .predict, inputs: [], metricNames: MetricNames.texts) { _ in
          PerplexityEvaluator()
        }
      case .choices:
        return Part(mode: .predict, inputs: [], metricNames: MetricNames.choices) { _ in
          ChoiceEvaluator()
        }
      case .answers: break
      }
    #endif
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.generatedAnswers) {
      (model) throws(ModelError) in
      try AnswerEvaluator(ResultReader(model, .continuations), reportsROUGE: true)
    }
  }

  /// Throws an error if the results of a bundle's task cannot be read in the form of the data.
  static func require(
    _ form: ResultForm, of bundle: ModelBundle, for data: String
  ) throws(ModelError) {
    guard !bundle.resultForms.contains(form) else { return }
    let tasks = TaskRegistry.shared.formats.filter {
      $0.task?.forms(for: bundle.description).contains(form) ?? false
    }
    let names = tasks.compactMap(\.names.first).joined(separator: " or ")
    throw ModelError(
      .bundle,
      .unmetRequirement("evaluating \(data, as: "data") requires the task \(names, as: "task")"),
      file: bundle.path)
  }

  static func poses() -> Part {
    Part(mode: .predict, inputs: [], metricNames: MetricNames.keypoints) {
      (model) throws(ModelError) in
      try PoseEvaluator(ResultReader(model, .keypoints))
    }
  }

  static func pairs(
    _ bundle: ModelBundle, _ pairs: [ImagePairs.Pair]
  ) throws(ModelError) -> Part {
    try require(.pairs, of: bundle, for: "pairs of images")
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.binary) {
      (model) throws(ModelError) in
      try VerificationEvaluator(ResultReader(model, .pairs), pairs: pairs)
    }
  }

  static func masks(_ bundle: ModelBundle) throws(ModelError) -> Part {
    if bundle.resultForms.contains(.pixels) {
      let labels = try bundle.dataLabels()
      return Part(mode: .predict, inputs: [], metricNames: MetricNames.segmentation) {
        (model) throws(ModelError) in
        try SegmentationEvaluator(ResultReader(model, .pixels), labels: labels)
      }
    }
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let output = outputs.first(where: { SegmentationGrid($0) != nil }) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating masks requires a two-dimensional output"),
        file: bundle.path)
    }
    let labels = try bundle.dataLabels()
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.segmentation) {
      (_) throws(ModelError) in
      try SegmentationEvaluator(output, labels: labels)
    }
  }

  static func testBundleParts(
    _ bundle: ModelBundle, _ test: TestBundle
  ) throws(ModelError) -> [Part] {
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let layer = outputs.first(where: { $0.labelsFile != nil }) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating expected labels requires an output with labels"),
        file: bundle.path)
    }
    let (output, labels) = (layer.name, try bundle.labels(for: layer))
    let names = MetricNames.classification(labelCount: labels.count)
    let byLabel = Part(mode: .predict, inputs: [], metricNames: names) { _ in
      ClassificationEvaluator(
        output: output, labels: labels,
        groundTruth: GroundTruthLabel.expectedIndex(of: output, among: labels))
    }
    guard test.options.metric != nil else { return [byLabel] }
    let metric = TopLabelAccuracy.top5AboveThreshold(output: output, groundTruth: output)
    let byThreshold = Part(mode: .predict, inputs: [], metricNames: [metric.name]) { _ in
      CustomMetricEvaluator(metric)
    }
    return [byLabel, byThreshold]
  }
}

extension ModelBundle {
  /// Returns the class labels of a detector, whose output with the classes, or with the boxes of a raw
  /// head, has them.
  func detectionLabels() throws(ModelError) -> [String] {
    let labels = try classLabels(of: description.resolved(for: .predict))
    guard labels.isEmpty else { return labels }
    return description.task?.settings["label"]?.string.map { [$0] } ?? []
  }
}
