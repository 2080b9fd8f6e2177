import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// One way in which files hold examples.
protocol ExampleFormat: Sendable {
  /// Which files are of this form, for messages.
  static var summary: String { get }

  /// Whether what is at a path is of this form, by its name alone.
  static func matches(_ path: String, _ kind: FileKind) -> Bool

  /// Looks through all of the data and notes what is wrong with it.
  init(at path: String, for wanted: DataRequirements, _ log: inout DataDiagnosticLog) throws(ModelError)

  /// How many examples there are.
  var count: Int { get }
  /// What the indexes of labels mean.
  var labels: [String] { get }
  /// What an example is called.
  func name(at index: Int) -> String
  /// What the first wanted column of an example holds; `nil` where it cannot be read.
  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue?
  /// Reads an example.
  func item(at index: Int) throws(ModelError) -> [String: LayerValue]
}

extension ExampleFormat {
  /// The index of an example's label, where it has one.
  func label(at index: Int) -> Int? { value(at: index, where: \.isLabel)?.labelIndex }

  /// Where an example's picture lies, where it has one in a file.
  func imagePath(at index: Int) -> String? {
    guard case .image(let path) = value(at: index, where: \.isImage) else { return nil }
    return path
  }
}

/// All forms; a new one is a file and its name here.
enum ExampleFormats {
  static let all: [any ExampleFormat.Type] = [ImageFolderFormat.self, TableFormat.self, NDJSONFormat.self]

  /// The form of what is at a path.
  static func format(of path: String) throws(ModelError) -> any ExampleFormat.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard let form = all.first(where: { $0.matches(path, kind) }) else {
      let known = all.map { $0.summary }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return form
  }
}

extension String {
  /// Whether the text ends in a dot and one of the endings, in whichever case.
  func hasFileExtension(in endings: Set<String>) -> Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && endings.contains(parts.last?.lowercased() ?? "")
  }
}

/// A folder of pictures per label: `DATA/<label>/*.png`.
///
/// Both labels and pictures come in byte order of their names. What is hidden is ignored.
struct ImageFolderFormat: ExampleFormat {
  static let summary = "a folder with a folder of pictures per label"
  /// The endings by which pictures are told from other files.
  static let imageExtensions: Set<String> = [
    "png", "jpg", "jpeg", "webp", "bmp", "ppm", "pgm", "pnm",
  ]

  private struct Example {
    let folder: String
    let name: String
    let label: Int
  }

  let labels: [String]
  private let path: String
  private let imageColumn: DataColumn
  private let labelColumn: DataColumn
  private var examples: [Example] = []

  static func matches(_ path: String, _ kind: FileKind) -> Bool { kind == .directory }

  init(at path: String, for wanted: DataRequirements, _ log: inout DataDiagnosticLog) throws(ModelError) {
    (imageColumn, labelColumn) = try wanted.imageAndLabelColumns()
    self.path = path
    let entries = try DataPath.names(in: path)
    let folders = entries.filter { FileKind(at: "\(path)/\($0)") == .directory }
    labels = labelColumn.labels.isEmpty ? folders : labelColumn.labels
    for name in entries where !folders.contains(name) { Self.reportUnexpectedFile(name, &log) }
    for folder in folders { try addExamples(of: folder, &log) }
  }

  private mutating func addExamples(of folder: String, _ log: inout DataDiagnosticLog) throws(ModelError) {
    guard let index = labels.firstIndex(of: folder) else {
      return log.add(.unknownLabel(folder, among: labels), path: folder)
    }
    for name in try DataPath.names(in: "\(path)/\(folder)") {
      let place = "\(folder)/\(name)"
      guard Self.isImage(name), FileKind(at: "\(path)/\(place)") != .directory else {
        log.add(.unexpectedFile, path: place)
        continue
      }
      if !log.isErrorLimitReached, let fault = ImageHeaderCheck.diagnostic(for: "\(path)/\(place)") {
        log.add(fault, path: place)
      }
      examples.append(Example(folder: folder, name: name, label: index))
    }
  }

  private static func reportUnexpectedFile(_ name: String, _ log: inout DataDiagnosticLog) {
    log.add(isImage(name) ? .unlabeledImage : .unexpectedFile, path: name)
  }

  private static func isImage(_ name: String) -> Bool { name.hasFileExtension(in: imageExtensions) }

  var count: Int { examples.count }

  func name(at index: Int) -> String { "\(examples[index].folder)/\(examples[index].name)" }

  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue? {
    if isWanted(imageColumn) { return .image("\(path)/\(name(at: index))") }
    guard isWanted(labelColumn) else { return nil }
    return .value(labelColumn.value(ofLabel: examples[index].label, labelCount: labels.count))
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    [
      imageColumn.layer.name: try DataValue.image("\(path)/\(name(at: index))").load(),
      labelColumn.layer.name: labelColumn.value(ofLabel: examples[index].label, labelCount: labels.count),
    ]
  }
}
