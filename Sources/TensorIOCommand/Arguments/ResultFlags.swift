import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOTasks

/// The options that change how task results are computed and filtered.
struct ResultFlags {
  static let top = Flag(
    "top", "N", "Number of labels or detections to print (default in text: 5 labels)")
  static let above = Flag("score-above", "T", "Print only labels with a score greater than T")
  static let threshold = Flag(
    "min-score", "T", "Print only labels and detections with a score of T or more")
  static let iou = Flag(
    "iou-threshold", "T", "Drop detections whose IoU with a better one exceeds T")
  static let allow = Flag("allow-label", "LABEL", "Print only this label (repeatable)")
  static let deny = Flag("deny-label", "LABEL", "Omit this label (repeatable)")
  static let raw = Flag("raw-outputs", "Also print the raw outputs that a result is decoded from")
  static let flags = [top, above, threshold, iou, allow, deny, raw, GalleryMatcher.flag]

  /// The filters and thresholds of the results.
  let options: ResultOptions
  /// The gallery that names detections.
  private let gallery: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    var options = ResultOptions()
    options.top = try arguments.integer(Self.top, in: 1...(.max))
    options.above = try arguments.number(Self.above).map(Float.init)
    options.threshold = try arguments.number(Self.threshold).map(Float.init)
    options.iouThreshold = try arguments.number(Self.iou)
    options.allow = arguments.values(Self.allow)
    options.deny = arguments.values(Self.deny)
    options.includesRawOutputs = arguments.has(Self.raw)
    options.tracking = try TrackingFlags.request(arguments)
    guard options.iouThreshold.map((0...1).contains) ?? true else {
      throw .usage("--iou-threshold takes a number from 0 to 1")
    }
    self.options = options
    gallery = arguments.value(GalleryMatcher.flag)
  }

  /// Returns the postprocessor of a model, which was opened from `argument`.
  func postprocessor(
    for model: Model, at argument: String, _ opener: ModelOpener, _ console: Console
  ) throws(OperationError) -> TaskPostprocessor {
    var matcher: GalleryMatcher?
    if let gallery { matcher = try GalleryMatcher(gallery, for: argument, opener, console) }
    let postprocessor: TaskPostprocessor
    do throws(ModelError) {
      postprocessor = try TaskPostprocessor(model, options, galleryMatcher: matcher)
    } catch {
      throw OperationError(error)
    }
    guard options.tracking == nil || postprocessor.canTrack else {
      let names = TaskRegistry.standard.handlers.filter { $0.canTrack }.flatMap {
        $0.format.typeNames
      }
      throw .usage(
        "--track, --line and --zone require a bundle whose task is "
          + names.joined(separator: " or "))
    }
    return postprocessor
  }

  /// Throws a usage error if an option does not apply to the task.
  func validate(for task: ModelTask?) throws(OperationError) {
    let names = TaskRegistry.standard.typeNames(withSetting: "iou")
    guard options.iouThreshold == nil || task.map({ names.contains($0.type) }) == true else {
      throw .usage(
        "--iou-threshold requires a bundle whose task is \(names.joined(separator: " or "))")
    }
  }
}

extension GalleryMatcher {
  static let flag = Flag(
    "gallery", "FILE", "Identify the detections of a chain with this gallery")

  /// Creates a matcher for the detections of a chain.
  init(
    _ gallery: String, for chain: String, _ opener: ModelOpener, _ console: Console
  ) throws(OperationError) {
    guard Chain.hasChainExtension(chain) else {
      throw .usage(
        "--gallery requires a chain; for whole images, use `tensorio gallery recognize`")
    }
    let embedder = try Embedder(chain, opener, console)
    self.init(try GalleryStore(gallery).gallery(for: embedder.identity), embedder.options)
  }
}
