public import TensorIOBundle
import TensorIOSystem

/// Items with right answers, whatever those are.
///
/// Opening data finds all that is wrong with it. What concerns a single item is in ``problems``, and
/// is thrown by whoever asks for that item; the others are as good as ever. Who needs all of them
/// calls ``check()``.
public protocol IndexedDataset: Sendable {
  /// How many items there are.
  var count: Int { get }
  /// What the indexes of labels mean.
  var labels: [String] { get }
  /// What is wrong with the data as a whole and with its items.
  var errors: [Diagnostic] { get }
  /// What was mended or left out, and why.
  var warnings: [Diagnostic] { get }

  /// What an item is called.
  func name(at index: Int) -> String
  /// The labels that an item has, each once, in ascending order.
  func labelIndices(at index: Int) -> [Int]
  /// What the data sets an item apart for.
  func split(at index: Int) -> DatasetSplit?
  /// What is wrong with an item.
  func error(at index: Int) -> Diagnostic?

  /// The items at some places, in that order, as data of the same kind; nothing is copied.
  func selecting(_ indexes: [Int]) -> Self
}

extension IndexedDataset {
  /// Throws all problems together, if there are any.
  public func throwIfInvalid() throws(ModelError) {
    guard errors.isEmpty else { throw ModelError(.input, .invalidData(errors)) }
  }

  /// Throws what is wrong with an item.
  func throwIfInvalid(item index: Int) throws(ModelError) {
    guard let problem = error(at: index) else { return }
    throw ModelError(.input, .invalidData([problem])).at(item: index)
  }
}

/// What somebody set an item apart for.
public enum DatasetSplit: String, Sendable, Hashable, CaseIterable {
  /// To learn from.
  case train = "TRAIN"
  /// To watch the learning with.
  case validation = "VALIDATION"
  /// To judge by at the end.
  case test = "TEST"
  /// For whatever it is needed.
  case unassigned = "UNASSIGNED"

  /// A part by any of its names, in whichever case.
  public init?(name: String) {
    switch name.uppercased() {
    case "TRAIN", "TRAINING": self = .train
    case "VALIDATION", "VALIDATE", "VAL": self = .validation
    case "TEST": self = .test
    case "UNASSIGNED": self = .unassigned
    default: return nil
    }
  }
}

/// What the right answers of some data are.
public enum DatasetKind: String, Sendable, Hashable, CaseIterable {
  /// Values of layers, which ``ExampleDataset`` reads.
  case examples
  /// Boxes, which ``DetectionDataset`` reads.
  case detections
  /// Masks, which ``SegmentationDataset`` reads.
  case masks
  /// A test of the original's, which ``TestBundle`` reads.
  case testBundle = "testbundle"

  /// What the data at a path can be read as, the likeliest first; nothing when it is of no form.
  ///
  /// A folder of Pascal VOC's may have both boxes and masks.
  public static func kinds(of path: String) -> [DatasetKind] {
    guard let kind = FileKind(at: path) else { return [] }
    if kind == .directory, FileKind(at: "\(path)/\(TestBundle.descriptionName)") == .file {
      return [.testBundle]
    }
    var kinds: [DatasetKind] = []
    if DetectionFormats.all.contains(where: { $0.matches(path, kind) }) { kinds.append(.detections) }
    if kind == .directory, MaskFolderLayout.layout(of: path) != nil { kinds.append(.masks) }
    if kinds.isEmpty, ExampleFormats.all.contains(where: { $0.matches(path, kind) }) {
      kinds.append(.examples)
    }
    return kinds
  }
}
