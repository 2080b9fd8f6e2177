import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The settings of a detection task, drafted from the metadata of the outputs.
struct TaskSettingsDraft {
  /// The settings.
  private(set) var settings: [String: JSONValue] = [:]
  /// The drafted values and their sources.
  private(set) var draftedValues: [DraftedValue] = []

  init(_ sources: DraftSources, _ roles: DetectorRoles, isDetection: Bool) {
    guard isDetection else { return }
    if let boxes = roles.index(of: .boxes).flatMap(sources.metadata(forOutput:))?.boxes {
      addBoxes(boxes)
    }
    let threshold = sources.signature.outputs.indices.lazy
      .compactMap { sources.metadata(forOutput: $0)?.scoreThreshold }.first
    if let threshold, (0...1).contains(threshold) {
      add("threshold", "\(threshold)", .number(Double("\(threshold)") ?? Double(threshold)))
    }
  }

  private mutating func addBoxes(_ boxes: ModelMetadata.BoxProperties) {
    if let order = boxes.settingName {
      add("box_order", order, .string(order))
    } else {
      draftedValues.append(
        DraftedValue(
          path: "/task/box_order", value: "\(boxes.kind) \(boxes.order)", source: .metadata,
          reviewNote: "this order of a box's numbers is not supported"))
    }
    if boxes.isInPixels { add("coordinates", "pixels", "pixels") }
  }

  private mutating func add(_ key: String, _ value: String, _ setting: JSONValue) {
    settings[key] = setting
    draftedValues.append(DraftedValue(path: "/task/\(key)", value: value, source: .metadata))
  }
}

extension ModelMetadata.BoxProperties {
  /// The value of `box_order` in `model.json`; `nil` if there is none for this order.
  fileprivate var settingName: String? {
    let usual = [0, 1, 2, 3]
    switch (kind, order.isEmpty ? usual : order) {
    case (.boundaries, usual): return "xyxy"
    case (.boundaries, [1, 0, 3, 2]): return "yxyx"
    case (.center, usual): return "cxcywh"
    default: return nil
    }
  }
}
