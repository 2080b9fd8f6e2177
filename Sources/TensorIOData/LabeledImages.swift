public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Pictures that have a label, or wait for one, whatever model they are for.
///
/// Where a ``ExampleDataset`` gives the layers of a model their values, and is opened whole or not at all, this
/// is the list itself: a picture that cannot be read is a problem of its own, and a label is optional.
///
/// ```swift
/// let pictures = try LabeledImages(at: "animals")
/// for index in 0..<pictures.count where pictures.problem(at: index) == nil {
///   print(pictures.name(at: index), pictures.labelIndexes(at: index).map { pictures.labels[$0] })
/// }
/// ```
///
/// It reads a folder of pictures, a folder of them per label, tables with a column `image` and lines of
/// JSON with a key of that name; `label` and `set` may stand beside it.
public struct LabeledImages: IndexedDataset {
  /// Where the pictures are told of.
  public let path: String
  /// All labels, in byte order.
  public let labels: [String]
  /// What is wrong with the list and its pictures.
  public let errors: [Diagnostic]
  /// What was left out, and why.
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

  /// Opens a list; throws when not a single picture can be read.
  public init(at path: String) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      var pictures = try LabeledImageReader.read(path, &log)
      for index in pictures.indices { Self.check(&pictures[index], &log) }
      if pictures.allSatisfy({ $0.error != nil }) {
        log.addEmptyDataError()
        try log.throwIfAny()
      }
      self.entries = pictures
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

  private static func check(_ picture: inout Entry, _ log: inout DataDiagnosticLog) {
    guard picture.error == nil, let fault = ImageHeaderCheck.diagnostic(for: picture.path) else { return }
    let problem = fault.diagnostic(path: picture.name)
    picture.error = problem
    log.add(problem)
  }
}

// MARK: Items

extension LabeledImages {
  /// How many pictures there are.
  public var count: Int { selection.count }

  /// What the list calls a picture.
  public func name(at index: Int) -> String { entries[selection[index]].name }

  /// Where a picture lies.
  public func imagePath(at index: Int) -> String { entries[selection[index]].path }

  /// What the list sets a picture apart for.
  public func split(at index: Int) -> DatasetSplit? { entries[selection[index]].split }

  /// What is wrong with a picture.
  public func error(at index: Int) -> Diagnostic? { entries[selection[index]].error }

  /// The label of a picture, if it has one.
  public func labelIndices(at index: Int) -> [Int] {
    entries[selection[index]].label.flatMap(labels.firstIndex(of:)).map { [$0] } ?? []
  }

  /// A picture with its label, to be written in another form.
  public func record(at index: Int) throws(ModelError) -> ExportRecord {
    try throwIfInvalid(item: index)
    return ExportRecord(
      imagePath: imagePath(at: index), labelIndices: labelIndices(at: index), split: split(at: index))
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> LabeledImages {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// The ways in which files tell of pictures and their labels.
enum LabeledImageReader {
  private static let columns = (image: "image", label: "label", part: "set")

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    if kind == .directory { return try folder(path, &log) }
    if path.hasFileExtension(in: ["csv", "tsv"]) { return try table(path, &log) }
    if path.hasFileExtension(in: ["ndjson", "jsonl"]) { return try lines(path, &log) }
    throw ModelError(
      .input,
      .wrongType(expected: "a folder of pictures, .csv, .tsv or .ndjson", actual: "something else"),
      file: path)
  }

  // MARK: Folders

  /// Pictures in a folder have its name for their label; those at the top have none.
  private static func folder(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    var pictures: [LabeledImages.Entry] = []
    for name in try DataPath.names(in: path) {
      guard FileKind(at: "\(path)/\(name)") == .directory else {
        add(name, in: path, label: nil, to: &pictures, &log)
        continue
      }
      for inner in try DataPath.names(in: "\(path)/\(name)") {
        add("\(name)/\(inner)", in: path, label: name, to: &pictures, &log)
      }
    }
    return pictures
  }

  private static func add(
    _ name: String, in folder: String, label: String?,
    to pictures: inout [LabeledImages.Entry], _ log: inout DataDiagnosticLog
  ) {
    let path = "\(folder)/\(name)"
    guard name.hasFileExtension(in: ImageFolderFormat.imageExtensions), FileKind(at: path) != .directory else {
      return log.add(.unexpectedFile, path: name)
    }
    pictures.append(LabeledImages.Entry(name: name, path: path, label: label))
  }

  // MARK: Tables

  private static func table(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    let separator = UInt8(ascii: path.hasFileExtension(in: ["tsv"]) ? "\t" : ",")
    var reader = CSVReader(bytes, separator: separator)
    let header = reader.next()?.cells.map(\.text.trimmed) ?? []
    guard let image = header.firstIndex(of: columns.image) else {
      log.add(.missingColumn(columns.image), path: "", line: 1)
      return []
    }
    let label = header.firstIndex(of: columns.label)
    let part = header.firstIndex(of: columns.part)
    var pictures: [LabeledImages.Entry] = []
    while let row = reader.next() {
      let texts = row.cells.map(\.text.trimmed)
      let fault =
        row.cells.count == header.count
        ? row.cells.compactMap(\.diagnostic).first
        : .raggedRow(expected: header.count, found: row.cells.count)
      guard fault == nil, !texts[image].isEmpty else {
        log.add(fault ?? .missingValue, path: "", line: row.place.line)
        continue
      }
      pictures.append(
        picture(
          texts[image], label.map { texts[$0] }, part.map { texts[$0] }, in: path.parentDirectory,
          line: row.place.line, &log))
    }
    return pictures
  }

  private static func picture(
    _ name: String, _ label: String?, _ part: String?, in folder: String, line: Int,
    _ log: inout DataDiagnosticLog
  ) -> LabeledImages.Entry {
    var picture = LabeledImages.Entry(
      name: name, path: DataPath.resolve(name, in: folder),
      label: label.flatMap { $0.isEmpty ? nil : $0 })
    guard let part, !part.isEmpty else { return picture }
    picture.split = DatasetSplit(name: part)
    if picture.split == nil {
      let problem = DataDiagnostic.unknownSplit(part).diagnostic(path: name, line: line)
      picture.error = problem
      log.add(problem)
    }
    return picture
  }

  // MARK: Lines

  private static func lines(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> [LabeledImages.Entry] {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    let lines = IndexedLines(bytes)
    var pictures: [LabeledImages.Entry] = []
    for line in lines.all {
      do throws(LocatedDiagnostic) {
        let fields = try object(line, lines)
        pictures.append(
          picture(
            try fields.string(columns.image), try text(fields, columns.label),
            try text(fields, columns.part), in: path.parentDirectory, line: line.number, &log))
      } catch {
        log.add(error)
      }
    }
    return pictures
  }

  private static func object(
    _ line: IndexedLine, _ lines: IndexedLines
  ) throws(LocatedDiagnostic) -> JSONObjectReader {
    let node: JSONNode
    do throws(DataDiagnostic) {
      node = try JSONNode(parsingData: lines[line])
    } catch {
      throw LocatedDiagnostic(error, at: .text("", line: line.number))
    }
    return try JSONObjectReader(node, line: line.number)
  }

  private static func text(
    _ fields: JSONObjectReader, _ key: String
  ) throws(LocatedDiagnostic) -> String? {
    fields.has(key) ? try fields.string(key) : nil
  }
}
