/// The problems of one document, in the order of its text.
package struct ProblemLog {
  /// So many errors, and as many warnings, are listed: enough for any file that a person wrote.
  static let limit = 100

  private var entries: [(offset: Int, problem: Problem)] = []
  private var counts: [Problem.Severity: Int] = [:]

  /// Nothing is wrong yet.
  package init() {}

  /// Whether no more errors will be listed, so that there is no use in looking for them.
  var isFull: Bool { isFull(.error) }

  /// Whether anything is wrong, rather than doubtful.
  package var hasErrors: Bool { counts[.error, default: 0] > 0 }

  func isFull(_ severity: Problem.Severity) -> Bool {
    counts[severity, default: 0] > ProblemLog.limit
  }

  /// All problems, from the top of the text to the bottom.
  package var problems: [Problem] {
    // The sort is stable: problems of one place stay in the order in which they were found.
    entries.sorted { $0.offset < $1.offset }.map(\.problem)
  }

  /// Notes what is wrong with a value.
  package mutating func error(
    _ code: ProblemCode, at node: JSONNode, expected: String, found: String? = nil,
    _ message: String, suggestion: String? = nil,
    original: Problem.OriginalCode = .invalidDescription
  ) {
    add(.error, offset: node.range.lowerBound) {
      Problem(
        .error, code, path: node.pointer, at: node.position, expected: expected,
        found: found ?? node.summary, message: message, suggestion: suggestion,
        original: original)
    }
  }

  /// Notes what is doubtful about a value.
  package mutating func warning(
    _ code: ProblemCode, at node: JSONNode, expected: String? = nil, found: String? = nil,
    _ message: String, suggestion: String? = nil
  ) {
    add(.warning, offset: node.range.lowerBound) {
      Problem(
        .warning, code, path: node.pointer, at: node.position, expected: expected,
        found: found ?? node.summary, message: message, suggestion: suggestion)
    }
  }

  /// Notes that an object lacks a member.
  ///
  /// The path names the member, the place is the object's.
  package mutating func missing(
    _ key: String, in object: JSONNode, severity: Problem.Severity = .error,
    _ code: ProblemCode = .missingKey, expected: String, _ message: String,
    suggestion: String? = nil
  ) {
    add(severity, offset: object.range.lowerBound) {
      Problem(
        severity, code, path: object.pointer + "/" + JSONPointer.escape(key), at: object.position,
        expected: expected, found: "nothing", message: message, suggestion: suggestion,
        original: severity == .error ? .invalidDescription : nil)
    }
  }

  /// Notes a problem of a place in the text, unless there are too many.
  mutating func add(_ severity: Problem.Severity, offset: Int, _ problem: () -> Problem) {
    let count = counts[severity, default: 0]
    counts[severity] = count + 1
    if count < ProblemLog.limit {
      entries.append((offset, problem()))
    } else if count == ProblemLog.limit {
      entries.append((.max, ProblemLog.omission(severity)))
    }
  }

  /// What is said in place of the problems beyond the limit.
  private static func omission(_ severity: Problem.Severity) -> Problem {
    Problem(
      severity, .tooManyProblems, path: "",
      message: "There are more \(severity)s than the \(limit) listed.",
      suggestion: "mend those first")
  }
}
