import Foundation
package import TensorIOJSON
package import Testing

/// A JSON Schema in `schema/`, which is generated.
package enum SchemaFile {
  /// The maximum length of a line, unless a value does not fit.
  private static let maxLength = 120

  /// Compares a file with a schema, or writes it if `TENSORIO_RECORD` is set.
  package static func expect(
    _ schema: JSONValue, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = text(of: schema, indentation: "") + "\n"
    let file = URL(filePath: ProjectFiles.path("schema/\(name).schema.json"))
    if ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: file, encoding: .utf8) == text
    #expect(
      isCurrent, "schema/\(name).schema.json is stale: run the test with TENSORIO_RECORD=1",
      sourceLocation: sourceLocation)
  }

  /// Returns the text of a value, on one line if it fits.
  private static func text(of value: JSONValue, indentation: String) -> String {
    let line = value.text
    guard indentation.count + line.count > maxLength else { return line }
    let inner = indentation + "  "
    if let members = value.members {
      let lines = members.map { member in
        "\(inner)\(JSONValue.string(member.key).text): \(text(of: member.value, indentation: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
    }
    guard let elements = value.elements else { return line }
    let lines = elements.map { inner + text(of: $0, indentation: inner) }
    return "[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
  }
}
