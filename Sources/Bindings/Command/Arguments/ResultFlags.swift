import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOTasks

/// The options that change how task results are computed and filtered.
struct ResultFlags {
  static let top = Flag(
    "top", "N", "Number of labels or detections to print (default in text: 5 labels)")
  static let scoreAbove = Flag("score-above", "T", "Print only labels with a score greater than T")
  static let minimumScore = Flag(
    "min-score", "T", "Print only labels and detections with a score of T or more")
  static let iou = Flag(
    "iou-threshold", "T", "Drop detections whose IoU with a better one exceeds T")
  static let allow = Flag("allow-label", "LABEL", "Print only this label (repeatable)")
  static let deny = Flag("deny-label", "LABEL", "Omit this label (repeatable)")
  static let raw = Flag("raw-outputs", "Also print the raw outputs that a result is decoded from")
  static let gallery = Flag("gallery", "FILE", "Give embeddings the names of this gallery")
  static let flags = [top, scoreAbove, minimumScore, iou, allow, deny, raw, gallery]

  /// The filters and thresholds of the results.
  let options: ResultOptions
  /// The gallery that gives names to embeddings.
  private let gallery: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    var options = ResultOptions()
    options.top = try arguments.integer(Self.top, in: 1...(.max))
    options.scoreAbove = try arguments.number(Self.scoreAbove).map(Float.init)
    options.minimumScore = try arguments.number(Self.minimumScore).map(Float.init)
    options.iouThreshold = try arguments.number(Self.iou)
    options.allow = arguments.values(Self.allow)
    options.deny = arguments.values(Self.deny)
    options.includesRawOutputs = arguments.has(Self.raw)
    options.tracking = try TrackingFlags.request(arguments)
    guard options.iouThreshold.map((0...1).contains) ?? true else {
      throw .usage("--iou-threshold takes a number from 0 to 1")
    }
    self.options = options
    gallery = arguments.value(Self.gallery)
  }

  /// Returns the postprocessor of a model.
  func postprocessor(for model: Model) throws(OperationError) -> TaskPostprocessor {
    if let gallery { try LiveGallery(gallery, for: model).attach(to: model) }
    let postprocessor = try OperationError.rethrowing { () throws(ModelError) in
      try TaskPostprocessor(model, options)
    }
    guard options.tracking == nil || postprocessor.canTrack else {
      let names = TaskRegistry.shared.tasks.filter { $0.canTrack }.flatMap {
        $0.format.names
      }
      throw .usage(
        "--track, --line and --zone require a bundle whose task is "
          + names.joined(separator: " or "))
    }
    return postprocessor
  }

  /// Throws a usage error if an option does not apply to the task.
  func validate(for task: TaskDescription?) throws(OperationError) {
    guard options.iouThreshold != nil else { return }
    let names = TaskRegistry.shared.names(withSetting: "iou")
    guard let task, names.contains(task.type) else {
      throw .usage(
        "--iou-threshold requires a bundle whose task is \(names.joined(separator: " or "))")
    }
  }
}
