import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// Typed access to the members of a JSON object.
struct JSONObjectReader {
  private let node: JSONNode
  private let line: Int?
  private let values: [String: JSONNode]

  /// Creates a reader for a value that must be an object.
  ///
  /// - Parameters:
  ///   - node: The value.
  ///   - line: The line of the value in an NDJSON file.
  /// - Throws: A ``LocatedDiagnostic`` if the value is not an object.
  init(_ node: JSONNode, line: Int? = nil) throws(LocatedDiagnostic) {
    guard let members = node.members else {
      throw LocatedDiagnostic(.wrongType(node, expected: "an object"), at: .value(node, line: line))
    }
    (self.node, self.line) = (node, line)
    values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The location of the object.
  var location: DataLocation { .value(node, line: line) }

  /// Returns the location of a member, or of the object if the member is missing.
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

  /// Returns all members, each of which must be an object.
  func objects() throws(LocatedDiagnostic) -> [String: JSONObjectReader] {
    var objects: [String: JSONObjectReader] = [:]
    for name in values.keys { objects[name] = try object(name) }
    return objects
  }

  /// The names of all members, in byte order.
  var names: [String] { values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Returns an array member of exactly `count` numbers.
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
      throw LocatedDiagnostic(
        .wrongCount(expected: count, found: numbers.count), at: location(of: key))
    }
    return numbers
  }

  /// Returns whether a member is `true` or 1; a missing member is `false`.
  func bool(_ key: String) throws(LocatedDiagnostic) -> Bool {
    guard has(key) else { return false }
    return try value(key, "0, 1, true or false") { node in
      node.bool ?? node.int.flatMap { [0: false, 1: true][$0] }
    }
  }

  /// Returns whether there is a member that is not `null`.
  func has(_ key: String) -> Bool { values[key].map { $0.kind != .null } ?? false }

  /// Returns whether a member is an object.
  func isObject(_ key: String) -> Bool { values[key]?.members != nil }

  /// Returns whether a member is a string.
  func isString(_ key: String) -> Bool { values[key]?.string != nil }

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

/// A nonblank line of a text.
struct IndexedLine: Sendable {
  /// The line number, from 1.
  let number: Int
  let range: Range<Int>

  /// Parses the line as a JSON object.
  func object(in lines: IndexedLines) throws(LocatedDiagnostic) -> JSONObjectReader {
    let node: JSONNode
    do throws(DataDiagnostic) {
      node = try JSONNode(parsingData: lines[self])
    } catch {
      throw LocatedDiagnostic(error, at: .text("", line: number))
    }
    return try JSONObjectReader(node, line: number)
  }
}

/// A text split into its nonblank lines.
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

  /// Returns the bytes of a line.
  subscript(line: IndexedLine) -> [UInt8] { Array(bytes[line.range]) }
}

/// Paths of the files that datasets refer to.
enum DataPath {
  /// Returns an absolute name unchanged, and a relative one within a folder.
  static func resolve(_ name: String, in folder: String) -> String {
    name.hasPrefix("/") ? name : "\(folder)/\(name)"
  }

  /// Returns the first candidate that is an existing file, or the first candidate if none is.
  static func firstExisting(of candidates: [String]) -> String {
    candidates.first { FileKind(at: $0) == .file } ?? candidates.first ?? ""
  }

  /// Returns the entries of a folder that are not hidden, in byte order.
  static func names(in folder: String) throws(ModelError) -> [String] {
    do {
      return try FileSystem.entryNames(in: folder).filter { !$0.hasPrefix(".") }
    } catch {
      throw ModelError(.input, error.reason(named: folder))
    }
  }
}

extension String {
  /// The folder that contains the path.
  var parentDirectory: String { FilePath.parent(of: self) }
}
