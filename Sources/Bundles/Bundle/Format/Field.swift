package import TensorIOJSON

/// A key of an object: where its value is kept, how it is read and written, and what it means.
///
/// ```swift
/// Field("fit", \.fit, .choice(ImageFit.self), default: .crop, "How an image is fitted.")
/// ```
///
/// The diagnostics of the key, its place in the JSON Schema and its row in the reference derive from
/// this declaration.
///
/// The format of the value and the documentation are made when they are used, because a document has few
/// of the keys that it may have.
package struct Field<Object: Sendable>: Sendable {
  /// The key.
  package let key: String
  /// The key whose presence makes this one unnecessary and unread.
  private var alternative: String?
  /// Returns what is expected where a required key is missing; `nil` if the key is optional.
  private let requirement: @Sendable () -> String?
  private var makeDocumentation: @Sendable () -> FieldDocumentation
  private var readValue: Read
  private var writeMember: @Sendable (Object, inout JSONWriter) -> Void
  private var reportAbsence: AbsenceReport?

  /// Returns the place of a value in an object.
  ///
  /// The initializers take a key path as an autoclosure and are inlined, so that the compiler replaces the
  /// key path by direct accesses. A key path that remains is made when a value is read or written.
  package typealias Path<Value> = @Sendable () -> WritableKeyPath<Object, Value>
  /// Returns the format of a value.
  package typealias Format<Value> = @Sendable () -> ValueFormat<Value>
  /// Reads the value of a key into an object and returns whether it is valid.
  package typealias Read =
    @Sendable (JSONNode, inout Object, ObjectFields, inout FormatReader) -> Bool
  /// Reports what is wrong with a value.
  package typealias Check =
    @Sendable (inout Object, JSONNode, ObjectFields, inout FormatReader) -> Void
  /// Reports that a key is missing.
  package typealias AbsenceReport =
    @Sendable (Object, ObjectFields, inout FormatReader) -> Void

  /// Creates a field that is read and written by closures, for keys that depend on others.
  package init(
    _ key: String, required requirement: @autoclosure @escaping @Sendable () -> String? = nil,
    default defaultText: (@Sendable () -> String)? = nil,
    _ reference: @autoclosure @escaping @Sendable () -> FormatReference, _ summary: String,
    schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONValue, read: @escaping Read,
    write: @escaping @Sendable (Object, inout JSONWriter) -> Void
  ) {
    (self.key, self.requirement, readValue, writeMember) = (key, requirement, read, write)
    makeDocumentation = {
      FieldDocumentation(
        summary: summary, reference: reference(), defaultText: defaultText, schema: schema)
    }
  }
}

/// What a schema and a reference page say about a key.
private struct FieldDocumentation {
  /// What the value means: a sentence in Markdown.
  let summary: String
  /// What the reference says about the values.
  var reference: FormatReference
  /// Returns the default as JSON text.
  let defaultText: (@Sendable () -> String)?
  /// Returns the JSON Schema of the values.
  let schema: @Sendable (inout SchemaDefinitions) -> JSONValue
  /// What a missing value means, if not the default.
  var absence: String?
  /// Where the key is allowed, as a suggestion for an object that may not have it; `nil` for a key of
  /// one kind of object only.
  var hint: String?
}

