internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

/// What a command line changes of what the bundle's task says.
struct TaskChanges {
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
  static let flags = [top, above, threshold, iou, allow, deny, raw, GalleryNames.flag]

  /// What of the answers is wanted.
  let options: AnswerOptions
  /// The gallery that says who is found.
  private let gallery: String?

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    var options = AnswerOptions()
    options.top = try arguments.integer(Self.top, in: 1...(.max))
    options.above = try arguments.number(Self.above).map(Float.init)
    options.threshold = try arguments.number(Self.threshold).map(Float.init)
    options.iou = try arguments.number(Self.iou)
    options.allow = arguments.all(Self.allow)
    options.deny = arguments.all(Self.deny)
    options.wantsRaw = arguments.has(Self.raw)
    guard options.iou.map((0...1).contains) ?? true else {
      throw .usage("--iou takes a number from 0 to 1")
    }
    self.options = options
    gallery = arguments.value(GalleryNames.flag)
  }

  /// What makes answers of the outputs of what a word of the command line has opened.
  func tasks(
    of model: Model, at word: String, _ opening: BundleOpening, _ console: Console
  ) throws(CommandFailure) -> TaskAnswering {
    var names: GalleryNames?
    if let gallery { names = try GalleryNames(gallery, for: word, opening, console) }
    do throws(ModelError) {
      return try TaskAnswering(model, options, names: names)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Refuses what the bundle's task does not have.
  func check(against task: ModelTask?) throws(CommandFailure) {
    guard options.iou == nil || task?.type == "detection" else {
      throw .usage("--iou is for bundles whose task is detection")
    }
  }
}
