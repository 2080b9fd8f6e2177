import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT

/// The output whose values have labels.
struct LabeledOutput: Sendable {
  let index: Int
  /// The labels as they are written beside the model.
  let list: LabelList
  /// How many labels stand before that of the first value.
  var labelOffset = 0
  /// What the output is, where its values are numbers of labels.
  var role: OutputRole?
  private(set) var reviewNote: String?

  /// What the labels are founded on.
  var draftedValue: DraftedValue {
    DraftedValue(
      path: "/outputs/\(index)/labels", value: "\(list.labels.count) from \(list.file)",
      source: list.source, reviewNote: reviewNote)
  }

  init?(_ material: DraftSources, _ roles: DetectorRoles, _ states: StatePairs) {
    guard let list = material.labels else { return nil }
    let outputs = material.signature.outputs
    if let classes = roles.index(of: .classes) {
      self.init(classesAt: classes, list)
    } else if let found = Self.matching(list, outputs, states, material) {
      self = found
    } else if let mask = outputs.indices.first(where: { Self.isMask(outputs[$0]) }) {
      self.init(index: mask, list: list, reviewNote: "its values are taken for numbers of labels")
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

  /// A detector counts its classes from the first that is a thing.
  private init(classesAt index: Int, _ list: LabelList) {
    self.init(index: index, list: list)
    guard list.startsWithBackground else { return }
    labelOffset = 1
    reviewNote = "the first label, '\(list.labels[0])', is taken to have no number"
  }

  /// Integers over the places of a picture.
  private static func isMask(_ tensor: TensorInfo) -> Bool {
    let longAxes = tensor.shape.dimensions.filter { ($0 ?? 1) > 1 }
    return tensor.elementType.isInteger && tensor.quantization == nil && longAxes.count == 2
  }

  /// The output with as many values as there are labels, or with one more or less where models
  /// with and without a background differ.
  private static func matching(
    _ list: LabelList, _ outputs: [TensorInfo], _ states: StatePairs, _ material: DraftSources
  ) -> LabeledOutput? {
    let named = outputs.indices.filter {
      material.metadata(forOutput: $0).map { !$0.labelFiles.isEmpty } ?? false
    }
    let candidates = (named + outputs.indices).filter { !states.outputs.contains($0) }
    let matches = candidates.lazy.compactMap { index -> LabeledOutput? in
      guard let count = outputs[index].shape.elementCount else { return nil }
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
        reviewNote: "the model gives one value more; the first is taken for the background")
    case -1 where list.startsWithBackground:
      let background = list.labels.removeFirst()
      return LabeledOutput(
        index: index, list: list, reviewNote: "the model gives one value less; '\(background)' left out")
    default: return nil
    }
  }
}
