package import TensorIOJSON

/// The keys of an object and the value that they describe.
///
/// ```swift
/// static let state = ObjectFormat("a state", schema: "state", StateLink(output: "", input: "")) {
///   Field("output", \.output, .nonemptyString, required: "the name of an output", "…")
///   Field("input", \.input, .nonemptyString, required: "the name of an input", "…")
/// }
/// ```
///
/// Members are written in the order of the fields. An unknown key is a warning with a suggestion.
package final class ObjectFormat<Object: Sendable>: Sendable {
  /// The name of the object with its article, for messages.
  package let name: String
  /// The name of the object's definition in a JSON Schema.
  package let schemaName: String
  /// The keys in the order in which they are written.
  package let fields: [Field<Object>]
  /// The names of the keys.
  package let keys: [String]

  private let blank: Object
  private let readingOrder: [Int]
  /// Hints for keys that belong to other objects, by key.
  private let hints: @Sendable () -> [String: String]
  /// The error code for other keys; if `nil`, they are a warning.
  private let unknownKeyError: DiagnosticCode?
  private let rules: [Rule]
  private let constraints: @Sendable (inout SchemaDefinitions) -> [JSONValue.Member]
  /// Reads and writes the members with other keys; `nil` if there are none.
  private let others: OtherMembers<Object>?

  /// Reports what is wrong with an object as a whole.
  package typealias Rule = @Sendable (inout Object, ObjectFields, inout FormatReader) -> Void

  /// Creates a format.
  ///
  /// - Parameters:
  ///   - name: The name of the object with its article, for messages.
  ///   - schema: The name of the object's definition in a JSON Schema.
  ///   - blank: The object whose properties the members replace.
  ///   - first: The keys that are read before the others.
  ///   - hints: Hints for keys that belong to other objects.
  ///   - unknownKeyError: The error code for unknown keys; if `nil`, they are a warning.
  ///   - others: Reads and writes the members with other keys.
  ///   - rules: Checks of the object as a whole, which follow those of the keys.
  ///   - constraints: The rules as members of the JSON Schema, as far as it can express them.
  ///   - fields: The keys in the order in which they are written.
  package init(
    _ name: String, schema: String, _ blank: Object, readingFirst first: [String] = [],
    hints: @autoclosure @escaping @Sendable () -> [String: String] = [:],
    unknownKeyError: DiagnosticCode? = nil,
    others: OtherMembers<Object>? = nil, rules: [Rule] = [],
    constraints: @escaping @Sendable (inout SchemaDefinitions) -> [JSONValue.Member] = { _ in [] },
    @FieldBuilder<Object> _ fields: () -> [Field<Object>]
  ) {
    (self.name, schemaName, self.blank) = (name, schema, blank)
    let fields = fields()
    let keys = fields.map { $0.key }
    let early = first.compactMap { keys.firstIndex(of: $0) }
    readingOrder = early + keys.indices.filter { !early.contains($0) }
    (self.fields, self.keys) = (fields, keys)
    self.hints = hints
    (self.unknownKeyError, self.others) = (unknownKeyError, others)
    (self.rules, self.constraints) = (rules, constraints)
  }
}

/// The members of an object whose keys its format does not know.
package struct OtherMembers<Object: Sendable>: Sendable {
  /// Adds a member to the object.
  let read: @Sendable (JSONMember, inout Object, inout FormatReader) -> Void
  /// Writes the members after those that the format knows.
  let write: @Sendable (Object, inout JSONWriter) -> Void

  /// Reads and writes the members by closures.
  package init(
    read: @escaping @Sendable (JSONMember, inout Object, inout FormatReader) -> Void,
    write: @escaping @Sendable (Object, inout JSONWriter) -> Void
  ) {
    (self.read, self.write) = (read, write)
  }

  /// Keeps the members by key.
  package init(_ path: @autoclosure @escaping Field<Object>.Path<[String: JSONValue]>) {
    read = { member, object, _ in object[keyPath: path()][member.name] = member.value.value }
    write = { object, writer in
      for (key, value) in object[keyPath: path()].sorted(by: { $0.key < $1.key }) {
        writer.member(.init(key, value))
      }
    }
  }
}

/// Lists the fields of an object.
@resultBuilder
package enum FieldBuilder<Object: Sendable> {
  package static func buildExpression(_ field: Field<Object>) -> [Field<Object>] { [field] }
  package static func buildExpression(_ fields: [Field<Object>]) -> [Field<Object>] { fields }
  package static func buildBlock(_ parts: [Field<Object>]...) -> [Field<Object>] {
    var fields: [Field<Object>] = []
    fields.reserveCapacity(parts.count)
    // Appending a part as a whole would have the runtime search the conformances of the program.
    for part in parts { for field in part { fields.append(field) } }
    return fields
  }
  package static func buildExpression<Value>(
    _ setting: TaskSetting<Value>
  ) -> [Field<Object>] where Object == TaskSettings { [setting.field] }
  package static func buildOptional(_ fields: [Field<Object>]?) -> [Field<Object>] { fields ?? [] }
}

