public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// A list of images with optional labels, independent of any model.
///
/// Unlike ``ExampleDataset``, which provides values for a model's layers and fails to open if any
/// example is invalid, this type reports an unreadable image as an error of that item only.
///
/// ```swift
/// import TensorIOData
///
/// let images = try LabeledImages(at: "animals")
/// for index in 0..<images.count where images.error(at: index) == nil {
///   print(images.name(at: index), images.labelIndices(at: index).map { images.labels[$0] })
/// }
/// ```
///
/// It reads a folder of images, a folder per label, `.csv` and `.tsv` tables with a column `image`,
/// and `.ndjson` files with a key `image`. The columns or keys `label` and `set` are optional.
public struct LabeledImages: IndexedDataset {
  /// The path of the folder or file.
  public let path: String
  /// All labels, in byte order.
  public let labels: [String]
  /// The errors of the list and of its images.
  public let errors: [Diagnostic]
  /// What was skipped while reading.
  public let warnings: [Diagnostic]

  private let entries: [Entry]
  private var selection: [Int]

  struct Entry: Sendable {
    let name: String
    let path: String
    var label: String?
    var split: DatasetSplit?
    var error: Diagnostic?
  }

  /// Opens a list of images.
  ///
  /// - Throws: `ModelError` if no image can be read.
  public init(at path: String) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      var entries = try LabeledImageReader.read(path, &log)
      for index in entries.indices { Self.check(&entries[index], &log) }
      if entries.allSatisfy({ $0.error != nil }) {
        log.addEmptyDataError()
        try log.throwIfAny()
      }
      self.entries = entries
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    labels = Set(entries.compactMap(\.label)).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    (errors, warnings) = (log.reportedErrors, log.warnings)
    selection = Array(entries.indices)
  }

  private static func check(_ entry: inout Entry, _ log: inout DataDiagnosticLog) {
    guard entry.error == nil,
      let diagnostic = ImageHeaderCheck.diagnostic(for: entry.path)?.diagnostic(path: entry.name)
    else { return }
    entry.error = diagnostic
    log.add(diagnostic)
  }
}

// MARK: Items

extension LabeledImages {
  /// The number of images.
  public var count: Int { selection.count }

  /// Returns the name of an image in the list.
  public func name(at index: Int) -> String { entries[selection[index]].name }

  /// Returns the path of an image.
  public func imagePath(at index: Int) -> String { entries[selection[index]].path }

  /// Returns the split that the list assigns an image to.
  public func split(at index: Int) -> DatasetSplit? { entries[selection[index]].split }

  /// Returns the error of an image.
  public func error(at index: Int) -> Diagnostic? { entries[selection[index]].error }

  /// Returns the index of an image's label, or an empty array if it has none.
  public func labelIndices(at index: Int) -> [Int] {
    entries[selection[index]].label.flatMap(labels.firstIndex(of:)).map { [$0] } ?? []
  }

  /// Returns an image and its label as a record for ``DatasetExporter``.
  public func record(at index: Int) throws(ModelError) -> ExportRecord {
    try throwIfInvalid(item: index)
    return ExportRecord(
      imagePath: imagePath(at: index), labelIndices: labelIndices(at: index),
      split: split(at: index))
  }

  /// Returns the images at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> LabeledImages {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// Reads lists of labeled images from folders, tables and NDJSON files.
enum LabeledImageReader {
  static let columns = (image: "image", label: "label", split: "set")

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    if kind == .directory { return try folder(path, &log) }
    if path.hasFileExtension(in: ["csv", "tsv"]) { return try table(path, &log) }
    if path.hasFileExtension(in: ["ndjson", "jsonl"]) { return try lines(path, &log) }
    throw ModelError(
      .input,
      .wrongType(expected: "a folder of images, .csv, .tsv or .ndjson", actual: "something else"),
      file: path)
  }

  // MARK: Folders

  /// Images in a subfolder are labeled with its name; images at the top level have no label.
  private static func folder(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    var entries: [LabeledImages.Entry] = []
    for name in try DataPath.names(in: path) {
      guard FileKind(at: "\(path)/\(name)") == .directory else {
        add(name, in: path, label: nil, to: &entries, &log)
        continue
      }
      for inner in try DataPath.names(in: "\(path)/\(name)") {
        add("\(name)/\(inner)", in: path, label: name, to: &entries, &log)
      }
    }
    return entries
  }

  private static func add(
    _ name: String, in folder: String, label: String?,
    to entries: inout [LabeledImages.Entry], _ log: inout DataDiagnosticLog
  ) {
    let path = "\(folder)/\(name)"
    guard ImageFileName.isImage(name), FileKind(at: path) != .directory else {
      return log.add(.unexpectedFile, path: name)
    }
    entries.append(LabeledImages.Entry(name: name, path: path, label: label))
  }

  // MARK: Tables

  private static func table(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    let text = try TableText(at: path)
    var reader = CSVReader(text.bytes, separator: text.separator)
    let header = reader.next()?.cells.map(\.text.trimmed) ?? []
    guard let image = header.firstIndex(of: columns.image) else {
      log.add(.missingColumn(columns.image), path: "", line: 1)
      return []
    }
    let label = header.firstIndex(of: columns.label)
    let split = header.firstIndex(of: columns.split)
    var entries: [LabeledImages.Entry] = []
    while let row = reader.next() {
      let texts = row.cells.map(\.text.trimmed)
      let diagnostic =
        row.cells.count == header.count
        ? row.cells.compactMap(\.diagnostic).first
        : .raggedRow(expected: header.count, found: row.cells.count)
      guard diagnostic == nil, !texts[image].isEmpty else {
        log.add(diagnostic ?? .missingValue, path: "", line: row.position.line)
        continue
      }
      entries.append(
        entry(
          texts[image], label.map { texts[$0] }, split.map { texts[$0] }, in: path.parentDirectory,
          line: row.position.line, &log))
    }
    return entries
  }

  private static func entry(
    _ name: String, _ label: String?, _ split: String?, in folder: String, line: Int,
    _ log: inout DataDiagnosticLog
  ) -> LabeledImages.Entry {
    var entry = LabeledImages.Entry(
      name: name, path: DataPath.resolve(name, in: folder),
      label: label.flatMap { $0.isEmpty ? nil : $0 })
    guard let split, !split.isEmpty else { return entry }
    entry.split = DatasetSplit(name: split)
    if entry.split == nil {
      let diagnostic = DataDiagnostic.unknownSplit(split).diagnostic(path: name, line: line)
      entry.error = diagnostic
      log.add(diagnostic)
    }
    return entry
  }

  // MARK: Lines

  private static func lines(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    let lines = IndexedLines(bytes)
    var entries: [LabeledImages.Entry] = []
    for line in lines.all {
      do throws(LocatedDiagnostic) {
        let fields = try line.object(in: lines)
        entries.append(
          entry(
            try fields.string(columns.image), try text(fields, columns.label),
            try text(fields, columns.split), in: path.parentDirectory, line: line.number, &log))
      } catch {
        log.add(error)
      }
    }
    return entries
  }

  private static func text(
    _ fields: JSONObjectReader, _ key: String
  ) throws(LocatedDiagnostic) -> String? {
    fields.has(key) ? try fields.string(key) : nil
  }
}
