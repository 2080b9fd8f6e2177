import TensorIOJSON

/// Makes a grammar of the JSON texts that a JSON Schema allows.
///
/// A keyword that is not supported is an error, so that no text silently lacks what the schema requires. Values are nested by
/// calling rules: one for each object, each array, and each schema that is referred to.
struct SchemaCompiler {
  /// The maximum size of a schema.
  private static let limits = JSONLimits(bytes: 1 << 20)

  /// Keywords that do not change which texts are allowed.
  private static let annotations: Set = [
    "$schema", "$id", "$comment", "$anchor", "$defs", "definitions", "title", "description",
    "default", "examples", "deprecated", "readOnly", "writeOnly",
  ]
  /// Keywords that describe a value by themselves, and those that they can be combined with.
  private static let complete: [(keyword: String, others: Set<String>)] = [
    ("$ref", []), ("enum", ["type"]), ("const", ["type"]), ("anyOf", []), ("oneOf", []),
    ("allOf", []),
  ]
  private static let objectKeywords = ["properties", "required", "additionalProperties"]
  private static let arrayKeywords = ["items", "prefixItems", "minItems", "maxItems"]
  private static let stringKeywords = ["pattern", "format", "minLength", "maxLength"]
  private static let types = ["object", "array", "string", "number", "integer", "boolean", "null"]

  private let document: JSONDocument
  private var grammar: ByteGrammar
  /// The rules of schemas that are referred to, by their offsets in the text.
  private var rules: [Int: Int32] = [:]
  private var pending: [(schema: JSONNode, rule: Int32)] = []
  /// The rule of any value.
  private var anyValue: Int32?
  private var anyObject: Int32?

  private init(_ document: JSONDocument, _ grammar: ByteGrammar) {
    (self.document, self.grammar) = (document, grammar)
  }

  /// Returns the first instruction of the texts of a schema.
  static func compile(
    _ schema: String, in grammar: inout ByteGrammar
  ) throws(ConstraintError) -> Int32 {
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: Array(schema.utf8), limits: limits)
    } catch {
      throw .invalidJSON(message: error.description)
    }
    var compiler = SchemaCompiler(document, grammar)
    let start = try compiler.value(document.root, then: ByteGrammar.end)
    while let (schema, rule) = compiler.pending.popLast() {
      compiler.grammar.setRule(rule, try compiler.value(schema, then: ByteGrammar.end))
    }
    grammar = compiler.grammar
    return start
  }

  private static func error(_ message: String, at node: JSONNode) -> ConstraintError {
    .invalidSchema(message: message, pointer: node.pointer)
  }
}

extension ByteGrammar {
  /// Creates the program of the texts that a JSON Schema allows.
  package init(schema: String, lookahead: Int) throws(ConstraintError) {
    try self.init(lookahead: lookahead) { (grammar) throws(ConstraintError) in
      try SchemaCompiler.compile(schema, in: &grammar)
    }
  }
}

// Schemas.
extension SchemaCompiler {
  /// Consumes a value; any value without a schema.
  private mutating func value(_ schema: JSONNode?, then: Int32) throws(ConstraintError) -> Int32 {
    guard let schema else { return try any(then: then) }
    if let isAllowed = schema.bool {
      return isAllowed ? try any(then: then) : ByteGrammar.dead
    }
    guard let members = schema.members else {
      throw Self.error("a schema is an object, 'true' or 'false'", at: schema)
    }
    let keywords = members.filter { !Self.annotations.contains($0.name) }
    for (keyword, others) in Self.complete {
      guard let node = schema[keyword] else { continue }
      if let other = keywords.first(where: { $0.name != keyword && !others.contains($0.name) }) {
        throw Self.error("'\(other.name)' is not supported beside '\(keyword)'", at: other.key)
      }
      return try complete(keyword, node, in: schema, then)
    }
    let known = Self.objectKeywords + Self.arrayKeywords + Self.stringKeywords
    if let other = keywords.first(where: { $0.name != "type" && !known.contains($0.name) }) {
      throw Self.error("the keyword '\(other.name)' is not supported", at: other.key)
    }
    guard !keywords.isEmpty else { return try any(then: then) }
    var places: [Int32] = []
    for type in try types(of: schema) { places.append(try value(schema, type, then)) }
    return try grammar.any(of: places)
  }

