import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// What a command line changes of what the bundle's task says.
struct ResultFlags {
  static let top = Flag(
    "top", "N", "shows the N best labels or detections (text: 5 labels)")
  static let above = Flag("above", "T", "shows only labels with a score above T")
  static let threshold = Flag(
    "threshold", "T", "shows only labels and detections with a score of at least T")
  static let iou = Flag(
    "iou", "SHARE", "drops detections that share more than SHARE with a surer one")
  static let allow = Flag("allow", "LABEL", "shows only this label; may be given more than once")
  static let deny = Flag("deny", "LABEL", "leaves this label out; may be given more than once")
  static let raw = Flag("raw", "adds the outputs that a task's answer was made of")
  static let flags = [top, above, threshold, iou, allow, deny, raw, GalleryMatcher.flag]

  /// What of the answers is wanted.
  let options: ResultOptions
  /// The gallery that says who is found.
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
    guard options.iouThreshold.map((0...1).contains) ?? true else {
      throw .usage("--iou takes a number from 0 to 1")
    }
    self.options = options
    gallery = arguments.value(GalleryMatcher.flag)
  }

  /// What makes answers of the outputs of what a word of the command line has opened.
  func postprocessor(
    for model: Model, at word: String, _ opening: ModelOpener, _ console: Console
  ) throws(OperationError) -> TaskPostprocessor {
    var names: GalleryMatcher?
    if let gallery { names = try GalleryMatcher(gallery, for: word, opening, console) }
    do throws(ModelError) {
      return try TaskPostprocessor(model, options, galleryMatcher: names)
    } catch {
      throw OperationError(error)
    }
  }

  /// Refuses what the bundle's task does not have.
  func validate(for task: ModelTask?) throws(OperationError) {
    guard options.iouThreshold == nil || task?.type == "detection" else {
      throw .usage("--iou is for bundles whose task is detection")
    }
  }
}

extension GalleryMatcher {
  static let flag = Flag(
    "gallery", "FILE", "says who is in this gallery, of what a chain finds and embeds")

  /// The names of a gallery for the answers of a chain.
  init(
    _ gallery: String, for chain: String, _ opening: ModelOpener, _ console: Console
  ) throws(OperationError) {
    guard Chain.hasChainExtension(chain) else {
      throw .usage(
        "--gallery names what a chain finds; `tensorio gallery recognise` asks for whole pictures")
    }
    let embedder = try Embedder(chain, opening, console)
    self.init(try GalleryStore(gallery).gallery(for: embedder.identity), embedder.options)
  }
}
