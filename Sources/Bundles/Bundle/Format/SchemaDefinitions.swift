package import TensorIOJSON

/// The definitions of a JSON Schema, each of which is used by one or several values.
package struct SchemaDefinitions {
  /// The definitions in the order in which they were first used.
  package private(set) var members: [JSONValue.Member] = []
  /// The tasks that a description may declare.
  package var tasks: [TaskFormat] = []

  /// Creates an empty list.
  package init() {}

  /// Adds a definition unless it is already there, and returns a reference to it.
  package mutating func reference(
    _ name: String, _ schema: (inout SchemaDefinitions) -> JSONValue
  ) -> JSONValue {
    if !members.contains(where: { $0.key == name }) {
      // Takes the place first, so that the order is that of use.
      members.append(.init(name, .null))
      let definition = schema(&self)
      if let index = members.firstIndex(where: { $0.key == name }) {
        members[index].value = definition
      }
    }
    return ["$ref": .string("#/$defs/\(name)")]
  }
}

extension JSONValue {
  /// Returns an object with further members at its end.
  package func adding(_ members: [Member]) -> JSONValue {
    guard case .object(let own) = self else { return self }
    return .object(own + members)
  }
}