  private mutating func complete(
    _ keyword: String, _ node: JSONNode, in schema: JSONNode, _ then: Int32
  ) throws(ConstraintError) -> Int32 {
    switch keyword {
    case "$ref": return try grammar.add(.call(rule: rule(of: node), then: then))
    case "const": return try constants([node], in: schema, then)
    case "enum":
      guard let values = node.elements.map(Array.init), !values.isEmpty else {
        throw Self.error("'enum' is an array of values", at: node)
      }
      return try constants(values, in: schema, then)
    default:
      guard let schemas = node.elements.map(Array.init), !schemas.isEmpty else {
        throw Self.error("'\(keyword)' is an array of schemas", at: node)
      }
      guard keyword != "allOf" || schemas.count == 1 else {
        throw Self.error("'allOf' with more than one schema is not supported", at: node)
      }
      var places: [Int32] = []
      for schema in schemas { places.append(try value(schema, then: then)) }
      return try grammar.any(of: places)
    }
  }

  /// Returns the rule of the schema that a reference names.
  private mutating func rule(of reference: JSONNode) throws(ConstraintError) -> Int32 {
    guard let text = reference.string, text.utf8.first == UInt8(ascii: "#"),
      let schema = document.node(at: String(text.dropFirst()))
    else {
      throw Self.error(
        "'$ref' has to name a part of this schema, such as '#/$defs/name'", at: reference)
    }
    if let known = rules[schema.range.lowerBound] { return known }
    let rule = grammar.reserveRule()
    rules[schema.range.lowerBound] = rule
    pending.append((schema, rule))
    return rule
  }

  private mutating func constants(
    _ values: [JSONNode], in schema: JSONNode, _ then: Int32
  ) throws(ConstraintError) -> Int32 {
    let types = schema["type"] == nil ? nil : try types(of: schema)
    let texts = values.filter { value in
      types?.contains { type in
        type == value.kind.rawValue || type == "integer" && value.isInteger
      } ?? true
    }
    return try grammar.words(texts.map { $0.compactJSON.utf8.map(UInt32.init) }) {
      (grammar, next, isWord) throws(ConstraintError) in
      var places = isWord ? [then] : []
      for (byte, place) in next {
        places.append(try grammar.literal([UInt8(byte)], then: place))
      }
      return try grammar.any(of: places)
    }
  }

  /// Returns the types of a schema, which its keywords imply if it does not name them.
  private func types(of schema: JSONNode) throws(ConstraintError) -> [String] {
    guard let node = schema["type"] else {
      let implied = [
        ("object", Self.objectKeywords), ("array", Self.arrayKeywords),
        ("string", Self.stringKeywords),
      ]
      return implied.filter { $0.1.contains { schema[$0] != nil } }.map(\.0)
    }
    let types = node.elements.map { $0.map(\.string) } ?? [node.string]
    let known = types.compactMap(\.self).filter(Self.types.contains)
    guard known.count == types.count, !known.isEmpty else {
      throw Self.error(
        "'type' has to be one or several of '\(Self.types.joined(separator: "', '"))'", at: node)
    }
    return known
  }

  private mutating func value(
    _ schema: JSONNode, _ type: String, _ then: Int32
  ) throws(ConstraintError) -> Int32 {
    switch type {
    case "object":
      let rule =
        try Self.objectKeywords.contains { schema[$0] != nil }
        ? object(schema) : anyObjectRule()
      return try grammar.add(.call(rule: rule, then: then))
    case "array": return try grammar.add(.call(rule: array(schema), then: then))
    case "string": return try string(schema, then)
    case "integer": return try grammar.pattern(Self.integer, then: then)
    case "number": return try grammar.pattern(Self.number, then: then)
    case "boolean":
      return try grammar.any(of: [
        grammar.literal("true", then: then), grammar.literal("false", then: then),
      ])
    default: return try grammar.literal("null", then: then)
    }
  }

  /// Integers that fit in 64 bits, and numbers that a `Double` can hold.
  private static let integer = "0|-?[1-9][0-9]{0,17}"
  private static let number =
    "-?(?:0|[1-9][0-9]{0,15})(?:\\.[0-9]{1,16})?(?:[eE][-+]?[0-9]{1,2})?"
}

// Any value.
extension SchemaCompiler {
  private mutating func any(then: Int32) throws(ConstraintError) -> Int32 {
    try grammar.add(.call(rule: anyRule(), then: then))
  }

  private mutating func anyRule() throws(ConstraintError) -> Int32 {
    if let anyValue { return anyValue }
    let rule = grammar.reserveRule()
    anyValue = rule
    let object = try anyObjectRule()
    let elements = try Self.list("[", "]", in: &grammar) {
      (grammar, next) throws(ConstraintError) in
      try grammar.add(.call(rule: rule, then: next))
    }
    let array = grammar.rule(elements)
    let end = ByteGrammar.end
    var places = [
      try grammar.add(.call(rule: object, then: end)),
      try grammar.add(.call(rule: array, then: end)),
      try Self.text(in: &grammar, then: end), try grammar.pattern(Self.number, then: end),
    ]
    for word in ["true", "false", "null"] {
      places.append(try grammar.literal(word.utf8, then: end))
    }
    grammar.setRule(rule, try grammar.any(of: places))
    return rule
  }

