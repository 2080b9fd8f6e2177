package import TensorIOBundle
package import TensorIOJSON

/// Generates random values that match the JSON Schema of a format, reproducibly.
///
/// Conditions that involve several keys are not checked.
package struct RandomValue {
  package var random: SeededGenerator
  /// Returns the value of a definition that the schema alone does not determine, such as a layer; `nil` for others.
  package var substitute: (String, inout SeededGenerator) -> JSONSketch? = { _, _ in nil }
  private var definitions = SchemaDefinitions()

  /// Creates a generator.
  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns `true` once in some number of times.
  package mutating func oneIn(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  /// Returns one of several values.
  package mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// Returns the schema of a format's objects, whose definitions are then known.
  package mutating func schema(of format: ObjectFormat<some Sendable>) -> JSONValue {
    let schema = format.value.schema(&definitions)
    return resolved(schema)
  }

  /// Returns a value that matches a schema.
  package mutating func value(of schema: JSONValue) -> JSONSketch {
    if let name = Self.definition(schema) {
      if let value = substitute(name, &random) { return value }
      if name == "fileName" { return .string(pick(["labels.txt", "a b/ü.bin"])) }
    }
    let schema = resolved(schema)
    if let value = schema["const"] { return .token(value.text) }
    if let values = schema["enum"]?.elements { return .token(pick(values).text) }
    if let branches = (schema["anyOf"] ?? schema["oneOf"])?.elements, schema["type"] == nil {
      return value(of: pick(branches))
    }
    switch schema["type"]?.string ?? schema["type"]?.elements.map({ pick($0) })?.string {
    case "string": return .token(string(schema))
    case "boolean": return .token(pick(["true", "false"]))
    case "integer": return .token("\(integer(schema))")
    case "number": return number(schema)
    case "array": return .array(elements(schema))
    case "object" where schema["properties"] != nil: return .object(members(of: schema))
    case "object" where schema["additionalProperties"]?["$ref"] != nil:
      let values = schema["additionalProperties"] ?? [:]
      return .object(["first", "näxt"].prefix(pick([0, 1, 2])).map { ($0, value(of: values)) })
    default: return pick([.token("true"), .token("-1.5"), .string("text"), .numbers([1, 2])])
    }
  }

  /// Returns the members of an object that matches a schema: the required ones, and some of the others.
  package mutating func members(
    of schema: JSONValue, optionalOneIn rarity: Int = 2
  ) -> [(key: String, value: JSONSketch)] {
    let branch = (schema["anyOf"] ?? schema["oneOf"])?.elements.map { pick($0) }
    let required = [schema, branch].flatMap { $0?["required"]?.elements ?? [] }.compactMap(\.string)
    let excluded = branch?["properties"]?.members?.filter { $0.value == false }.map(\.key) ?? []
    var members: [(key: String, value: JSONSketch)] = []
    for property in schema["properties"]?.members ?? [] where !excluded.contains(property.key) {
      guard required.contains(property.key) || oneIn(rarity) else { continue }
      members.append((property.key, value(of: property.value)))
    }
    return members
  }

  private func resolved(_ schema: JSONValue) -> JSONValue {
    guard let name = Self.definition(schema) else { return schema }
    return definitions.members.first { $0.key == name }?.value ?? schema
  }

  private static func definition(_ schema: JSONValue) -> String? {
    schema["$ref"]?.string.map { String($0.dropFirst("#/$defs/".count)) }
  }

  /// Strings for the patterns of schemas; a new pattern needs an example here.
  private static let examples = [
    "^#[0-9A-Fa-f]{6}$": ["#7f7F80"],
    "^([Oo][Nn][Nn][Xx]|[Tt][Ee][Nn][Ss][Oo][Rr][Ff][Ll][Oo][Ww]|[Tt][Ff][Ll][Ii][Tt][Ee])$": [
      "onnx", "TensorFlow", "tflite",
    ],
  ]

  private mutating func string(_ schema: JSONValue) -> String {
    if let pattern = schema["pattern"]?.string {
      guard let examples = Self.examples[pattern] else { fatalError("no example of \(pattern)") }
      return JSONValue.string(pick(examples)).text
    }
    let texts = ["plants", "naïve", "🌱 sprouts", #"a \"quoted\" \\ \u00e9\n"#]
    return "\"\(pick(schema["minLength"] == nil ? texts + [""] : texts))\""
  }

  private mutating func integer(_ schema: JSONValue) -> Int {
    let (least, most) = (schema["minimum"]?.int ?? -1000, schema["maximum"]?.int ?? 1000)
    return pick([least, most, min(least + 3, most), .random(in: least...most, using: &random)])
  }

  private mutating func number(_ schema: JSONValue) -> JSONSketch {
    let texts = ["0", "0.5", "-1", "127.5", "4e-3", "2.0E+2", "1"].filter { text in
      let number = Double(text) ?? 0
      return (schema["minimum"]?.double).map { number >= $0 } ?? true
        && (schema["exclusiveMinimum"]?.double).map { number > $0 } ?? true
        && (schema["maximum"]?.double).map { number <= $0 } ?? true
    }
    return .token(pick(texts))
  }

  private mutating func elements(_ schema: JSONValue) -> [JSONSketch] {
    let least = schema["minItems"]?.int ?? 0
    // Lists of objects are short, so that descriptions are read fast.
    let most = min(schema["items"]?["$ref"] == nil ? 4 : 2, schema["maxItems"]?.int ?? 4)
    let count = Int.random(in: least...max(least, most), using: &random)
    let prefix = schema["prefixItems"]?.elements ?? []
    let isUnique = schema["uniqueItems"]?.bool == true
    return (0..<count).map { index in
      let items = index < prefix.count ? prefix[index] : schema["items"] ?? [:]
      return isUnique ? .string("\(pick(["a", "naïve", "d e"]))\(index)") : value(of: items)
    }
  }
}
