package import TensorIOJSON

/// A key of an object: where its value is kept, how it is read and written, and what it means.
///
/// ```swift
/// Field("fit", \.fit, .choice(ImageFit.self), default: .crop, "How an image is fitted.")
/// ```
///
/// The diagnostics of the key, its place in the JSON Schema and its row in the reference derive from
/// this declaration.
package struct Field<Object: Sendable>: Sendable {
  /// The key.
  package let key: String
  /// What the value means, for the schema and the reference: a sentence in Markdown.
  package let summary: String
  /// What the reference says about the values.
  package private(set) var reference: FormatReference
  /// Where the key is allowed, as a suggestion for an object that may not have it; `nil` for a key of
  /// one kind of object only.
  private(set) var hint: String?

  /// What is expected where a required key is missing; `nil` if the key is optional.
  private var requirement: String?
  /// The key whose presence makes this one unnecessary and unread.
  private var alternative: String?
  private let defaultText: (@Sendable () -> String)?
  private var absenceText: String?
  private let readValue: Read
  private let writeMember: @Sendable (Object, inout JSONWriter) -> Void
  private let valueSchema: @Sendable (inout SchemaDefinitions) -> JSONValue
  private var prepare: Check?
  private var check: Check?
  private var reportAbsence: (@Sendable (Object, ObjectFields, inout FormatReader) -> Void)?

  /// Returns the place of a value in an object.
  ///
  /// A key path is a function's argument without being created: the compiler replaces its uses by direct
  /// accesses where it can, and a key path that remains is created when a value is read.
  package typealias Path<Value> = @Sendable () -> WritableKeyPath<Object, Value>
  /// Reads the value of a key into an object and returns whether it is valid.
  package typealias Read =
    @Sendable (JSONNode, inout Object, ObjectFields, inout FormatReader) -> Bool
  /// Reports what is wrong with a value.
  package typealias Check =
    @Sendable (inout Object, JSONNode, ObjectFields, inout FormatReader) -> Void

  /// Creates a field that is read and written by closures, for keys that depend on others.
  package init(
    _ key: String, required requirement: String? = nil,
    default defaultText: (@Sendable () -> String)? = nil,
    _ reference: FormatReference, _ summary: String,
    schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONValue, read: @escaping Read,
    write: @escaping @Sendable (Object, inout JSONWriter) -> Void
  ) {
    (self.key, self.summary, self.requirement) = (key, summary, requirement)
    (self.reference, self.defaultText) = (reference, defaultText)
    (readValue, writeMember, valueSchema) = (read, write, schema)
  }
}

