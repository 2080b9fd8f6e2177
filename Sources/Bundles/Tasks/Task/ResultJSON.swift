package import TensorIOJSON

/// JSON of a result that does not follow from its columns, which only results of the library have.
///
/// It is a requirement of ``TaskResult``, because a cast to another protocol searches all conformances of the program, which
/// takes longer than writing the result.
public struct ResultJSON: Sendable {
  /// Writes a part of the JSON.
  package typealias Write = @Sendable (inout JSONWriter) -> Void

  /// Writes the result; `nil` if its columns are written.
  let content: Write?
  /// Writes the members of a record that are beside the outputs, such as counts of a stream.
  package let recordMembers: Write?

  init(content: Write? = nil, recordMembers: Write? = nil) {
    (self.content, self.recordMembers) = (content, recordMembers)
  }
}
