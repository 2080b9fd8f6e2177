import Foundation
package import TensorIOJSON
package import Testing

/// A JSON Schema in `schema/`, which is generated.
package enum SchemaFile {
  /// Compares a file with a schema, or writes it if `TENSORIO_RECORD` is set.
  package static func expect(
    _ schema: JSONValue, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var writer = JSONWriter(.indented)
    writer.value(schema)
    let text = writer.string + "\n"
    let file = URL(filePath: ProjectFiles.path("schema/\(name).schema.json"))
    if ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let isCurrent = try String(contentsOf: file, encoding: .utf8) == text
    #expect(
      isCurrent, "schema/\(name).schema.json is stale: run the test with TENSORIO_RECORD=1",
      sourceLocation: sourceLocation)
  }
}