  private mutating func anyObjectRule() throws(ConstraintError) -> Int32 {
    if let anyObject { return anyObject }
    let rule = grammar.reserveRule()
    anyObject = rule
    let value = try anyRule()
    let start = try Self.list("{", "}", in: &grammar) { (grammar, next) throws(ConstraintError) in
      let value = try grammar.add(.call(rule: value, then: next))
      return try Self.text(in: &grammar, then: Self.separator(":", in: &grammar, then: value))
    }
    grammar.setRule(rule, start)
    return rule
  }

  /// Consumes elements between brackets.
  private static func list(
    _ open: StaticString, _ close: StaticString, in grammar: inout ByteGrammar,
    _ element: (inout ByteGrammar, Int32) throws(ConstraintError) -> Int32
  ) throws(ConstraintError) -> Int32 {
    let end = try grammar.literal(close, then: ByteGrammar.end)
    let more = try grammar.reserve()
    let first = try element(&grammar, more)
    grammar.set(more, try separator(",", in: &grammar, then: first), end)
    return try grammar.literal(open, then: grammar.any(of: [first, end]))
  }

  /// Consumes a sign, and a space if there is one.
  private static func separator(
    _ sign: StaticString, in grammar: inout ByteGrammar, then: Int32
  ) throws(ConstraintError) -> Int32 {
    let rest = try grammar.any(of: [grammar.literal(" ", then: then), then])
    return try grammar.literal(sign, then: rest)
  }

  /// Consumes a string.
  private static func text(
    in grammar: inout ByteGrammar, min: Int = 0, max: Int? = nil, then: Int32
  ) throws(ConstraintError) -> Int32 {
    let end = try grammar.literal("\"", then: then)
    let content = try grammar.repeated(min: min, max: max, then: end) {
      (grammar, next) throws(ConstraintError) in
      try grammar.character(of: .all, isQuoted: true, then: next)
    }
    return try grammar.literal("\"", then: content)
  }
}

// Objects.
extension SchemaCompiler {
  /// Returns the rule of an object, with its properties in the order of the schema.
  private mutating func object(_ schema: JSONNode) throws(ConstraintError) -> Int32 {
    var properties: [(name: String, schema: JSONNode?)] = []
    if let node = schema["properties"] {
      guard let members = node.members else {
        throw Self.error("'properties' is an object of schemas", at: node)
      }
      properties = members.map { ($0.name, $0.value) }
    }
    let others = schema["additionalProperties"]
    // Properties without a schema are allowed unless it is said; they are left out if others are described.
    let allowsOthers = others.map { $0.bool != false } ?? (schema["properties"] == nil)
    var required: Set<String> = []
    let names = Set(properties.map(\.name))
    if let node = schema["required"] {
      guard let values = node.elements else {
        throw Self.error("'required' is an array of names", at: node)
      }
      for value in values {
        guard let name = value.string else {
          throw Self.error("'required' is an array of names", at: node)
        }
        guard required.insert(name).inserted, !names.contains(name) else { continue }
        guard others?.bool != false else {
          throw Self.error("the property '\(name)' is required, and not allowed", at: value)
        }
        properties.append((name, others))
      }
    }

    let end = try grammar.literal("}", then: ByteGrammar.end)
    // What follows a property, and what follows the opening brace.
    var (more, first) = (end, end)
    if allowsOthers {
      more = try grammar.reserve()
      let value = try value(others, then: more)
      let other = try otherName(
        than: properties.map(\.name), then: Self.separator(":", in: &grammar, then: value))
      grammar.set(more, try Self.separator(",", in: &grammar, then: other), end)
      first = try grammar.any(of: [other, end])
    }
    for property in properties.reversed() {
      let value = try value(property.schema, then: more)
      let member = try name(property.name, then: Self.separator(":", in: &grammar, then: value))
      let next = try Self.separator(",", in: &grammar, then: member)
      if required.contains(property.name) {
        (more, first) = (next, member)
      } else {
        (more, first) = try (grammar.any(of: [next, more]), grammar.any(of: [member, first]))
      }
    }
    return grammar.rule(try grammar.literal("{", then: first))
  }

  private mutating func name(_ name: String, then: Int32) throws(ConstraintError) -> Int32 {
    try grammar.literal(JSONWriter.quoted(name), then: then)
  }

