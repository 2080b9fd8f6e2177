internal import TensorIOCore
internal import TensorIOSystem

/// One way in which files hold examples.
protocol DataForm: Sendable {
  /// Which files are of this form, for messages.
  static var files: String { get }

  /// Whether what is at a path is of this form, by its name alone.
  static func reads(_ path: String, _ kind: FileKind) -> Bool

  /// Looks through all of the data and notes what is wrong with it.
  init(at path: String, for wanted: WantedData, _ log: inout DataLog) throws(ModelError)

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

extension DataForm {
  /// The index of an example's label, where it has one.
  func label(at index: Int) -> Int? { value(at: index, where: \.isLabelled)?.label }

  /// Where an example's picture lies, where it has one in a file.
  func picturePath(at index: Int) -> String? {
    guard case .picture(let path) = value(at: index, where: \.isPicture) else { return nil }
    return path
  }
}

/// All forms; a new one is a file and its name here.
enum DataForms {
  static let all: [any DataForm.Type] = [LabelledFolder.self, Table.self, ObjectLines.self]

  /// The form of what is at a path.
  static func form(of path: String) throws(ModelError) -> any DataForm.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard let form = all.first(where: { $0.reads(path, kind) }) else {
      let known = all.map { $0.files }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return form
  }
}

extension String {
  /// Whether the text ends in a dot and one of the endings, in whichever case.
  func hasEnding(_ endings: Set<String>) -> Bool {
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 && endings.contains(parts.last?.lowercased() ?? "")
  }
}
