package import TensorIOJSON

/// The diagnostics of one document, in the order of its text.
package struct DiagnosticLog {
  /// The maximum number of listed errors, and of listed warnings.
  package static let maxPerSeverity = 100

  private var entries: [(offset: Int, diagnostic: Diagnostic)] = []
  private var counts: [Diagnostic.Severity: Int] = [:]

  /// Creates an empty log.
  package init() {}

  /// Whether the maximum number of errors is reached, so that further checks can be skipped.
  var isFull: Bool { isFull(.error) }

  /// Whether the log contains an error.
  package var hasErrors: Bool { counts[.error, default: 0] > 0 }

  func isFull(_ severity: Diagnostic.Severity) -> Bool {
    counts[severity, default: 0] > DiagnosticLog.maxPerSeverity
  }

  /// All diagnostics, in the order of their location in the text.
  package var diagnostics: [Diagnostic] {
    // The sort is stable: diagnostics at one location stay in the order in which they were added.
    entries.sorted { $0.offset < $1.offset }.map(\.diagnostic)
  }

  /// Adds an error at a value.
  package mutating func error(
    _ code: DiagnosticCode, at node: JSONNode, expected: String, found: String? = nil,
    _ message: String, suggestion: String? = nil,
    legacyCode: Diagnostic.LegacyCode = .invalidDescription
  ) {
    add(.error, offset: node.range.lowerBound) {
      Diagnostic(
        .error, code, path: node.pointer, at: node.position, expected: expected,
        found: found ?? node.summary, message: message, suggestion: suggestion,
        legacyCode: legacyCode)
    }
  }

  /// Adds a warning at a value.
  package mutating func warning(
    _ code: DiagnosticCode, at node: JSONNode, expected: String? = nil, found: String? = nil,
    _ message: String, suggestion: String? = nil
  ) {
    add(.warning, offset: node.range.lowerBound) {
      Diagnostic(
        .warning, code, path: node.pointer, at: node.position, expected: expected,
        found: found ?? node.summary, message: message, suggestion: suggestion)
    }
  }

  /// Adds a diagnostic for a missing member of an object.
  ///
  /// The path is the missing member's; line and column are the object's.
  package mutating func missingKey(
    _ key: String, in object: JSONNode, severity: Diagnostic.Severity = .error,
    _ code: DiagnosticCode = .missingKey, expected: String, _ message: String,
    suggestion: String? = nil
  ) {
    add(severity, offset: object.range.lowerBound) {
      Diagnostic(
        severity, code, path: object.pointer + "/" + JSONPointer.escape(key), at: object.position,
        expected: expected, found: "nothing", message: message, suggestion: suggestion,
        legacyCode: severity == .error ? .invalidDescription : nil)
    }
  }

  /// Adds a diagnostic at an offset in the text, unless the limit is reached.
  mutating func add(_ severity: Diagnostic.Severity, offset: Int, _ diagnostic: () -> Diagnostic) {
    let count = counts[severity, default: 0]
    counts[severity] = count + 1
    if count < DiagnosticLog.maxPerSeverity {
      entries.append((offset, diagnostic()))
    } else if count == DiagnosticLog.maxPerSeverity {
      entries.append((.max, DiagnosticLog.truncationNotice(severity)))
    }
  }

  /// The diagnostic that replaces those beyond the limit.
  private static func truncationNotice(_ severity: Diagnostic.Severity) -> Diagnostic {
    Diagnostic(
      severity, .tooManyDiagnostics, path: "",
      message: "too many \(severity)s; only the first \(maxPerSeverity) are listed",
      suggestion: "fix those first")
  }
}