  /// Consumes a name that is none of some others.
  private mutating func otherName(
    than names: [String], then: Int32
  ) throws(ConstraintError) -> Int32 {
    let end = try grammar.literal("\"", then: then)
    let rest = try grammar.repeated(min: 0, max: nil, then: end) {
      (grammar, next) throws(ConstraintError) in
      try grammar.character(of: .all, isQuoted: true, then: next)
    }
    guard !names.isEmpty else { return try grammar.literal("\"", then: rest) }
    let start = try grammar.words(names.map { $0.unicodeScalars.map(\.value) }) {
      (grammar, next, isName) throws(ConstraintError) in
      var places = isName ? [] : [end]
      for (scalar, place) in next {
        let set = ScalarSet([scalar...scalar])
        places.append(try grammar.character(of: set, isQuoted: true, then: place))
      }
      let others = ScalarSet(next.map { $0.0...$0.0 }).complement
      places.append(try grammar.character(of: others, isQuoted: true, then: rest))
      return try grammar.any(of: places)
    }
    return try grammar.literal("\"", then: start)
  }
}

// Arrays and strings.
extension SchemaCompiler {
  /// Returns the rule of an array.
  private mutating func array(_ schema: JSONNode) throws(ConstraintError) -> Int32 {
    let (min, max) = try range(of: schema, "minItems", "maxItems")
    var prefix: [JSONNode] = []
    if let node = schema["prefixItems"] {
      guard let elements = node.elements else {
        throw Self.error("'prefixItems' is an array of schemas", at: node)
      }
      prefix = Array(elements)
    }
    let item = grammar.reserveRule()
    grammar.setRule(item, try value(schema["items"], then: ByteGrammar.end))

    let end = try grammar.literal("]", then: ByteGrammar.end)
    // The elements that are described one by one: at least the first, which follows no comma.
    let singleCount = Swift.min(Swift.max(prefix.count, 1), max ?? .max)
    let others = Swift.max(0, min - singleCount)
    let rest =
      max == 0
      ? end
      : try grammar.repeated(min: others, max: max.map { $0 - singleCount }, then: end) {
        (grammar, next) throws(ConstraintError) in
        let element = try grammar.add(.call(rule: item, then: next))
        return try Self.separator(",", in: &grammar, then: element)
      }
    var next = rest
    for index in (0..<singleCount).reversed() {
      var element =
        try index < prefix.count
        ? value(prefix[index], then: next) : grammar.add(.call(rule: item, then: next))
      if index > 0 { element = try Self.separator(",", in: &grammar, then: element) }
      next = index < min ? element : try grammar.any(of: [element, end])
    }
    return grammar.rule(try grammar.literal("[", then: next))
  }

  /// Returns the limits of a number of elements or characters.
  private func range(
    of schema: JSONNode, _ minKey: String, _ maxKey: String
  ) throws(ConstraintError) -> (min: Int, max: Int?) {
    func count(_ key: String) throws(ConstraintError) -> Int? {
      guard let node = schema[key] else { return nil }
      guard let count = node.int, count >= 0 else {
        throw Self.error("'\(key)' is a number of at least 0", at: node)
      }
      return Int(count)
    }
    let (min, max) = (try count(minKey) ?? 0, try count(maxKey))
    if let max, max < min {
      throw Self.error("'\(maxKey)' is less than '\(minKey)'", at: schema)
    }
    return (min, max)
  }

  private mutating func string(_ schema: JSONNode, _ then: Int32) throws(ConstraintError) -> Int32 {
    let used = Self.stringKeywords.compactMap { schema[$0] }
    let (min, max) = try range(of: schema, "minLength", "maxLength")
    guard schema["pattern"] != nil || schema["format"] != nil else {
      return try Self.text(in: &grammar, min: min, max: max, then: then)
    }
    guard used.count == 1, let node = used.first else {
      throw Self.error(
        "only one of 'pattern', 'format' and limits of the length is supported", at: schema)
    }
    guard let text = node.string else { throw Self.error("a string is expected", at: node) }
    let end = try grammar.literal("\"", then: then)
    let content: Int32
    if schema["format"] != nil {
      guard let pattern = Self.formats[text] else {
        let known = Self.formats.keys.sorted().joined(separator: "', '")
        throw Self.error("the format '\(text)' is not supported; '\(known)' are", at: node)
      }
      content = try grammar.pattern(pattern, isQuoted: true, then: end)
    } else {
      do {
        content = try grammar.search(text, then: end)
      } catch {
        guard case .invalidPattern(let message, let offset) = error else { throw error }
        throw Self.error("the pattern is invalid at byte \(offset): \(message)", at: node)
      }
    }
    return try grammar.literal("\"", then: content)
  }

  private static let day =
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    + "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
  private static let time =
    "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?"
    + "(?:Z|[-+](?:[01][0-9]|2[0-3]):[0-5][0-9])"
  /// Patterns of formats, in which each month of a year has its days; 29 February is left out.
  private static let formats = [
    "date": "[0-9]{4}-\(day)", "date-time": "[0-9]{4}-\(day)T\(time)", "time": time,
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
  ]
}