extension Field {
  /// Creates a required field; `requirement` is the expected value, for the message about a missing
  /// key, if it is not that of the format.
  @inline(__always)  // so that key paths become direct accesses
  package init<Value>(
    _ key: String, _ path: @autoclosure @escaping Path<Value>, _ format: ValueFormat<Value>,
    required requirement: String? = nil, _ summary: String
  ) {
    self.init(
      key, format, required: requirement ?? format.reference.expected, summary,
      get: { $0[keyPath: path()] }, set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field that is written if there is a value; `requirement` is the expected value if the
  /// key is required.
  @inline(__always)
  package init<Value>(
    _ key: String, _ path: @autoclosure @escaping Path<Value?>, _ format: ValueFormat<Value>,
    required requirement: String? = nil, _ summary: String
  ) {
    self.init(
      key, format, required: requirement, summary, get: { $0[keyPath: path()] },
      set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field with a default, which is not written unless `isAlwaysWritten`.
  @inline(__always)
  package init<Value: Equatable & Sendable>(
    _ key: String, _ path: @autoclosure @escaping Path<Value>, _ format: ValueFormat<Value>,
    default standard: Value, isAlwaysWritten: Bool = false, _ summary: String
  ) {
    self.init(
      key, format, default: { format.text(of: standard) }, summary,
      get: {
        let value = $0[keyPath: path()]
        return isAlwaysWritten || value != standard ? value : nil
      },
      set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field whose value is written if `get` returns one.
  private init<Value>(
    _ key: String, _ format: ValueFormat<Value>, required requirement: String? = nil,
    default defaultText: (@Sendable () -> String)? = nil, _ summary: String,
    get: @escaping @Sendable (Object) -> Value?,
    set: @escaping @Sendable (inout Object, Value) -> Void
  ) {
    self.init(
      key, required: requirement, default: defaultText, format.reference, summary,
      schema: format.schema,
      read: { node, object, _, reader in
        guard let value = format.read(node, &reader) else { return false }
        set(&object, value)
        return true
      },
      write: { object, writer in
        guard let value = get(object) else { return }
        writer.key(key)
        format.write(value, &writer)
      })
  }

  /// Creates a field whose value is an object with properties of the same value.
  package init(
    _ key: String, members format: ObjectFormat<Object>, _ summary: String
  ) {
    self.init(
      key, required: "an object", FormatReference(codes: .wrongType), summary,
      schema: format.schema,
      read: { node, object, _, reader in format.read(node, into: &object, &reader) },
      write: { object, writer in
        writer.key(key)
        format.write(object, &writer)
      })
  }

  /// Returns a field whose value is not kept and not written; an invalid value is an error if
  /// `isChecked`.
  package static func unkept<Value>(
    _ key: String, _ format: ValueFormat<Value>, isChecked: Bool = true, _ summary: String
  ) -> Field {
    Field(
      key, isChecked ? format.reference : FormatReference(), summary, schema: format.schema,
      read: { node, _, _, reader in !isChecked || format.read(node, &reader) != nil },
      write: { _, _ in })
  }

  /// Returns a field that is written but not read, because its value follows from others.
  package static func derived<Value>(
    _ key: String, _ format: ValueFormat<Value>, _ summary: String,
    _ value: @escaping @Sendable (Object) -> Value?
  ) -> Field {
    Field(
      key, format.reference, summary, schema: format.schema, read: { _, _, _, _ in true },
      write: { object, writer in
        guard let value = value(object) else { return }
        writer.key(key)
        format.write(value, &writer)
      })
  }

  /// Returns a field whose key is accepted but not read.
  package static func ignored(_ key: String) -> Field {
    Field(
      key, FormatReference(), "", schema: { _ in [:] }, read: { _, _, _, _ in true },
      write: { _, _ in })
  }
}

extension Field {
  private func changed(_ change: (inout Field) -> Void) -> Field {
    var field = self
    change(&field)
    return field
  }

  /// Suggests where the key is allowed, for objects in which it is misplaced.
  package func elsewhere(_ hint: String) -> Field { changed { $0.hint = hint } }

  /// Describes what a missing value means, for the reference.
  package func otherwise(_ absence: String) -> Field { changed { $0.absenceText = absence } }

  /// Sets the example of the reference, as JSON text.
  package func example(_ text: String) -> Field { changed { $0.reference.example = text } }

  /// Adds codes of diagnostics that depend on more than the value.
  package func reporting(_ codes: DiagnosticCode...) -> Field {
    changed { $0.reference.codes += codes }
  }

  /// Makes the key neither required nor read if another key is present.
  package func unless(_ alternative: String) -> Field { changed { $0.alternative = alternative } }

  /// Adds a check that is done before the value is read.
  package func prepared(_ check: @escaping Check) -> Field { changed { $0.prepare = check } }

  /// Adds a check of a value that was read, with the keys that stand before it.
  package func checked(_ check: @escaping Check) -> Field { changed { $0.check = check } }

  /// Adds a report that the key is missing.
  package func ifMissing(
    _ report: @escaping @Sendable (Object, ObjectFields, inout FormatReader) -> Void
  ) -> Field { changed { $0.reportAbsence = report } }

  /// Returns a field of an object that contains the objects of this field: `get` returns the inner
  /// object, or `nil` if there is none, and `set` replaces it.
  package func lifted<Outer: Sendable>(
    get: @escaping @Sendable (Outer) -> Object?,
    set: @escaping @Sendable (inout Outer, Object) -> Void
  ) -> Field<Outer> {
    var field = Field<Outer>(
      key, required: requirement, default: defaultText, reference, summary, schema: valueSchema,
      read: { node, outer, fields, reader in
        guard var object = get(outer) else { return false }
        let isValid = read(node, into: &object, fields, &reader)
        set(&outer, object)
        return isValid
      },
      write: { outer, writer in
        if let object = get(outer) { writeMember(object, &writer) }
      })
    field.absenceText = absenceText
    field.hint = hint
    field.alternative = alternative
    if let reportAbsence {
      field.reportAbsence = { outer, fields, reader in
        if let object = get(outer) { reportAbsence(object, fields, &reader) }
      }
    }
    return field
  }
}

extension Field {
  /// What a reference says about a missing key: its default, `required` or `none`.
  package var absence: String {
    absenceText
      ?? (requirement == nil ? (defaultText?()).map { "`\($0)`" } ?? "none" : "required")
  }

  /// Whether another object reports the key as misplaced.
  package var isMisplacedElsewhere: Bool { hint != nil }

  /// Whether the key must be present.
  package var isRequired: Bool { requirement != nil && alternative == nil }

  /// Reads the member and returns whether the object can be used.
  func readMember(
    _ index: Int, into object: inout Object, _ fields: inout ObjectFields,
    _ reader: inout FormatReader
  ) -> Bool {
    if let alternative, fields[alternative] != nil { return true }
    guard let node = fields[index] else {
      reportAbsence?(object, fields, &reader)
      guard let requirement else { return true }
      reader.log.missingKey(
        key, in: fields.node, expected: requirement, "missing key \"\(key)\"",
        suggestion: "add \"\(key)\", \(requirement)")
      return false
    }
    if read(node, into: &object, fields, &reader) { return true }
    fields.markInvalid(index)
    return requirement == nil
  }

  private func read(
    _ node: JSONNode, into object: inout Object, _ fields: ObjectFields,
    _ reader: inout FormatReader
  ) -> Bool {
    prepare?(&object, node, fields, &reader)
    guard readValue(node, &object, fields, &reader) else { return false }
    check?(&object, node, fields, &reader)
    return true
  }

  /// Writes the member if it has to be written.
  func write(_ object: Object, _ writer: inout JSONWriter) { writeMember(object, &writer) }

  /// Returns the JSON Schema of the value.
  func schema(_ definitions: inout SchemaDefinitions) -> JSONValue {
    var members: [JSONValue.Member] = []
    if let node = (defaultText?()).flatMap(JSONNode.init(compactJSON:)) {
      members.append(.init("default", node.value))
    }
    if !summary.isEmpty { members.append(.init("description", .string(summary))) }
    return valueSchema(&definitions).adding(members)
  }
}
