package import TensorIOJSON

/// A result whose JSON differs from its columns, or which has members beside it in a record.
package protocol DirectlyWrittenResult: TaskResult {
  /// Writes the result as JSON.
  func writeContent(to writer: inout JSONWriter)

  /// Writes the members of a record that are beside the outputs, such as counts of a stream.
  func writeRecordMembers(to writer: inout JSONWriter)
}

extension DirectlyWrittenResult {
  package func writeContent(to writer: inout JSONWriter) { column.entryWriter(0, &writer) }

  package func writeRecordMembers(to writer: inout JSONWriter) {}
}
