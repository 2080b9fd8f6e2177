internal import TensorIO
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

  private let top: Int?
  private let above: Float?
  private let threshold: Float?
  private let iou: Double?
  private let allow: [String]
  private let deny: [String]
  /// Whether raw outputs are wanted as well.
  let wantsRaw: Bool
  /// The gallery that says who is found.
  private let gallery: String?

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    top = try arguments.integer(Self.top, in: 1...(.max))
    above = try arguments.number(Self.above).map(Float.init)
    threshold = try arguments.number(Self.threshold).map(Float.init)
    iou = try arguments.number(Self.iou)
    allow = arguments.all(Self.allow)
    deny = arguments.all(Self.deny)
    wantsRaw = arguments.has(Self.raw)
    gallery = arguments.value(GalleryNames.flag)
    guard iou.map((0...1).contains) ?? true else {
      throw .usage("--iou takes a number from 0 to 1")
    }
  }

  /// What makes answers of the outputs of what a word of the command line has opened.
  func tasks(
    of model: Model, at word: String, _ opening: BundleOpening, _ console: Console
  ) throws(CommandFailure) -> TaskAnswering {
    var names: GalleryNames?
    if let gallery { names = try GalleryNames(gallery, for: word, opening, console) }
    do throws(ModelError) {
      return try TaskAnswering(model, self, names: names)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Refuses what the bundle's task does not have.
  func check(against task: ModelTask?) throws(CommandFailure) {
    guard iou == nil || task?.type == "detection" else {
      throw .usage("--iou is for bundles whose task is detection")
    }
  }

  /// Which labels are shown.
  func labels(_ task: ModelTask?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.count = top ?? selection.count
    selection.above = above
    selection.threshold = threshold ?? selection.threshold
    change(&selection.filter)
    return selection
  }

  /// Changes which detections are wanted.
  func change(_ options: inout DetectionOptions) {
    options.top = top ?? options.top
    options.threshold = threshold ?? options.threshold
    options.iou = iou ?? options.iou
    change(&options.filter)
  }

  private func change(_ filter: inout LabelFilter) {
    if !allow.isEmpty { filter.allow = Set(allow) }
    filter.deny.formUnion(deny)
  }
}