extension Field {
  /// Creates a required field; `requirement` is the expected value, for the message about a missing
  /// key, if it is not that of the format.
  @inline(__always)  // so that key paths become direct accesses
  package init<Value>(
    _ key: String, _ path: @autoclosure @escaping Path<Value>,
    _ format: @autoclosure @escaping Format<Value>, required requirement: String? = nil,
    _ summary: String
  ) {
    self.init(
      key, format, required: requirement ?? format().reference.expected, summary,
      get: { $0[keyPath: path()] }, set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field that is written if there is a value; `requirement` is the expected value if the
  /// key is required.
  @inline(__always)
  package init<Value>(
    _ key: String, _ path: @autoclosure @escaping Path<Value?>,
    _ format: @autoclosure @escaping Format<Value>, required requirement: String? = nil,
    _ summary: String
  ) {
    self.init(
      key, format, required: requirement, summary, get: { $0[keyPath: path()] },
      set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field with a default, which is not written unless `isAlwaysWritten`.
  @inline(__always)
  package init<Value: Equatable & Sendable>(
    _ key: String, _ path: @autoclosure @escaping Path<Value>,
    _ format: @autoclosure @escaping Format<Value>, default standard: Value,
    isAlwaysWritten: Bool = false, _ summary: String
  ) {
    self.init(
      key, format, default: { format().text(of: standard) }, summary,
      get: {
        let value = $0[keyPath: path()]
        return isAlwaysWritten || value != standard ? value : nil
      },
      set: { $0[keyPath: path()] = $1 })
  }

  /// Creates a field whose value is written if `get` returns one.
  private init<Value>(
    _ key: String, _ format: @escaping Format<Value>,
    required requirement: @autoclosure @escaping @Sendable () -> String? = nil,
    default defaultText: (@Sendable () -> String)? = nil, _ summary: String,
    get: @escaping @Sendable (Object) -> Value?,
    set: @escaping @Sendable (inout Object, Value) -> Void
  ) {
    self.init(
      key, required: requirement(), default: defaultText, format().reference, summary,
      schema: { format().schema(&$0) },
      read: { node, object, _, reader in
        guard let value = format().read(node, &reader) else { return false }
        set(&object, value)
        return true
      },
      write: { object, writer in
        guard let value = get(object) else { return }
        writer.key(key)
        format().write(value, &writer)
      })
  }

  /// Creates a field whose value is an object with properties of the same value.
  package init(
    _ key: String, members format: @autoclosure @escaping @Sendable () -> ObjectFormat<Object>,
    _ summary: String
  ) {
    self.init(
      key, required: "an object", FormatReference(codes: .wrongType), summary,
      schema: { format().schema(&$0) },
      read: { node, object, _, reader in format().read(node, into: &object, &reader) },
      write: { object, writer in
        writer.key(key)
        format().write(object, &writer)
      })
  }

  /// Returns a field whose value is not kept and not written; an invalid value is an error if
  /// `isChecked`.
  package static func unkept<Value: Sendable>(
    _ key: String, _ format: @autoclosure @escaping Format<Value>, default standard: Value? = nil,
    isChecked: Bool = true, _ summary: String
  ) -> Field {
    var defaultText: (@Sendable () -> String)?
    if let standard { defaultText = { format().text(of: standard) } }
    return Field(
      key, default: defaultText,
      isChecked ? format().reference : FormatReference(), summary,
      schema: { format().schema(&$0) },
      read: { node, _, _, reader in !isChecked || format().read(node, &reader) != nil },
      write: { _, _ in })
  }

  /// Returns a field that is written but not read, because its value follows from others.
  package static func derived<Value>(
    _ key: String, _ format: @autoclosure @escaping Format<Value>, _ summary: String,
    _ value: @escaping @Sendable (Object) -> Value?
  ) -> Field {
    Field(
      key, format().reference, summary, schema: { format().schema(&$0) },
      read: { _, _, _, _ in true },
      write: { object, writer in
        guard let value = value(object) else { return }
        writer.key(key)
        format().write(value, &writer)
      })
  }

  /// Returns a field whose key is accepted but not read.
  package static func ignored(_ key: String) -> Field {
    Field(
      key, FormatReference(), "", schema: { _ in [:] }, read: { _, _, _, _ in true },
      write: { _, _ in })
  }
}

// The modifiers consume the field, and their closures capture what they need of it, not the field.
extension Field {
  private consuming func documented(
    _ change: @escaping @Sendable (inout FieldDocumentation) -> Void
  ) -> Field {
    let make = makeDocumentation
    makeDocumentation = {
      var documentation = make()
      change(&documentation)
      return documentation
    }
    return self
  }

  /// Suggests where the key is allowed, for objects in which it is misplaced.
  package consuming func elsewhere(_ hint: String) -> Field { documented { $0.hint = hint } }

  /// Describes what a missing value means, for the reference.
  package consuming func otherwise(
    _ absence: @autoclosure @escaping @Sendable () -> String
  ) -> Field {
    documented { $0.absence = absence() }
  }

  /// Sets the example of the reference, as JSON text.
  package consuming func example(_ text: String) -> Field {
    documented { $0.reference.example = text }
  }

  /// Adds codes of diagnostics that depend on more than the value.
  package consuming func reporting(_ codes: DiagnosticCode...) -> Field {
    documented { $0.reference.codes += codes }
  }

  /// Makes the key neither required nor read if another key is present.
  package consuming func unless(_ alternative: String) -> Field {
    self.alternative = alternative
    return self
  }

  /// Adds a check that is done before the value is read.
  package consuming func prepared(_ check: @escaping Check) -> Field {
    let read = readValue
    readValue = { node, object, fields, reader in
      check(&object, node, fields, &reader)
      return read(node, &object, fields, &reader)
    }
    return self
  }

  /// Adds a check of a value that was read, with the keys that stand before it.
  package consuming func checked(_ check: @escaping Check) -> Field {
    let read = readValue
    readValue = { node, object, fields, reader in
      guard read(node, &object, fields, &reader) else { return false }
      check(&object, node, fields, &reader)
      return true
    }
    return self
  }

  /// Adds a report that the key is missing.
  package consuming func ifMissing(_ report: @escaping AbsenceReport) -> Field {
    reportAbsence = report
    return self
  }

  /// Makes the member be written for some objects only.
  package consuming func written(if condition: @escaping @Sendable (Object) -> Bool) -> Field {
    let write = writeMember
    writeMember = { object, writer in
      if condition(object) { write(object, &writer) }
    }
    return self
  }

  /// Returns a field of an object that contains the objects of this field: `get` returns the inner
  /// object, or `nil` if there is none, and `set` replaces it.
  package func lifted<Outer: Sendable>(
    get: @escaping @Sendable (Outer) -> Object?,
    set: @escaping @Sendable (inout Outer, Object) -> Void
  ) -> Field<Outer> {
    let (read, write, requirement) = (readValue, writeMember, requirement)
    var field = Field<Outer>(
      key, required: requirement(), FormatReference(), "", schema: { _ in [:] },
      read: { node, outer, fields, reader in
        guard var object = get(outer) else { return false }
        let isValid = read(node, &object, fields, &reader)
        set(&outer, object)
        return isValid
      },
      write: { outer, writer in
        if let object = get(outer) { write(object, &writer) }
      })
    (field.makeDocumentation, field.alternative) = (makeDocumentation, alternative)
    if let reportAbsence {
      field.reportAbsence = { outer, fields, reader in
        if let object = get(outer) { reportAbsence(object, fields, &reader) }
      }
    }
    return field
  }
}

extension Field {
  /// What the value means, for the schema and the reference: a sentence in Markdown.
  package var summary: String { makeDocumentation().summary }

  /// What the reference says about the values.
  package var reference: FormatReference { makeDocumentation().reference }

  /// Where the key is allowed, as a suggestion for an object that may not have it; `nil` for a key of
  /// one kind of object only.
  var hint: String? { makeDocumentation().hint }

  /// What a reference says about a missing key: its default, `required` or `none`.
  package var absence: String {
    let documentation = makeDocumentation()
    if let absence = documentation.absence { return absence }
    if requirement() != nil { return "required" }
    return (documentation.defaultText?()).map { "`\($0)`" } ?? "none"
  }

  /// Whether another object reports the key as misplaced.
  package var isMisplacedElsewhere: Bool { hint != nil }

  /// Whether the key must be present.
  package var isRequired: Bool { requirement() != nil && alternative == nil }

  /// Reads the member and returns whether the object can be used.
  func readMember(
    _ index: Int, into object: inout Object, _ fields: inout ObjectFields,
    _ reader: inout FormatReader
  ) -> Bool {
    if let alternative, fields[alternative] != nil { return true }
    guard let node = fields[index] else {
      reportAbsence?(object, fields, &reader)
      guard let requirement = requirement() else { return true }
      reader.log.missingKey(
        key, in: fields.node, expected: requirement, "missing key \"\(key)\"",
        suggestion: "add \"\(key)\", \(requirement)")
      return false
    }
    if readValue(node, &object, fields, &reader) { return true }
    fields.markInvalid(index)
    return requirement() == nil
  }

  /// Writes the member if it has to be written.
  func write(_ object: Object, _ writer: inout JSONWriter) { writeMember(object, &writer) }

  /// Returns the JSON Schema of the value.
  func schema(_ definitions: inout SchemaDefinitions) -> JSONValue {
    let documentation = makeDocumentation()
    var members: [JSONValue.Member] = []
    if let node = (documentation.defaultText?()).flatMap(JSONNode.init(compactJSON:)) {
      members.append(.init("default", node.value))
    }
    if !documentation.summary.isEmpty {
      members.append(.init("description", .string(documentation.summary)))
    }
    return documentation.schema(&definitions).adding(members)
  }
}
