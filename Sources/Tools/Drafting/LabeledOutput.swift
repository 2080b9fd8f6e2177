import TensorIOBundle
import TensorIOCore

/// The output whose elements have labels.
struct LabeledOutput: Sendable {
  let index: Int
  /// The labels to write into the bundle.
  let list: LabelList
  /// The number of labels before that of the first element.
  var labelOffset = 0
  /// The role of an output whose values are label indices.
  var role: OutputRole?
  private(set) var reviewNote: String?

  /// The drafted value of the labels.
  var draftedValue: DraftedValue {
    DraftedValue(
      path: "/outputs/\(index)/labels", value: "\(list.labels.count) from \(list.file)",
      source: list.source, reviewNote: reviewNote)
  }

  init?(_ sources: DraftSources, _ roles: DetectorRoles, _ states: StatePairs) {
    guard let list = sources.labels else { return nil }
    let outputs = sources.signature.outputs
    if let classes = roles.index(of: .classes) {
      self.init(classesAt: classes, list)
    } else if let found = Self.matching(list, outputs, states, sources) {
      self = found
    } else if let mask = outputs.indices.first(where: { Self.isMask(outputs[$0]) }) {
      self.init(index: mask, list: list, reviewNote: "its values are assumed to be label indices")
      role = .mask
    } else {
      return nil
    }
  }

  private init(index: Int, list: LabelList, reviewNote: String? = nil) {
    self.index = index
    self.list = list
    self.reviewNote = reviewNote
  }

  // Detectors number their classes from the first foreground class.
  private init(classesAt index: Int, _ list: LabelList) {
    self.init(index: index, list: list)
    guard list.startsWithBackground else { return }
    labelOffset = 1
    reviewNote = "the first label, '\(list.labels[0])', is assumed to have no class index"
  }

  /// Whether a tensor holds an integer per pixel.
  private static func isMask(_ tensor: TensorInfo) -> Bool {
    let longAxes = tensor.shape.dimensions.filter { ($0 ?? 1) > 1 }
    return tensor.elementType.isInteger && tensor.quantization == nil && longAxes.count == 2
  }

  /// Finds the output with as many elements as there are labels, or with one more or one less if a
  /// background class explains the difference.
  private static func matching(
    _ list: LabelList, _ outputs: [TensorInfo], _ states: StatePairs, _ sources: DraftSources
  ) -> LabeledOutput? {
    let named = outputs.indices.filter {
      sources.metadata(forOutput: $0).map { !$0.labelFiles.isEmpty } ?? false
    }
    let candidates = (named + outputs.indices).filter { !states.outputs.contains($0) }
    let matches = candidates.lazy.compactMap { index -> LabeledOutput? in
      let shape = outputs[index].shape
      guard !shape.hasVariableLength, let count = shape.elementCount else { return nil }
      return matching(list, count, index)
    }
    return matches.first { $0.reviewNote == nil } ?? matches.first
  }

  private static func matching(_ list: LabelList, _ count: Int, _ index: Int) -> LabeledOutput? {
    var list = list
    switch count - list.labels.count {
    case 0: return LabeledOutput(index: index, list: list)
    case 1 where !list.startsWithBackground && count > 2:
      list.labels.insert("background", at: 0)
      return LabeledOutput(
        index: index, list: list,
        reviewNote: "the model has one more class; the first is assumed to be the background")
    case -1 where list.startsWithBackground:
      let background = list.labels.removeFirst()
      return LabeledOutput(
        index: index, list: list,
        reviewNote: "the model has one class fewer; omitted '\(background)'")
    default: return nil
    }
  }
}
