package import TensorIOJSON

extension ObjectFormat {
  /// Returns the JSON Schema of documents that are such an object.
  ///
  /// The schemas in `schema/` are made by it; a test compares them. `tasks` are those that a
  /// description may declare.
  package func schemaDocument(
    title: String, description: String, tasks: [TaskFormat] = []
  ) -> JSONValue {
    var definitions = SchemaDefinitions()
    definitions.tasks = tasks
    let members = members(&definitions)
    return .object(
      [
        .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
        .init("title", .string(title)), .init("description", .string(description)),
      ] + members + [.init("$defs", .object(definitions.members))])
  }
}
