import TensorIOCore

/// The names of the metrics that evaluations can report, so that gates can be checked before a run.
///
/// Some metrics of a list may be undefined for a dataset, such as the log loss if the scores
/// are not probabilities.
enum MetricNames {
  /// The fraction of items that are right, whose changes are counted.
  static let correctness = ["top1", "accuracy", "exact_match"]
  /// Classes.
  static let classes = [
    "precision", "recall", "f1", "ap", "ap50", "ar", "iou", "boundary_f",
  ]
  /// Boxes.
  static let detection = [
    "map", "map50", "map75", "map_small", "map_medium", "map_large", "ar1", "ar10", "ar100",
    "ar_small", "ar_medium", "ar_large",
  ]
  /// Keypoints.
  static let keypoints = [
    "map", "map50", "map75", "map_medium", "map_large", "ar", "ar50", "ar75", "ar_medium",
    "ar_large",
  ]
  /// Masks.
  static let segmentation = ["miou", "pixel_accuracy", "mean_accuracy", "boundary_f"]
  /// Tracks.
  static let tracking = [
    "mota", "motp", "idf1", "idp", "idr", "id_switches", "misses", "false_positives",
  ]
  /// Answers to questions.
  static let answers = ["exact_match", "f1"]
  /// Answers that are written.
  static let generatedAnswers = answers + ["rouge_l"]
  /// Texts.
  static let texts = ["perplexity", "bits_per_byte"]
  /// Choices of questions.
  static let choices = ["accuracy", "accuracy_norm"]
  /// Labeled sections of texts.
  static let entities = ["precision", "recall", "f1", "macro_f1"]
  /// Numbers.
  static let regression = ["mae", "rmse", "r2", "max_error", "bias"]
  /// A binary decision by a threshold.
  static let binary = ["roc_auc", "eer", "average_precision", "best_threshold"]
  /// Names that a gallery gives to embeddings.
  static let recognition = ["top1", "precision", "recall", "f1"]
  /// Embeddings.
  static let verification = binary + ["rank1_accuracy"]

  /// Returns the names for scores of labels.
  ///
  /// A model with a single label distinguishes two classes.
  static func classification(labelCount: Int) -> [String] {
    let classCount = max(labelCount, 2)
    let topK = [1, 5].filter { $0 < classCount }.map { "top\($0)" }
    return topK + ["precision", "recall", "f1", "balanced_accuracy"]
      + ["log_loss", "brier_score", "ece"] + (classCount == 2 ? binary : [])
  }
}

extension PerformanceResult {
  /// The names of ``metrics`` and ``stageMetrics``.
  static var metricNames: [String] {
    var result = PerformanceResult()
    result.stageLatencies = [Timings()].stageLatencies
    (result.firstRunMilliseconds, result.throughput, result.peakMemoryBytes) = (0, 0, 0)
    return (result.metrics + result.stageMetrics).map(\.name)
  }
}
