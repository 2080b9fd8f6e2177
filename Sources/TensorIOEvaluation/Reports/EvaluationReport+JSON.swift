public import TensorIOBundle
import TensorIOJSON

// MARK: Writing

extension EvaluationReport {
  /// The report as scripts read it: a list with an object for each result.
  ///
  /// Every object is whole: what the report says of itself stands in each, under `report`. A number
  /// that is none is `null`; the infinities are the strings `"Infinity"` and `"-Infinity"`. Of
  /// figures with the same name, the first is written.
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
        writer.member("program", toolVersion)
        writer.member("machine", machine)
      })
  }
}

// MARK: Reading

extension EvaluationReport {
  /// Reads what ``json`` wrote; a report without results has nothing to tell of itself either.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: JSONLimits.maxBytes))
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
    guard let elements = document.root.elements else {
      throw .unexpectedJSON(expected: "a list of results", node: document.root)
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
    toolVersion = try fields.string("program")
    machine = try fields.string("machine")
  }
}

/// The members of an object of a report, asked for by name and kind.
struct ReportObjectReader {
  let node: JSONNode
  private let values: [String: JSONNode]

  init(_ node: JSONNode) throws(ModelError) {
    guard let members = node.members else { throw .unexpectedJSON(expected: "an object", node: node) }
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
      guard let number = node.numberOrNonFinite else { throw .unexpectedJSON(expected: "a number", node: node) }
      return number
    }
  }

  func object(_ key: String) throws(ModelError) -> ReportObjectReader {
    try ReportObjectReader(value(key, "an object") { $0 })
  }

  /// What is read from each element of a list; nothing where there is no list.
  func list<Value>(
    _ key: String, _ read: (JSONNode) throws(ModelError) -> Value
  ) throws(ModelError) -> [Value] {
    guard let node = values[key] else { return [] }
    guard let elements = node.elements else { throw .unexpectedJSON(expected: "a list", node: node) }
    var list: [Value] = []
    for element in elements { list.append(try read(element)) }
    return list
  }

  /// What is read from a member that may not be there.
  func optional<Value>(
    _ key: String, _ read: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value? {
    values[key] == nil ? nil : try read(key)
  }

  private func value<Value>(
    _ key: String, _ expected: String, _ read: (JSONNode) -> Value?
  ) throws(ModelError) -> Value {
    guard let found = values[key] else { throw .unexpectedJSON(expected: "the key '\(key)'", node: node, code: .missingKey) }
    guard let value = read(found) else { throw .unexpectedJSON(expected: expected, node: found) }
    return value
  }
}

extension ModelError {
  /// The error of JSON that is no report.
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
  /// Writes a member whose value is a number, finite or not.
  mutating func member(_ name: String, number: Double) {
    key(name)
    value(number: number)
  }

  /// Writes a member whose value is a list of numbers, in one line.
  mutating func member(_ name: String, row: [Double]) {
    var line = JSONWriter(.compact)
    line.array { line in row.forEach { line.value(number: $0) } }
    key(name)
    rawJSON(line.bytes)
  }

  /// Infinities are strings, since JSON has no number for them and they are not nothing.
  mutating func value(number: Double) {
    if number.isInfinite { value(number > 0 ? "Infinity" : "-Infinity") } else { value(number) }
  }
}

extension JSONNode {
  /// A number that was written by ``TensorIOCore/JSONWriter/value(number:)``.
  var numberOrNonFinite: Double? {
    switch kind {
    case .number: double
    case .null: .nan
    case .string: ["Infinity": .infinity, "-Infinity": -.infinity][string ?? ""]
    default: nil
    }
  }
}
