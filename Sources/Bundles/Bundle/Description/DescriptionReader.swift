public import TensorIOJSON

/// Reads a `model.json` and reports all of its errors and warnings together.
///
/// Older forms of the format are read with a warning. Ambiguous or invalid values are errors.
/// `Documentation/ModelJSON.md` documents all rules.
package struct DescriptionReader: Sendable {
  /// The backends of the library.
  package static let standardBackends = Set(ModelFormat.standard.map(\.backend))

  /// The backends that a description may name.
  package var backends: Set<BackendIdentifier>
  /// The tasks that a description may declare; `nil` accepts every task with any settings.
  package var tasks: TaskRegistry?
  /// The maximum size and depth of a description.
  package var limits = JSONLimits.modelDescription

  /// Creates a reader with the standard limits.
  package init(
    backends: Set<BackendIdentifier> = DescriptionReader.standardBackends,
    tasks: TaskRegistry? = nil
  ) {
    (self.backends, self.tasks) = (backends, tasks)
  }

  /// Parses a description.
  package func read(_ bytes: [UInt8]) -> DescriptionReport {
    do throws(JSONError) {
      let document = try JSONDocument(parsing: bytes, limits: limits, dialect: .modelDescription)
      var reader = FormatReader()
      reader.names = DescriptionNames(backends: backends, tasks: tasks)
      let description = reader.description(of: document)
      return DescriptionReport(
        description: reader.log.hasErrors ? nil : description, diagnostics: reader.log.diagnostics,
        document: document)
    } catch {
      return DescriptionReport(description: nil, diagnostics: [Diagnostic(error)], document: nil)
    }
  }
}

/// The result of reading a `model.json`.
package struct DescriptionReport: Sendable {
  /// The description, or `nil` if there are errors.
  package let description: ModelDescription?
  /// All errors and warnings in the order of the text.
  package let diagnostics: [Diagnostic]
  /// The JSON document, or `nil` if the text is not valid JSON.
  package let document: JSONDocument?

  /// The errors, which prevent the bundle from being opened.
  package var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }

  /// The warnings.
  package var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

  /// Returns the description.
  ///
  /// - Throws: ``ModelError`` with all diagnostics if there are errors.
  package func get() throws(ModelError) -> ModelDescription {
    guard let description else { throw ModelError(.bundle, .invalidDescription(diagnostics)) }
    return description
  }
}

extension ModelDescription {
  /// Parses a `model.json`.
  public init(json bytes: [UInt8]) throws(ModelError) {
    self = try DescriptionReader().read(bytes).get()
  }
}

extension Diagnostic {
  /// Creates a diagnostic from a JSON error.
  public init(_ error: JSONError) {
    self.init(
      .error, code: error.code.rawValue, path: error.pointer, line: error.position.line,
      column: error.position.column, expected: error.expected, found: error.found,
      message: "expected \(error.expected), found \(error.found)",
      suggestion: error.suggestion, legacyCode: LegacyCode.invalidJSON.rawValue)
  }
}

extension FormatReader {
  /// Reads the description in a document.
  fileprivate mutating func description(of document: JSONDocument) -> ModelDescription? {
    for use in document.extensionUses where !log.isFull(.warning) {
      report(use, in: document)
    }
    guard document.root.kind == .object else {
      log.error(
        .wrongType, at: document.root, expected: "an object", "a description is a JSON object",
        legacyCode: .invalidJSON)
      return nil
    }
    return ModelDescription.format.read(document.root, &self)
  }

  private mutating func report(_ use: JSONExtensionUse, in document: JSONDocument) {
    switch use.kind {
    case .byteOrderMark:
      log.warning(
        .byteOrderMark, at: document.root, found: "a byte order mark",
        "the file begins with a byte order mark, which JSON does not allow",
        suggestion: "save it as UTF-8 without byte order mark")
    default: reportTrailingComma(at: use.offset, in: document)
    }
  }

  private mutating func reportTrailingComma(at offset: Int, in document: JSONDocument) {
    let container = document.node(covering: offset)
    let position = document.position(of: offset)
    log.add(.warning, offset: offset) {
      Diagnostic(
        .warning, .trailingComma, path: container.pointer, at: position,
        expected: "no comma before the end", found: "','",
        message: "trailing comma, which strict JSON does not allow",
        suggestion: "remove the comma")
    }
  }
}
