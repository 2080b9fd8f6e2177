import TensorIOTestSupport

/// Random JSON Schemas, and which values they allow.
struct RandomSchema {
  let schema: JSONTree
  private var definitions: [String: JSONTree] = [:]

  /// Creates a schema, whose definitions refer to themselves.
  init(_ generator: inout some RandomNumberGenerator) {
    definitions["tree"] = .object([
      "properties": .object([
        "value": Self.random(0, &generator), "next": .object(["$ref": .string("#/$defs/tree")]),
        "all": .object([
          "items": .object(["$ref": .string("#/$defs/tree")]), "maxItems": .number(2),
        ]),
      ]), "required": .array([.string("value")]), "type": .string("object"),
    ])
    var root = Self.random(3, &generator).object ?? [:]
    root["$defs"] = .object(definitions)
    root["title"] = .string("anything")
    schema = .object(root)
  }

  private static func random(
    _ depth: Int, _ generator: inout some RandomNumberGenerator
  ) -> JSONTree {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    func type(_ name: String) -> [String: JSONTree] { ["type": .string(name)] }
    switch number(0...(depth > 0 ? 13 : 6)) {
    case 0: return .object(type("integer"))
    case 1: return .object(["type": .array([.string("number"), .string("null")])])
    case 2: return .object(type("boolean"))
    case 3:
      let least = number(0...3)
      return .object(
        type("string").merging([
          "minLength": .number(Double(least)), "maxLength": .number(Double(least + number(0...4))),
        ]) { $1 })
    case 4:
      return .object([
        "enum": .array([
          .string("a\\"), .string("ab"), .number(1.5), .null,
          .array([.bool(true), .object(["k": .string("\u{e9}")])]), .string("abc"),
        ])
      ])
    case 5: return .object(["const": .string("\u{1F600}\n\"")])
    case 6: return .object(["type": .string("string"), "pattern": .string("^[a-\u{e9}\"]{2,4}$")])
    case 7, 8, 9:
      var properties: [String: JSONTree] = [:]
      for name in ["a", "ab", "b", "\u{e9}\"", ""].prefix(number(1...5)) {
        properties[name] = random(depth - 1, &generator)
      }
      var object = type("object")
      object["properties"] = .object(properties)
      object["required"] = .array(
        properties.keys.sorted().filter { _ in Bool.random(using: &generator) }.map(JSONTree.string)
      )
      switch number(0...3) {
      case 0: object["additionalProperties"] = random(depth - 1, &generator)
      case 1: object["additionalProperties"] = .bool(true)
      case 2: object["additionalProperties"] = .bool(false)
      default: break
      }
      return .object(object)
    case 10, 11:
      let least = number(0...3)
      var array = type("array")
      array["items"] = random(depth - 1, &generator)
      array["minItems"] = .number(Double(least))
      if Bool.random(using: &generator) {
        array["maxItems"] = .number(Double(least + number(0...2)))
      }
      if Bool.random(using: &generator) {
        array["prefixItems"] = .array((0...number(0...2)).map { _ in random(0, &generator) })
      }
      return .object(array)
    case 12: return .object(["$ref": .string("#/$defs/tree")])
    default:
      return .object([
        "anyOf": .array([random(depth - 1, &generator), random(depth - 1, &generator)])
      ])
    }
  }

  /// Whether the schema allows a value.
  func allows(_ value: JSONTree) -> Bool { Self.allows(value, schema, definitions) }

  private static func allows(
    _ value: JSONTree, _ schema: JSONTree, _ definitions: [String: JSONTree]
  ) -> Bool {
    func allows(_ value: JSONTree, _ schema: JSONTree) -> Bool {
      Self.allows(value, schema, definitions)
    }
    if let isAllowed = schema.bool { return isAllowed }
    if schema["$ref"] != nil { return definitions["tree"].map { allows(value, $0) } ?? false }
    if let values = schema["enum"]?.array { return values.contains(value) }
    if let constant = schema["const"] { return constant == value }
    if let schemas = schema["anyOf"]?.array { return schemas.contains { allows(value, $0) } }
    let types = schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string ?? "array"]
    guard types.contains(where: { hasType(value, $0) }) else { return false }
    if let text = value.string {
      let count = Double(text.unicodeScalars.count)
      return count >= schema["minLength"]?.number ?? 0
        && count <= schema["maxLength"]?.number ?? .infinity
        && (schema["pattern"] == nil
          || (2...4).contains(Int(count))
            && text.unicodeScalars.allSatisfy { ("a"..."\u{e9}").contains($0) || $0 == "\"" })
    }
    if let array = value.array {
      let prefix = schema["prefixItems"]?.array ?? []
      return Double(array.count) >= schema["minItems"]?.number ?? 0
        && Double(array.count) <= schema["maxItems"]?.number ?? .infinity
        && zip(array, prefix).allSatisfy(allows)
        && array.dropFirst(prefix.count).allSatisfy { allows($0, schema["items"] ?? .bool(true)) }
    }
    guard let object = value.object else { return true }
    let properties = schema["properties"]?.object ?? [:]
    let required = schema["required"]?.array?.compactMap(\.string) ?? []
    let others = schema["additionalProperties"] ?? .bool(true)
    return required.allSatisfy { object[$0] != nil }
      && object.allSatisfy { allows($0.value, properties[$0.key] ?? others) }
  }

  private static func hasType(_ value: JSONTree, _ type: String) -> Bool {
    switch value {
    case .null: type == "null"
    case .bool: type == "boolean"
    case .number(let number): type == "number" || type == "integer" && number == number.rounded()
    case .string: type == "string"
    case .array: type == "array"
    case .object: type == "object"
    }
  }
}
