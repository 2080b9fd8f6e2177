public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Recordings with what was said in them.
///
/// A folder has a `.txt` file beside each `.wav` file. A table has a recording and its text in each row, with or without a
/// header, and a `.ndjson` file in each line:
///
/// ```json
/// {"audio": "calls/17.wav", "text": "Good morning, how can I help you?"}
/// ```
///
/// Recordings are relative to the folder of the file. Columns may also be named `path`, `file` or `audio_filepath`, and
/// `sentence`, `transcript` or `transcription`.
public struct Recordings: IndexedDataset {
  /// The path of the file or folder.
  public let path: String
  /// Always empty, because texts have no labels.
  public var labels: [String] { [] }
  /// Always empty, because a file with an error cannot be opened.
  public var errors: [Diagnostic] { [] }
  /// Always empty.
  public var warnings: [Diagnostic] { [] }

  private var items: [(name: String, text: String)] = []

  /// Opens a file or folder with recordings.
  ///
  /// - Throws: `ModelError` if a row or line is invalid, or there is no recording.
  public init(at path: String) throws(ModelError) {
    self.path = path
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      if FileKind(at: path) == .directory {
        try addFiles()
      } else if path.hasFileExtension(in: ["ndjson", "jsonl"]) {
        try addLines(&log)
      } else {
        try addRows(&log)
      }
      if items.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  private mutating func addFiles() throws(ModelError) {
    for name in try DataPath.names(in: path) where name.hasFileExtension(in: ["wav"]) {
      let textPath = "\(path)/\(FilePath.stem(of: name)).txt"
      guard FileKind(at: textPath) == .file else { continue }
      let bytes = try FileBytes.read(textPath, limit: ExampleDataset.maxTextBytes, stage: .input)
      items.append((name, String(decoding: bytes, as: UTF8.self)))
    }
  }

  private mutating func addLines(_ log: inout DataDiagnosticLog) throws(ModelError) {
    let lines = IndexedLines(
      try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input))
    for line in lines.all where !log.isErrorLimitReached {
      do throws(LocatedDiagnostic) {
        let object = try line.object(in: lines)
        let name = Self.audioNames.first(where: object.has) ?? Self.audioNames[0]
        let text = Self.textNames.first(where: object.has) ?? Self.textNames[0]
        items.append((try object.string(name), try object.string(text)))
      } catch {
        log.add(error)
      }
    }
  }

  private mutating func addRows(_ log: inout DataDiagnosticLog) throws(ModelError) {
    let text = try TableText(at: path)
    var reader = CSVReader(text.bytes, separator: text.separator)
    var columns = (audio: 0, text: 1)
    var isFirst = true
    while !log.isErrorLimitReached, let row = reader.next() {
      let cells = row.cells.map(\.text)
      if isFirst {
        isFirst = false
        let names = cells.map(\.trimmed)
        if let audio = names.firstIndex(where: Self.audioNames.contains),
          let text = names.firstIndex(where: Self.textNames.contains)
        {
          columns = (audio, text)
          continue
        }
      }
      guard cells.count > max(columns.audio, columns.text) else {
        log.add(.raggedRow(expected: 2, found: cells.count), path: "", line: row.position.line)
        continue
      }
      items.append((cells[columns.audio], cells[columns.text]))
    }
  }

  private static let audioNames = ["audio", "path", "file", "audio_filepath"]
  private static let textNames = ["text", "sentence", "transcript", "transcription"]
  /// The maximum size of a recording, in bytes.
  private static let maxFileBytes = 4 << 30
  private static let extensions: Set = ["csv", "tsv", "txt", "ndjson", "jsonl"]

  /// Returns whether a path can be one of recordings, which has the form of others.
  package static func matches(_ path: String) -> Bool {
    FileKind(at: path) == .directory || path.hasFileExtension(in: extensions)
  }
}

// MARK: Items

extension Recordings {
  /// The number of recordings.
  public var count: Int { items.count }

  /// Returns the name of a recording.
  public func name(at index: Int) -> String { items[index].name }

  /// Returns what was said in a recording.
  public func text(at index: Int) -> String { items[index].text }

  /// Reads the file of a recording.
  public func audioBytes(at index: Int) throws(ModelError) -> [UInt8] {
    let folder = FileKind(at: path) == .directory ? path : path.parentDirectory
    do throws(ModelError) {
      return try FileBytes.read(
        DataPath.resolve(items[index].name, in: folder), limit: Self.maxFileBytes,
        stage: .input)
    } catch {
      throw error.at(item: index)
    }
  }

  /// Returns an empty array, because texts have no labels.
  public func labelIndices(at index: Int) -> [Int] { [] }

  /// Returns `nil`, because recordings are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns `nil`, because a file with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns the recordings at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> Recordings {
    var subset = self
    subset.items = indexes.map { items[$0] }
    return subset
  }
}
