package import TensorIOCore

extension JSONWriter {
  /// Writes a problem with all that is known of it.
  package mutating func value(_ problem: Problem) {
    object { writer in
      writer.member("severity", problem.severity.rawValue)
      writer.member("code", problem.code)
      writer.optional("original", problem.original) { $0.value($1) }
      writer.member("path", problem.path)
      writer.optional("line", problem.line) { $0.value($1) }
      writer.optional("column", problem.column) { $0.value($1) }
      writer.optional("expected", problem.expected) { $0.value($1) }
      writer.optional("found", problem.found) { $0.value($1) }
      writer.member("message", problem.message)
      writer.optional("suggestion", problem.suggestion) { $0.value($1) }
    }
  }
}
