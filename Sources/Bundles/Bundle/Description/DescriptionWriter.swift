package import TensorIOJSON

/// Writes a ``ModelDescription`` as a `model.json`.
///
/// Parsing the output returns an equal description. Keys are in the order of the documentation, and
/// optional keys with default values are omitted.
package struct DescriptionWriter: Sendable {
  /// The layout of the text.
  package var style: JSONWriter.Style

  /// Creates a writer.
  package init(_ style: JSONWriter.Style = .indented) {
    self.style = style
  }

  /// Returns the description as the bytes of a `model.json`, with a line feed at the end.
  package func write(_ description: ModelDescription) -> [UInt8] {
    var writer = JSONWriter(style)
    ModelDescription.format.write(description, &writer)
    return writer.bytes + [ASCII.lineFeed]
  }
}

extension ModelDescription {
  /// The description as the bytes of a `model.json`.
  public var json: [UInt8] { DescriptionWriter().write(self) }
}

extension JSONWriter {
  /// Writes a member whose value is an object.
  package mutating func member(_ name: String, _ members: (inout JSONWriter) -> Void) {
    member(name, object: members)
  }

  /// Writes a member whose value is an array of strings.
  package mutating func strings(_ name: String, _ texts: [String]) {
    member(name, array: { writer in texts.forEach { writer.value($0) } })
  }
}
