package import TensorIOJSON

/// The problems of one document, in the order of its text.
package struct DiagnosticLog {
  /// So many errors, and as many warnings, are listed: enough for any file that a person wrote.
  package static let maxPerSeverity = 100

  private var entries: [(offset: Int, problem: Diagnostic)] = []
  private var counts: [Diagnostic.Severity: Int] = [:]

  /// Nothing is wrong yet.
  package init() {}

  /// Whether no more errors will be listed, so that there is no use in looking for them.
  var isFull: Bool { isFull(.error) }

  /// Whether anything is wrong, rather than doubtful.
  package var hasErrors: Bool { counts[.error, default: 0] > 0 }

  func isFull(_ severity: Diagnostic.Severity) -> Bool {
    counts[severity, default: 0] > DiagnosticLog.maxPerSeverity
  }

  /// All problems, from the top of the text to the bottom.
  package var diagnostics: [Diagnostic] {
    // The sort is stable: problems of one place stay in the order in which they were found.
    entries.sorted { $0.offset < $1.offset }.map(\.problem)
  }

  /// Notes what is wrong with a value.
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

  /// Notes what is doubtful about a value.
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

  /// Notes that an object lacks a member.
  ///
  /// The path names the member, the place is the object's.
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

  /// Notes a problem of a place in the text, unless there are too many.
  mutating func add(_ severity: Diagnostic.Severity, offset: Int, _ problem: () -> Diagnostic) {
    let count = counts[severity, default: 0]
    counts[severity] = count + 1
    if count < DiagnosticLog.maxPerSeverity {
      entries.append((offset, problem()))
    } else if count == DiagnosticLog.maxPerSeverity {
      entries.append((.max, DiagnosticLog.truncationNotice(severity)))
    }
  }

  /// What is said in place of the problems beyond the limit.
  private static func truncationNotice(_ severity: Diagnostic.Severity) -> Diagnostic {
    Diagnostic(
      severity, .tooManyDiagnostics, path: "",
      message: "There are more \(severity)s than the \(maxPerSeverity) listed.",
      suggestion: "mend those first")
  }
}
