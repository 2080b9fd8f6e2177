import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The members of an object, asked for by name and kind.
struct JSONObjectReader {
  private let node: JSONNode
  private let line: Int?
  private let values: [String: JSONNode]

  /// The members of a value that must be an object; in a file of lines, of one of them.
  init(_ node: JSONNode, line: Int? = nil) throws(LocatedDiagnostic) {
    guard let members = node.members else {
      throw LocatedDiagnostic(.wrongType(node, expected: "an object"), at: .value(node, line: line))
    }
    (self.node, self.line) = (node, line)
    values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// Where the object is.
  var location: DataLocation { .value(node, line: line) }

  /// Where a member is, or the object that lacks it.
  func location(of key: String) -> DataLocation { .value(values[key] ?? node, line: line) }

  func string(_ key: String) throws(LocatedDiagnostic) -> String {
    try value(key, "a string") { $0.string }
  }

  func integer(_ key: String) throws(LocatedDiagnostic) -> Int64 {
    try value(key, "an integer") { $0.int }
  }

  func number(_ key: String) throws(LocatedDiagnostic) -> Double {
    try value(key, "a number") { $0.double }
  }

  func elements(_ key: String) throws(LocatedDiagnostic) -> JSONElements {
    try value(key, "an array") { $0.elements }
  }

  func object(_ key: String) throws(LocatedDiagnostic) -> JSONObjectReader {
    try JSONObjectReader(value(key, "an object") { $0 }, line: line)
  }

  /// All members, each of which must be an object.
  func objects() throws(LocatedDiagnostic) -> [String: JSONObjectReader] {
    var objects: [String: JSONObjectReader] = [:]
    for name in values.keys { objects[name] = try object(name) }
    return objects
  }

  /// The names of all members, in byte order.
  var names: [String] { values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Exactly so many numbers.
  func numbers(_ key: String, count: Int) throws(LocatedDiagnostic) -> [Double] {
    let elements = try elements(key)
    var numbers: [Double] = []
    for element in elements {
      guard let number = element.double else {
        throw LocatedDiagnostic(
          .wrongType(element, expected: "a number"), at: .value(element, line: line))
      }
      numbers.append(number)
    }
    guard numbers.count == count else {
      throw LocatedDiagnostic(.wrongCount(expected: count, found: numbers.count), at: location(of: key))
    }
    return numbers
  }

  /// Whether something is true, or 1; what is not there is not.
  func bool(_ key: String) throws(LocatedDiagnostic) -> Bool {
    guard has(key) else { return false }
    return try value(key, "0, 1, true or false") { node in
      node.bool ?? node.int.flatMap { [0: false, 1: true][$0] }
    }
  }

  /// Whether there is a member that is not `null`.
  func has(_ key: String) -> Bool { values[key].map { $0.kind != .null } ?? false }

  private func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONNode) -> Value?
  ) throws(LocatedDiagnostic) -> Value {
    guard let node = values[key] else { throw LocatedDiagnostic(.missingKey(key), at: location) }
    guard let value = read(node) else {
      throw LocatedDiagnostic(.wrongType(node, expected: expected), at: location(of: key))
    }
    return value
  }
}

/// A line of a text that holds something.
struct IndexedLine: Sendable {
  /// From 1.
  let number: Int
  let range: Range<Int>
}

/// A text with a value per line; those that are blank are passed over.
struct IndexedLines: Sendable {
  let bytes: [UInt8]
  let all: [IndexedLine]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
      .filter { !$1.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }
      .map { IndexedLine(number: $0 + 1, range: $1.indices) }
  }

  /// The bytes of a line.
  subscript(line: IndexedLine) -> [UInt8] { Array(bytes[line.range]) }
}

/// Where data finds the files that it names.
enum DataPath {
  /// What a name stands for that a file in a folder gives.
  static func resolve(_ name: String, in folder: String) -> String {
    name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }

  /// The first of some places at which there is a file; the first of all when there is none.
  static func firstExisting(of candidates: [String]) -> String {
    candidates.first { FileKind(at: $0) == .file } ?? candidates.first ?? ""
  }

  /// What is in a folder and not hidden, in byte order.
  static func names(in folder: String) throws(ModelError) -> [String] {
    do {
      return try FileSystem.entryNames(in: folder).filter { !$0.hasPrefix(".") }
    } catch {
      throw ModelError(.input, error.reason(named: folder))
    }
  }

  /// The last part of a path.
  static func lastComponent(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// A file's name without its ending.
  static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension String {
  /// The folder that a path lies in.
  var parentDirectory: String { FilePath.parent(of: self) }
}
