package import TensorIOBundle
package import TensorIOImage
package import TensorIOJSON

/// The result of a task, which replaces the raw outputs it was decoded from.
package protocol TaskResult: Sendable {
  /// The key of the result among the outputs.
  var key: String { get }

  /// Writes the result as JSON.
  func write(to writer: inout JSONWriter)

  /// The result as lines of text.
  var textLines: [String] { get }

  /// The result as rows of a table.
  var tableRows: [ResultRow] { get }

  /// The result in one line, for streams.
  var summary: String { get }

  /// Inconsistencies in the outputs, one per line.
  var notes: [String] { get }

  /// What to draw on the image to show the result.
  var overlay: Overlay { get }

  /// Returns the subject of the result in an image, which is transparent elsewhere; `nil` for results
  /// without one.
  func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer?

  /// Writes the members of a record that are beside the outputs, such as counts of a stream.
  func writeRecordMembers(to writer: inout JSONWriter)
}

extension TaskResult {
  package var notes: [String] { [] }

  package var overlay: Overlay { Overlay() }

  package func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? { nil }

  package func writeRecordMembers(to writer: inout JSONWriter) {}
}

/// A row of a table of results.
package struct ResultRow {
  package let output: String
  package let index: String
  package let label: String
  package let value: String

  /// Creates a row.
  package init(output: String, index: String = "", label: String = "", value: String) {
    (self.output, self.index, self.label, self.value) = (output, index, label, value)
  }
}
