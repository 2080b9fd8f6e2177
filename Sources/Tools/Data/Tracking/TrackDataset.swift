public import TensorIOBundle
import TensorIOSystem

/// The frames of videos with the tracks of objects, in the layout of MOTChallenge.
///
/// A sequence is a folder with the frames in `img1` and the boxes in `gt/gt.txt`; several sequences are
/// subfolders of one folder. Frames are read in the order of their names. A line of `gt.txt` has the
/// number of the frame from 1, the number of the object, left, top, width and height in pixels, and
/// possibly whether the box counts (0 or 1) and the class:
///
/// ```
/// 1,7,192.5,100,40,90,1,1
/// ```
///
/// Pixels begin at 1, as in MOTChallenge.
public struct TrackDataset: IndexedDataset {
  /// A box of an object in a frame, in pixels of the upright image.
  public struct Box: Sendable, Hashable {
    /// The number of the object, which is unique in its sequence.
    public let id: Int
    /// The left, top, right and bottom edge.
    public let edges: [Double]
  }

  /// A frame of a sequence.
  private struct Frame: Sendable {
    let sequence: Int
    let name: String
    let path: String
    var boxes: [Box] = []
  }

  /// The location of the boxes in the folder of a sequence.
  private static let boxesPath = "gt/gt.txt"
  /// The folder of the frames in the folder of a sequence.
  private static let framesPath = "img1"

  /// The path of the folder.
  public let path: String
  /// Always empty, because objects are followed whatever their class.
  public var labels: [String] { [] }
  /// Always empty, because a folder with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }
  /// The names of the sequences.
  public let sequences: [String]

  private var frames: [Frame] = []

  /// Opens the folder of a sequence, or a folder of such folders.
  ///
  /// - Throws: `ModelError` if a line is invalid, belongs to a missing frame, or an image cannot be read.
  public init(at path: String) throws(ModelError) { try self.init(at: path, checkingImages: true) }

  /// Opens sequences whose images can be checked when they are read, so that an unreadable one is an
  /// error of that frame only.
  package init(at path: String, checkingImages: Bool) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let names = try Self.sequenceNames(in: path)
      sequences = names
      for (index, name) in names.enumerated() {
        let folder = name.isEmpty ? path : "\(path)/\(name)"
        frames += try Self.frames(
          of: index, in: folder, prefix: name.isEmpty ? "" : "\(name)/", &log)
      }
      for frame in frames where checkingImages && !log.isErrorLimitReached {
        if let diagnostic = ImageHeaderCheck.diagnostic(for: frame.path) {
          log.add(diagnostic, path: frame.name)
        }
      }
      if frames.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  /// Returns the subfolders with sequences, or an empty name for a folder that is a sequence.
  private static func sequenceNames(in path: String) throws(ModelError) -> [String] {
    if isSequence(path) { return [""] }
    return try DataPath.names(in: path).filter { isSequence("\(path)/\($0)") }
  }

  private static func isSequence(_ path: String) -> Bool {
    FileKind(at: "\(path)/\(boxesPath)") == .file
      && FileKind(at: "\(path)/\(framesPath)") == .directory
  }

  /// Returns whether a path is a folder with sequences.
  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind == .directory else { return false }
    return (try? sequenceNames(in: path))?.isEmpty == false
  }

  private static func frames(
    of sequence: Int, in folder: String, prefix: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [Frame] {
    let names = try DataPath.names(in: "\(folder)/\(framesPath)")
    var frames = names.map {
      Frame(sequence: sequence, name: prefix + $0, path: "\(folder)/\(framesPath)/\($0)")
    }
    let file = "\(folder)/\(boxesPath)"
    let lines = IndexedLines(
      try FileBytes.read(file, limit: ExampleDataset.maxTextBytes, stage: .input))
    for line in lines.all where !log.isErrorLimitReached {
      let text = String(decoding: lines[line], as: UTF8.self).trimmed
      let fields = text.split(separator: ",").map { Double(String($0).trimmed) }
      guard fields.count >= 6, let numbers = fields as? [Double], numbers.allSatisfy(\.isFinite),
        let frame = Int(exactly: numbers[0]), frames.indices.contains(frame - 1),
        let id = Int(exactly: numbers[1]), numbers[4] > 0, numbers[5] > 0
      else {
        log.add(.invalidTrackRow(text), path: prefix + boxesPath, line: line.number)
        continue
      }
      guard numbers.count < 7 || numbers[6] != 0 else { continue }
      let (left, top) = (numbers[2] - 1, numbers[3] - 1)
      frames[frame - 1].boxes.append(
        Box(id: id, edges: [left, top, left + numbers[4], top + numbers[5]]))
    }
    return frames
  }
}

// MARK: Items

extension TrackDataset {
  /// The number of frames.
  public var count: Int { frames.count }

  /// Returns the name of a frame.
  public func name(at index: Int) -> String { frames[index].name }

  /// Returns the index of the sequence of a frame.
  public func sequence(at index: Int) -> Int { frames[index].sequence }

  /// Returns the boxes of a frame.
  public func boxes(at index: Int) -> [Box] { frames[index].boxes }

  /// Returns the path of a frame.
  public func imagePath(at index: Int) -> String { frames[index].path }

  /// Reads the file of a frame.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8] {
    try readImage(imagePath(at: index), of: index)
  }

  /// Returns an empty array, because objects have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because frames are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a folder with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the frames at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> TrackDataset {
    var subset = self
    subset.frames = indexes.map { frames[$0] }
    return subset
  }
}
