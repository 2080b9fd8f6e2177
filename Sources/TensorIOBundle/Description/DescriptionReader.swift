public import TensorIOJSON

/// Reads a `model.json`, and says all that is wrong with it at once.
///
/// What earlier versions of the format wrote is read with a warning; what could be meant in two
/// ways, or cannot be meant, is an error. `Documentation/ModelJSON.md` has every rule.
public struct DescriptionReader: Sendable {
  /// The runtimes that a description may ask for.
  public var backends: Set<BackendIdentifier> = [.tflite, .tensorflow]
  /// How large and how deep a description may be.
  public var limits = JSONLimits.modelDescription

  /// A reader with the usual limits.
  public init() {}

  /// Reads a description.
  public func read(_ bytes: [UInt8]) -> DescriptionReport {
    do throws(JSONError) {
      let document = try JSONDocument(parsing: bytes, limits: limits, dialect: .modelDescription)
      var reading = DescriptionParser(document, backends: backends)
      let description = reading.parseDescription()
      return DescriptionReport(
        description: reading.log.hasErrors ? nil : description, diagnostics: reading.log.diagnostics,
        document: document)
    } catch {
      return DescriptionReport(description: nil, diagnostics: [Diagnostic(error)], document: nil)
    }
  }
}

/// What came of reading a `model.json`.
public struct DescriptionReport: Sendable {
  /// What the document says; `nil` when anything in it is wrong.
  public let description: ModelDescription?
  /// All that is wrong or doubtful, in the order of the text.
  public let diagnostics: [Diagnostic]
  /// The document, where it is JSON at all.
  public let document: JSONDocument?

  /// The problems that keep a bundle from being opened.
  public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }

  /// The problems that do not.
  public var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

  /// The description, or an error with all problems.
  public func get() throws(ModelError) -> ModelDescription {
    guard let description else { throw ModelError(.bundle, .invalidDescription(diagnostics)) }
    return description
  }
}

extension ModelDescription {
  /// Reads a `model.json`.
  public init(json bytes: [UInt8]) throws(ModelError) {
    self = try DescriptionReader().read(bytes).get()
  }
}

extension Diagnostic {
  /// The problem of a text that is no JSON.
  public init(_ error: JSONError) {
    self.init(
      .error, DiagnosticCode(error.code), path: error.pointer, at: error.position, expected: error.expected,
      found: error.found, message: "Expected \(error.expected), found \(error.found).",
      suggestion: error.suggestion, legacyCode: .invalidJSON)
  }
}
