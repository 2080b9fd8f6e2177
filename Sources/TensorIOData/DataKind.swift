internal import TensorIOSystem

/// What the right answers of some data are.
public enum DataKind: String, Sendable, Hashable, CaseIterable {
  /// Values of layers, which ``DataSet`` reads.
  case examples
  /// Boxes, which ``DetectionSet`` reads.
  case detections
  /// Masks, which ``MaskSet`` reads.
  case masks
  /// A test of the original's, which ``TestBundle`` reads.
  case testBundle = "testbundle"

  /// What the data at a path can be read as, the likeliest first; nothing when it is of no form.
  ///
  /// A folder of Pascal VOC's may have both boxes and masks.
  public static func kinds(of path: String) -> [DataKind] {
    guard let kind = FileKind(at: path) else { return [] }
    if kind == .folder, FileKind(at: "\(path)/\(TestBundle.descriptionName)") == .file {
      return [.testBundle]
    }
    var kinds: [DataKind] = []
    if DetectionForms.all.contains(where: { $0.reads(path, kind) }) { kinds.append(.detections) }
    if kind == .folder, MaskLayout.layout(of: path) != nil { kinds.append(.masks) }
    if kinds.isEmpty, DataForms.all.contains(where: { $0.reads(path, kind) }) {
      kinds.append(.examples)
    }
    return kinds
  }
}
