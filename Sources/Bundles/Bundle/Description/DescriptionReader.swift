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
  package var tasks: [TaskFormat]?
  /// The maximum size and depth of a description.
  package var limits = JSONLimits.modelDescription

  /// Creates a reader with the standard limits.
  package init(
    backends: Set<BackendIdentifier> = DescriptionReader.standardBackends,
    tasks: [TaskFormat]? = nil
  ) {
    (self.backends, self.tasks) = (backends, tasks)
  }

  /// Parses a description.
  package func read(_ bytes: [UInt8]) -> DescriptionReport {
    do throws(JSONError) {
      let document = try JSONDocument(parsing: bytes, limits: limits, dialect: .modelDescription)
      var parser = DescriptionParser(document, backends: backends, tasks: tasks)
      let description = parser.parseDescription()
      return DescriptionReport(
        description: parser.log.hasErrors ? nil : description, diagnostics: parser.log.diagnostics,
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
      .error, DiagnosticCode(error.code), path: error.pointer, at: error.position,
      expected: error.expected, found: error.found,
      message: "expected \(error.expected), found \(error.found)",
      suggestion: error.suggestion, legacyCode: .invalidJSON)
  }
}