extension ObjectFormat {
  /// Reads an object; `nil` if it is none or lacks a required value.
  package func read(_ node: JSONNode, _ reader: inout FormatReader) -> Object? {
    var object = blank
    return read(node, into: &object, &reader) ? object : nil
  }

  /// Reads the members into an object and returns whether all required values are there.
  func read(_ node: JSONNode, into object: inout Object, _ reader: inout FormatReader) -> Bool {
    guard var fields = members(of: node, into: &object, &reader) else { return false }
    var isComplete = true
    for index in readingOrder
    where !self.fields[index].readMember(index, into: &object, &fields, &reader) {
      isComplete = false
    }
    for rule in rules { rule(&object, fields, &reader) }
    return isComplete
  }

  /// Writes an object.
  package func write(_ object: Object, _ writer: inout JSONWriter) {
    writer.object { writer in
      for field in fields { field.write(object, &writer) }
      others?.write(object, &writer)
    }
  }

  /// The format of a value that is such an object.
  package var value: ValueFormat<Object> {
    ValueFormat(
      FormatReference(expected: "an object", codes: .wrongType), schema: schema,
      read: { self.read($0, &$1) }, write: { self.write($0, &$1) })
  }

  /// The format of a value that is such an object, even if it lacks required values.
  ///
  /// Use it where later checks are useful anyway.
  package var partialValue: ValueFormat<Object> {
    ValueFormat(
      FormatReference(codes: .wrongType), schema: schema,
      read: { node, reader in
        var object = self.blank
        return self.read(node, into: &object, &reader) || node.kind == .object ? object : nil
      }, write: { self.write($0, &$1) })
  }

  /// Returns a reference to the object's definition in a JSON Schema.
  @Sendable func schema(_ definitions: inout SchemaDefinitions) -> JSONValue {
    definitions.reference(schemaName) { .object(members(&$0)) }
  }

  /// Returns the members of the object's JSON Schema.
  func members(_ definitions: inout SchemaDefinitions) -> [JSONValue.Member] {
    var properties: [JSONValue.Member] = []
    for field in fields { properties.append(.init(field.key, field.schema(&definitions))) }
    var members: [JSONValue.Member] = [.init("type", "object")]
    let required = fields.filter(\.isRequired).map { JSONValue.string($0.key) }
    if !required.isEmpty { members.append(.init("required", .array(required))) }
    members.append(.init("properties", .object(properties)))
    if others == nil { members.append(.init("additionalProperties", false)) }
    return members + constraints(&definitions)
  }
}

extension ObjectFormat {
  /// Returns the members whose keys are allowed, and reports the others.
  private func members(
    of node: JSONNode, into object: inout Object, _ reader: inout FormatReader
  ) -> ObjectFields? {
    guard let members = node.members else {
      reader.reportWrongType(node, "an object")
      return nil
    }
    var values = [JSONNode?](repeating: nil, count: keys.count)
    for member in members {
      let name = member.name
      if let index = keys.firstIndex(of: name) {
        values[index] = member.value
      } else if let others {
        if !reader.log.isFull { others.read(member, &object, &reader) }
      } else {
        report(member, name, &reader)
      }
    }
    return ObjectFields(node, keys, values)
  }

  private func report(_ member: JSONMember, _ name: String, _ reader: inout FormatReader) {
    if let hint = hints()[name] {
      reader.log.error(
        .misplacedKey, at: member.key, expected: "no \"\(name)\" in \(self.name)",
        "the key \"\(name)\" is not allowed in \(self.name)", suggestion: hint)
    } else if let code = unknownKeyError {
      guard !reader.log.isFull else { return }
      let allowed = keys.map { "\"\($0)\"" }.joined(separator: ", ")
      reader.log.error(
        code, at: member.key, expected: "one of \(allowed)",
        "unknown key \(member.key.excerpt) in \(self.name)", suggestion: "the keys are \(allowed)")
    } else if !reader.log.isFull(.warning) {
      let match = Spelling.closestMatch(to: name, among: keys)
      reader.log.warning(
        .unknownKey, at: member.key, "unknown key \(member.key.excerpt) in \(self.name)",
        suggestion: match.map { "did you mean \"\($0)\"?" })
    }
  }
}
