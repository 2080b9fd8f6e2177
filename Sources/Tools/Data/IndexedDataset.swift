public import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// A collection of items with ground truth of any kind.
///
/// Opening a dataset validates it completely. Errors are collected in ``errors``; an invalid item
/// throws its error when it is accessed, while all other items remain usable. Call
/// ``throwIfInvalid()`` to require that every item is valid.
public protocol IndexedDataset: Sendable {
  /// The number of items.
  var count: Int { get }
  /// The label names, in the order of their indices.
  var labels: [String] { get }
  /// The errors of the dataset and of its items.
  var errors: [Diagnostic] { get }
  /// What was corrected or skipped while reading.
  var warnings: [Diagnostic] { get }

  /// Returns the name of an item.
  func name(at index: Int) -> String
  /// Returns the indices of an item's labels, without duplicates, in ascending order.
  func labelIndices(at index: Int) -> [Int]
  /// Returns the split that an item is assigned to, or `nil` if the format has none.
  func split(at index: Int) -> DatasetSplit?
  /// Returns the values of an item's attributes by name, such as the site at which an image was taken.
  func attributes(at index: Int) -> [String: String]
  /// Returns the error of an item, or `nil` if the item is valid.
  func error(at index: Int) -> Diagnostic?

  /// Returns a dataset of the items at some indices, in that order, without copying them.
  func selecting(_ indexes: [Int]) -> Self
}

extension IndexedDataset {
  /// Returns no attributes, which only tables and JSON lines have.
  public func attributes(at index: Int) -> [String: String] { [:] }

  /// Throws one error that contains all of ``errors``, if there are any.
  public func throwIfInvalid() throws(ModelError) {
    guard errors.isEmpty else { throw ModelError(.input, .invalidData(errors)) }
  }

  /// Throws the error of an item, if it has one.
  func throwIfInvalid(item index: Int) throws(ModelError) {
    guard let diagnostic = error(at: index) else { return }
    throw ModelError(.input, .invalidData([diagnostic])).at(item: index)
  }

  /// Reads the image file of an item.
  func readImage(_ path: String, of index: Int) throws(ModelError) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read(path, limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.at(item: index)
    }
  }
}

/// The purpose that an item is assigned to.
public enum DatasetSplit: String, Sendable, Hashable, CaseIterable {
  /// Used for training.
  case train = "TRAIN"
  /// Used to validate during training.
  case validation = "VALIDATION"
  /// Used for the final evaluation.
  case test = "TEST"
  /// Not assigned to a purpose.
  case unassigned = "UNASSIGNED"

  /// Creates a split from any of its names, such as `train` or `training`, ignoring case.
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

/// The kind of ground truth that a dataset has.
public enum DatasetKind: String, Sendable, Hashable, CaseIterable {
  /// Values for layers, read by ``ExampleDataset``.
  case examples
  /// Boxes, read by ``DetectionDataset``.
  case detections
  /// Masks, read by ``SegmentationDataset``.
  case masks
  /// Pairs of images, read by ``ImagePairs``.
  case pairs
  /// Videos with tracks, read by ``TrackDataset``.
  case tracks
  /// Questions about texts, read by ``QuestionDataset``.
  case questions
  /// Sentences with tagged words, read by ``TaggedSentences``.
  case sentences
  /// Images with their text, read by ``TextImages``.
  case textImages = "text-images"
  /// Recordings with what was said, read by ``Recordings``.
  case recordings
  /// Texts and prompts for language models, read by ``PromptDataset``.
  case prompts
  /// A test of the original TensorIO library, read by ``TestBundle``.
  case testBundle = "testbundle"

  /// Returns the kinds of dataset that a path can be read as, the most likely first; none if the
  /// format is unknown.
  ///
  /// A Pascal VOC folder may contain both boxes and masks, and a `.txt` file pairs, sentences or a text.
  public static func kinds(of path: String) -> [DatasetKind] {
    guard let kind = FileKind(at: path) else { return [] }
    if kind == .directory, FileKind(at: "\(path)/\(TestBundle.descriptionName)") == .file {
      return [.testBundle]
    }
    if kind == .file, path.hasFileExtension(in: ["txt"]) { return [.pairs, .sentences, .prompts] }
    if kind == .file, path.hasFileExtension(in: TaggedSentences.fileExtensions) {
      return [.sentences]
    }
    if QuestionDataset.matches(path, kind) { return [.questions] }
    if TrackDataset.matches(path, kind) { return [.tracks] }
    var kinds: [DatasetKind] = []
    if DetectionFormats.all.contains(where: { $0.matches(path, kind) }) {
      kinds.append(.detections)
    }
    if kind == .directory, MaskFolderLayout.layout(of: path) != nil { kinds.append(.masks) }
    if kinds.isEmpty, ExampleFormats.all.contains(where: { $0.matches(path, kind) }) {
      kinds.append(.examples)
    }
    if PromptDataset.matches(path, kind) { kinds.append(.prompts) }
    return kinds
  }
}
