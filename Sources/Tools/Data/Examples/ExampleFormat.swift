import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A file format for examples.
protocol ExampleFormat: Sendable {
  /// The files of this format, for messages.
  static var summary: String { get }

  /// Returns whether a path has this format, based on its name only.
  static func matches(_ path: String, _ kind: FileKind) -> Bool

  /// Validates the entire dataset and logs diagnostics.
  init(
    at path: String, for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) throws(ModelError)

  /// The number of examples.
  var count: Int { get }
  /// The label names by index.
  var labels: [String] { get }
  /// Returns the name of an example.
  func name(at index: Int) -> String
  /// Returns the value of the first column that satisfies a predicate; `nil` if it cannot be read.
  func value(at index: Int, where predicate: (DataColumn) -> Bool) -> DataValue?
  /// Returns the values of an example that belong to no layer, by name.
  func attributes(at index: Int) -> [String: String]
  /// Reads an example.
  func item(at index: Int) throws(ModelError) -> [String: LayerValue]
}

extension ExampleFormat {
  func attributes(at index: Int) -> [String: String] { [:] }

  /// Returns the label index of an example, if it has one.
  func label(at index: Int) -> Int? { value(at: index, where: \.isLabel)?.labelIndex }

  /// Returns the path of an example's image, if it has an image file.
  func imagePath(at index: Int) -> String? {
    guard case .file(let path) = value(at: index, where: \.isImage) else { return nil }
    return path
  }
}

/// The supported formats.
enum ExampleFormats {
  static let all: [any ExampleFormat.Type] = [
    FileFolderFormat.self, TableFormat.self, NDJSONFormat.self,
  ]

  /// Returns the format of a path.
  static func format(of path: String) throws(ModelError) -> any ExampleFormat.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard !path.hasFileExtension(in: ["parquet", "arrow", "feather"]) else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "Parquet and Arrow files have to be converted to .csv, for example in Python with "
            + "pandas.read_parquet(\"data.parquet\").to_csv(\"data.csv\", index=False)"),
        file: path)
    }
    guard let format = all.first(where: { $0.matches(path, kind) }) else {
      let known = all.map { $0.summary }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return format
  }
}

extension String {
  /// Returns whether the name has one of the file extensions, ignoring case.
  func hasFileExtension(in fileExtensions: Set<String>) -> Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && fileExtensions.contains(parts.last?.lowercased() ?? "")
  }
}

/// A folder with a folder of images or sounds per label: `DATA/<label>/*.png`.
///
/// Labels and files are in byte order of their names. Hidden files are ignored.
struct FileFolderFormat: ExampleFormat {
  static let summary = "a folder with a folder of images or sounds per label"
  private struct Example {
    let folder: String
    let name: String
    let label: Int
  }

  let labels: [String]
  private let path: String
  private let fileColumn: DataColumn
  private let labelColumn: DataColumn
  private var examples: [Example] = []

  static func matches(_ path: String, _ kind: FileKind) -> Bool { kind == .directory }

  init(
    at path: String, for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    (fileColumn, labelColumn) = try requirements.fileAndLabelColumns()
    self.path = path
    let entries = try DataPath.names(in: path)
    let folders = entries.filter { FileKind(at: "\(path)/\($0)") == .directory }
    labels = labelColumn.labels.isEmpty ? folders : labelColumn.labels
    for name in entries where !folders.contains(name) { Self.reportUnexpectedFile(name, &log) }
    for folder in folders { try addExamples(of: folder, &log) }
  }

  private mutating func addExamples(
    of folder: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    guard let index = labels.firstIndex(of: folder) else {
      return log.add(.unknownLabel(folder, among: labels), path: folder)
    }
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      let file = "\(folder)/\(name)"
      guard fileColumn.accepts(fileNamed: name), FileKind(at: "\(path)/\(file)") != .directory
      else {
        log.add(.unexpectedFile, path: file)
        continue
      }
      if !log.isErrorLimitReached,
        let diagnostic = fileColumn.diagnostic(forFile: "\(path)/\(file)")
      {
        log.add(diagnostic, path: file)
      }
      examples.append(Example(folder: folder, name: name, label: index))
    }
  }

  private static func reportUnexpectedFile(_ name: String, _ log: inout DataDiagnosticLog) {
    log.add(ImageFileName.isImage(name) ? .unlabeledImage : .unexpectedFile, path: name)
  }

  var count: Int { examples.count }

  func name(at index: Int) -> String { "\(examples[index].folder)/\(examples[index].name)" }

  func value(at index: Int, where predicate: (DataColumn) -> Bool) -> DataValue? {
    if predicate(fileColumn) { return .file("\(path)/\(name(at: index))") }
    guard predicate(labelColumn) else { return nil }
    return .value(labelColumn.value(ofLabel: examples[index].label, labelCount: labels.count))
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    [
      fileColumn.layer.name: try DataValue.file("\(path)/\(name(at: index))").load(),
      labelColumn.layer.name: labelColumn.value(
        ofLabel: examples[index].label, labelCount: labels.count),
    ]
  }
}
