package import TensorIOJSON

/// How a value of one type stands in a document: how it is read and written, its JSON Schema, and what
/// the reference says about it.
///
/// A format is declared once. Readers, writers, schemas and reference pages derive from it.
package struct ValueFormat<Value>: Sendable {
  /// Reads a value, or reports why it is invalid and returns `nil`.
  package let read: @Sendable (JSONNode, inout FormatReader) -> Value?
  /// Writes a value.
  package let write: @Sendable (Value, inout JSONWriter) -> Void
  /// Returns the JSON Schema of the values.
  package let schema: @Sendable (inout SchemaDefinitions) -> JSONValue
  private let makeReference: @Sendable () -> FormatReference

  /// Creates a format.
  package init(
    _ reference: @autoclosure @escaping @Sendable () -> FormatReference = FormatReference(),
    schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONValue,
    read: @escaping @Sendable (JSONNode, inout FormatReader) -> Value?,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    (self.read, self.write) = (read, write)
    (self.schema, makeReference) = (schema, reference)
  }

  /// What the reference page says about the values.
  package var reference: FormatReference { makeReference() }

  /// Returns a value as an indented document with a line feed at the end.
  package func document(_ value: Value) -> [UInt8] {
    var writer = JSONWriter(.indented)
    write(value, &writer)
    return writer.bytes + [ASCII.lineFeed]
  }

  /// Returns the JSON text of a value.
  func text(of value: Value) -> String {
    var writer = JSONWriter()
    write(value, &writer)
    return writer.string
  }
}

/// What messages and a reference page say about the values of a format, besides the sentence about the
/// key.
///
/// Only the reference needs rules, so they are made on demand.
package struct FormatReference: Sendable {
  /// A value as JSON text.
  package var example: String?
  /// The codes of the diagnostics that a value can cause.
  package var codes: [DiagnosticCode] = []
  private var makeRule: @Sendable () -> String
  private var expectation: String?

  /// Creates a reference; `expectation` is what messages call a value, such as "a string".
  package init(
    _ rule: @autoclosure @escaping @Sendable () -> String = "", expected expectation: String? = nil,
    example: String? = nil, codes: DiagnosticCode...
  ) {
    (makeRule, self.expectation) = (rule, expectation)
    (self.example, self.codes) = (example, codes)
  }

  /// What messages call a value: the rule without markup, unless another text was given.
  package var expected: String { expectation ?? rule.filter { $0 != "`" } }

  /// The allowed values as Markdown, such as "`true` or `false`"; empty if the sentence says it.
  package var rule: String { makeRule() }

  /// Returns the reference of lists of the values.
  func list(of what: String) -> FormatReference {
    var reference = self
    (reference.makeRule, reference.expectation) = ({ "" }, "an array of \(what)")
    if !codes.contains(.wrongType) { reference.codes.insert(.wrongType, at: 0) }
    return reference
  }

  /// Returns a copy with the codes that it does not have yet.
  func adding(_ codes: [DiagnosticCode]) -> FormatReference {
    var reference = self
    reference.codes += codes.filter { !self.codes.contains($0) }
    return reference
  }
}

extension ValueFormat {
  /// Returns a format of another type whose values are converted from and to those of this one.
  ///
  /// `decode` returns the converted value, or reports why there is none and returns `nil`; `encode`
  /// returns the value to write.
  package func converted<Other>(
    _ decode: @escaping @Sendable (Value, JSONNode, inout FormatReader) -> Other?,
    back encode: @escaping @Sendable (Other) -> Value
  ) -> ValueFormat<Other> {
    ValueFormat<Other>(
      reference, schema: schema,
      read: { node, reader in
        self.read(node, &reader).flatMap { decode($0, node, &reader) }
      },
      write: { value, writer in self.write(encode(value), &writer) })
  }

  /// A format that writes its values on one line of an indented document.
  package var onOneLine: ValueFormat {
    ValueFormat(
      reference, schema: schema, read: read,
      write: { value, writer in writer.rawJSON(text(of: value).utf8) })
  }

  /// Returns a format with another JSON Schema.
  package func withSchema(
    _ schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONValue
  ) -> ValueFormat { ValueFormat(reference, schema: schema, read: read, write: write) }

  /// Returns a format whose objects can also be written in a short form, which is not an object.
  ///
  /// `expand` returns the value of a short form, and `shorten` the short form of a value, or `nil` if it
  /// has none.
  package func shortened<Short>(
    _ short: ValueFormat<Short>, expand: @escaping @Sendable (Short) -> Value,
    shorten: @escaping @Sendable (Value) -> Short?
  ) -> ValueFormat {
    ValueFormat(
      short.reference.adding(reference.codes),
      schema: { ["anyOf": [short.schema(&$0), self.schema(&$0)]] },
      read: { node, reader in
        node.kind == .object ? self.read(node, &reader) : short.read(node, &reader).map(expand)
      },
      write: { value, writer in
        if let text = shorten(value) {
          short.write(text, &writer)
        } else {
          self.write(value, &writer)
        }
      })
  }

  /// Returns a format with a check of the values that it reads.
  ///
  /// The check reports what is wrong and returns whether the value can be used.
  package func checked(
    _ code: DiagnosticCode,
    _ check: @escaping @Sendable (Value, JSONNode, inout FormatReader) -> Bool
  ) -> ValueFormat {
    ValueFormat(
      reference.adding([code]), schema: schema,
      read: { node, reader in
        self.read(node, &reader).flatMap { check($0, node, &reader) ? $0 : nil }
      },
      write: write)
  }
}

extension ValueFormat {
  /// Reads a document.
  ///
  /// - Throws: `ModelError` with the reason `invalidJSON` or, with all errors, `invalidData`.
  package func read(_ bytes: [UInt8], limits: JSONLimits) throws(ModelError) -> Value {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes, limits: limits)
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
    var reader = FormatReader()
    let value = read(document.root, &reader)
    guard let value, !reader.log.hasErrors else {
      throw ModelError(.input, .invalidData(reader.log.diagnostics.errorsOrAll))
    }
    return value
  }
}
