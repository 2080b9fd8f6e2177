public import TensorIOBundle
import TensorIOJSON

// MARK: Writing

extension EvaluationReport {
  /// The report as JSON: an array with an object for each result.
  ///
  /// Every object is self-contained and repeats the command, date, version and machine under
  /// `report`. NaN is written as `null`, and infinities as the strings `"Infinity"` and
  /// `"-Infinity"`. Of several metrics with the same name, the first is written.
  public var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for result in results {
        writer.object { writer in
          result.writeMembers(to: &writer)
          writeReportInfo(to: &writer)
        }
      }
    }
    return writer.bytes + Array("\n".utf8)
  }

  private func writeReportInfo(to writer: inout JSONWriter) {
    writer.member(
      "report",
      object: { writer in
        writer.member("command", command)
        writer.member("date", date)
        writer.member("version", toolVersion)
        writer.member("machine", machine)
      })
  }
}

// MARK: Reading

extension EvaluationReport {
  /// Parses a report written by ``json``.
  ///
  /// - Throws: `ModelError` with reason `invalidJSON` if the text is not a report.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: JSONLimits.maxBytes))
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
    guard let elements = document.root.elements else {
      throw .unexpectedJSON(expected: "an array of results", node: document.root)
    }
    self.init([], command: "", date: "", toolVersion: "", machine: "")
    for element in elements {
      let fields = try ReportObjectReader(element)
      results.append(try EvaluationResult(fields))
      try readReportInfo(fields.object("report"))
    }
  }

  private mutating func readReportInfo(_ fields: ReportObjectReader) throws(ModelError) {
    command = try fields.string("command")
    date = try fields.string("date")
    toolVersion = try fields.string("version")
    machine = try fields.string("machine")
  }
}

/// Typed access to the members of an object in a report.
struct ReportObjectReader {
  let node: JSONNode
  private let values: [String: JSONNode]

  init(_ node: JSONNode) throws(ModelError) {
    guard let members = node.members else {
      throw .unexpectedJSON(expected: "an object", node: node)
    }
    self.node = node
    values = Dictionary(
      members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  subscript(key: String) -> JSONNode? { values[key] }

  func string(_ key: String) throws(ModelError) -> String {
    try value(key, "a string") { $0.string }
  }

  func bool(_ key: String) throws(ModelError) -> Bool {
    try value(key, "true or false") { $0.bool }
  }

  func number(_ key: String) throws(ModelError) -> Double {
    try value(key, "a number") { $0.numberOrNonFinite }
  }

  func integer(_ key: String) throws(ModelError) -> Int {
    try value(key, "an integer") { $0.int.flatMap(Int.init(exactly:)) }
  }

  func numbers(_ key: String) throws(ModelError) -> [Double] {
    try list(key) { (node) throws(ModelError) in
      guard let number = node.numberOrNonFinite else {
        throw .unexpectedJSON(expected: "a number", node: node)
      }
      return number
    }
  }

  func object(_ key: String) throws(ModelError) -> ReportObjectReader {
    try ReportObjectReader(value(key, "an object") { $0 })
  }

  /// Returns the elements of an array member; an empty array if it is missing.
  func list<Value>(
    _ key: String, _ read: (JSONNode) throws(ModelError) -> Value
  ) throws(ModelError) -> [Value] {
    guard let node = values[key] else { return [] }
    guard let elements = node.elements else {
      throw .unexpectedJSON(expected: "an array", node: node)
    }
    var list: [Value] = []
    for element in elements { list.append(try read(element)) }
    return list
  }

  /// Returns an optional member; `nil` if it is missing.
  func optional<Value>(
    _ key: String, _ read: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value? {
    values[key] == nil ? nil : try read(key)
  }

  private func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONNode) -> Value?
  ) throws(ModelError) -> Value {
    guard let found = values[key] else {
      throw .unexpectedJSON(expected: "the key '\(key)'", node: node, code: .missingKey)
    }
    guard let value = read(found) else { throw .unexpectedJSON(expected: expected, node: found) }
    return value
  }
}

extension ModelError {
  /// Returns the error for JSON that is not a report.
  static func unexpectedJSON(
    expected: String, node: JSONNode, code: JSONError.Code = .wrongType
  ) -> ModelError {
    ModelError(
      .input,
      .invalidJSON(
        JSONError(
          code, at: node.position, pointer: node.pointer, expected: expected, found: node.summary)))
  }
}

extension JSONWriter {
  /// Writes a member with a number that may be infinite or NaN.
  mutating func member(_ name: String, number: Double) {
    key(name)
    value(number: number)
  }

  /// Writes a member with an array of numbers on one line.
  mutating func member(_ name: String, row: [Double]) {
    var line = JSONWriter(.compact)
    line.array { line in row.forEach { line.value(number: $0) } }
    key(name)
    rawJSON(line.bytes)
  }

  /// Writes a number; infinities become strings, since JSON has no number for them.
  mutating func value(number: Double) {
    if number.isInfinite { value(number > 0 ? "Infinity" : "-Infinity") } else { value(number) }
  }
}

extension JSONNode {
  /// A number written by `JSONWriter.value(number:)`.
  var numberOrNonFinite: Double? {
    switch kind {
    case .number: double
    case .null: .nan
    case .string: ["Infinity": .infinity, "-Infinity": -.infinity][string ?? ""]
    default: nil
    }
  }
}
