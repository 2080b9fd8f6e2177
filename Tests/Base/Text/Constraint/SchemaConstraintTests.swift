import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of texts that a JSON Schema constrains.
@Suite(.ownThreads) struct SchemaConstraintTests {
  private func constraint(_ schema: String) throws -> TokenConstraint {
    try PieceVocabulary.usual.constraint { try ByteGrammar(schema: schema, lookahead: $0) }
  }

  private static let schemas: [(String, allowed: [String], rejected: [String])] = [
    (
      "true", ["1", "-0.5e-7", "\"\\u001fa\\n\"", "[{\"\": []}, {},null]", "false"],
      [
        "", " 1", "01", "1.", "+1", "[1,]", "{\"a\"}", "\"\\u0041\"", "\"\n\"", "[1,  2]", "nul",
        "{'a':1}",
      ]
    ),
    (##"{"type": "object"}"##, ["{}", ##"{"a": [1], "a":{}}"##], ["[]", "1", "{ }"]),
    (
      ##"{"type": "integer"}"##, ["0", "-12", "123456789012345678"],
      ["-0", "1.0", "1e3", "1234567890123456789", "01"]
    ),
    (##"{"type": ["boolean", "null"]}"##, ["true", "false", "null"], ["0", "\"true\""]),
    (
      ##"{"type": "string", "minLength": 2, "maxLength": 3}"##,
      ["\"ab\"", "\"\u{e9}\u{1F600}\\\"\"", "\"\\\\\\n\""], ["\"a\"", "\"abcd\"", "\"\\n\""]
    ),
    (##"{"minLength": 2}"##, ["\"ab\"", "\"abcdefghijklmnopqrstuvwxyz\""], ["\"a\"", "1"]),
    (
      ##"{"type": "string", "pattern": "b+$"}"##, ["\"b\"", "\"abb\"", "\"\\nb\""],
      ["\"ba\"", "\"\"", "\"a\""]
    ),
    (##"{"pattern": "^\"x"}"##, ["\"\\\"x\"", "\"\\\"xyz\""], ["\"x\"", "\"a\\\"x\""]),
    (##"{"pattern": "b"}"##, ["\"b\"", "\"abc\""], ["\"\"", "\"a\""]),
    (
      ##"{"type": "string", "format": "date"}"##, ["\"2024-02-28\"", "\"1999-12-31\""],
      ["\"2023-02-29\"", "\"2024-04-31\"", "\"2024-13-01\"", "\"2024-1-01\""]
    ),
    (
      ##"{"format": "date-time"}"##,
      ["\"2024-01-31T23:59:59Z\"", "\"2024-01-31T00:00:00.25+05:30\""],
      ["\"2024-01-31\"", "\"2024-01-31T24:00:00Z\"", "\"2024-01-31T00:00:00\""]
    ),
    (##"{"format": "uuid"}"##, ["\"123e4567-e89b-12d3-a456-426614174000\""], ["\"123e4567\""]),
    (
      ##"{"enum": ["a", "ab", 1.50, {"k": [1, "\u00e9"]}, null], "title": "x"}"##,
      ["\"a\"", "\"ab\"", "1.50", "{\"k\":[1,\"\u{e9}\"]}", "null"], ["\"b\"", "1.5", "{}", "\"\""]
    ),
    (
      ##"{"enum": ["a", 1, 1.5, null], "type": ["string", "integer"]}"##, ["\"a\"", "1"],
      ["1.5", "null"]
    ),
    (##"{"const": [], "default": 3}"##, ["[]"], ["[1]"]),
    (
      ##"{"properties": {"b": {"type": "integer"}, "a": {"type": "null"}, "c": {"const": 1}}, "required": ["a"]}"##,
      [
        ##"{"a":null}"##, ##"{"b": 1, "a": null}"##, ##"{"b":0,"a":null,"c":1}"##,
        ##"{"a":null,"c":1}"##,
      ],
      [
        "{}", ##"{"b":1}"##, ##"{"a":null,"b":1}"##, ##"{"a":null,"d":1}"##, ##"{"a":null,}"##,
        ##"{"a":null"c":1}"##,
      ]
    ),
    (
      ##"{"properties": {"ab": {"type": "null"}, "\u00e9": true}, "additionalProperties": {"type": "integer"}}"##,
      [
        "{}", ##"{"ab":null}"##, ##"{"a":1}"##, ##"{"abc":1,"b":2}"##,
        "{\"ab\":null,\"\u{e9}\":[],\"\":1}", "{\"\u{e8}\":1}",
      ],
      [##"{"ab":1}"##, ##"{"a":null}"##, "{\"a\":1,\"\u{e9}\":1}"]
    ),
    (
      ##"{"additionalProperties": {"type": "null"}}"##, ["{}", ##"{"x":null,"y":null}"##],
      [##"{"x":1}"##]
    ),
    (##"{"required": ["x"]}"##, [##"{"x":1}"##, ##"{"x":{},"y":2}"##], ["{}", ##"{"y":2}"##]),
    (##"{"properties": {"x": false}}"##, ["{}"], [##"{"x":1}"##]),
    (
      ##"{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3}"##,
      ["[1,2]", "[1, 2, 3]"], ["[]", "[1]", "[1,2,3,4]", "[1,2,]", "[,1]"]
    ),
    (##"{"maxItems": 0}"##, ["[]"], ["[1]", "1"]), (##"{"items": false}"##, ["[]"], ["[1]"]),
    (
      ##"{"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false}"##,
      ["[]", "[1]", "[1, \"a\"]"], ["[\"a\"]", "[1,\"a\",1]"]
    ),
    (
      ##"{"prefixItems": [{"type": "integer"}], "minItems": 2, "maxItems": 3}"##,
      ["[1,{}]", "[1,2,\"a\"]"], ["[1]", "[{},1]", "[1,2,3,4]"]
    ),
    (
      ##"{"anyOf": [{"type": "integer"}, {"items": {"type": "integer"}}, {"items": {"const": 1}}]}"##,
      ["1", "[]", "[1,1,2]"], ["[[1]]", "null"]
    ),
    (
      ##"{"oneOf": [{"$ref": "#/definitions/a"}], "definitions": {"a": {"allOf": [{"const": 1}]}}}"##,
      ["1"], ["2"]
    ),
    (##"{"$defs": {"a~/b": {"type": "null"}}, "$ref": "#/$defs/a~0~1b"}"##, ["null"], ["1"]),
    (
      ##"{"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}, "required": ["n"]}"##,
      [##"{"n":1}"##, ##"{"next":{"next":{"n":1},"n":2},"n":3}"##],
      [##"{"next":{}}"##, ##"{"next":{"n":1}}"##]
    ),
  ]

  @Test(arguments: schemas.indices)
  func `A schema allows the values that fulfill it`(_ index: Int) throws {
    let (schema, allowed, rejected) = Self.schemas[index]
    var constraint = try constraint(schema)
    for text in allowed { #expect(try constraint.allows(text), "\(schema) \(text)") }
    for text in rejected { #expect(try !constraint.allows(text), "\(schema) \(text)") }
  }

  private static let errors: [(String, pointer: String, part: String)] = [
    (##"{"properties": {"a": {"minimum": 1}}}"##, "/properties/a/minimum", "'minimum'"),
    (##"{"items": {"uniqueItems": true}}"##, "/items/uniqueItems", "'uniqueItems'"),
    (##"{"not": {}}"##, "/not", "'not'"),
    (##"{"patternProperties": {}}"##, "/patternProperties", "'pat"),
    (##"{"anyOf": [true], "type": "object"}"##, "/type", "beside 'anyOf'"),
    (
      ##"{"$ref": "#/$defs/a", "maxLength": 2, "$defs": {"a": true}}"##, "/maxLength",
      "beside '$ref'"
    ),
    (##"{"$ref": "#/$defs/b"}"##, "/$ref", "#/$defs/name"),
    (##"{"$ref": "http://x"}"##, "/$ref", "part"),
    (##"{"allOf": [true, true]}"##, "/allOf", "more than one"),
    (##"{"anyOf": []}"##, "/anyOf", "array"),
    (##"{"enum": []}"##, "/enum", "array"), (##"{"type": "text"}"##, "/type", "'object', 'array'"),
    (##"{"type": []}"##, "/type", "'object'"), (##"{"format": "email"}"##, "/format", "'email'"),
    (##"{"pattern": "a(?=b)"}"##, "/pattern", "byte 3"),
    (##"{"pattern": 1}"##, "/pattern", "string"),
    (##"{"pattern": "a", "minLength": 1}"##, "", "only one"),
    (##"{"minItems": -1}"##, "/minItems", "0"),
    (##"{"minLength": 3, "maxLength": 2}"##, "", "less than"),
    (##"{"maxItems": 1.5}"##, "/maxItems", "number"),
    (##"{"required": [1]}"##, "/required", "names"),
    (##"{"properties": []}"##, "/properties", "schemas"),
    (##"{"required": ["a"], "additionalProperties": false}"##, "/required/0", "'a'"),
    (##"{"properties": {"a": 3}}"##, "/properties/a", "schema"),
    (##"{"prefixItems": 1}"##, "/prefixItems", "array"),
  ]

  @Test(arguments: errors.indices)
  func `A schema that is not supported is an error with the place`(_ index: Int) throws {
    let (schema, pointer, part) = Self.errors[index]
    let error = try #require(throws: ConstraintError.self, "\(schema)") { try constraint(schema) }
    guard case .invalidSchema(let message, let place) = error else {
      Issue.record("\(schema): \(error)")
      return
    }
    #expect(place == pointer && message.contains(part), "\(error)")
  }

  @Test func `Random texts of random schemas are values that fulfill them`() throws {
    var generator = SeededGenerator(seed: 11)
    var (texts, nested): (Set<String>, Int) = ([], 0)
    for _ in 0..<150 {
      let schema = RandomSchema(&generator)
      var constraint = try constraint(schema.schema.text)
      for _ in 0..<4 {
        try constraint.restart()
        let bytes = try #require(
          try constraint.randomText(of: .usual, length: 25, &generator), "\(schema.schema.text)")
        let text = try #require(String(validating: bytes, as: UTF8.self), "\(schema.schema.text)")
        #expect(schema.allows(try JSONTree(text)), "\(schema.schema.text) \(text)")
        texts.insert(text)
        if text.contains("{\"value\"") { nested += 1 }
      }
    }
    #expect(texts.count > 200 && nested > 10)
  }

  @Test func `Random texts of any value are JSON that is not nested too deeply`() throws {
    var generator = SeededGenerator(seed: 2)
    var constraint = try constraint("true")
    for _ in 0..<100 {
      try constraint.restart()
      let bytes = try #require(try constraint.randomText(of: .usual, length: 40, &generator))
      do {
        _ = try JSONDocument(parsing: bytes)
      } catch {
        #expect(error.code == .duplicateKey, "\(String(decoding: bytes, as: UTF8.self)): \(error)")
      }
    }
    // The deepest value is allowed, and ends.
    try constraint.restart()
    var depth = 0
    while try constraint.mask().contains(0x5B) {
      try constraint.append(0x5B)
      depth += 1
    }
    #expect(depth == JSONLimits.maxDepth)
    for _ in 0..<depth { try constraint.append(0x5D) }
    #expect(constraint.isComplete)
  }

  @Test func `A value that has to contain itself is an error`() throws {
    for schema in [
      ##"{"properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##, ##"{"$ref": "#"}"##, "false",
      ##"{"anyOf": [{"$ref": "#"}, {"minItems": 1, "items": {"$ref": "#"}}]}"##,
      ##"{"type": "integer", "enum": ["a"]}"##,
    ] {
      #expect(throws: ConstraintError.unsatisfiable, "\(schema)") { try self.constraint(schema) }
    }
    // A choice that leads to the end is enough.
    var constraint = try self.constraint(##"{"anyOf": [{"$ref": "#"}, {"items": {"$ref": "#"}}]}"##)
    #expect(try constraint.allows("[[],[[]]]"))
  }

  /// Schemas that would take much time or memory without limits.
  private static let hostile: [(name: String, schema: String)] = [
    (
      "nesting",
      String(repeating: ##"{"items":"##, count: 60) + "true" + String(repeating: "}", count: 60)
    ),
    (
      "too deep",
      String(repeating: ##"{"items":"##, count: 70) + "true" + String(repeating: "}", count: 70)
    ),
    ("long strings", ##"{"type": "string", "maxLength": 1000000000000}"##),
    ("long arrays", ##"{"minItems": 9223372036854775807}"##),
    (
      "many nested items",
      String(repeating: ##"{"maxItems":1000,"items":"##, count: 40) + "1"
        + String(repeating: "}", count: 40)
    ),
    (
      "a large enum",
      ##"{"enum": ["## + (0..<20_000).map { "\"word \($0)\"" }.joined(separator: ",") + "]}"
    ),
    ("a long constant", ##"{"const": ""## + String(repeating: "a", count: 400_000) + ##""}"##),
    (
      "many properties",
      ##"{"properties": {"## + (0..<6_000).map { "\"p\($0)\": true" }.joined(separator: ",") + "}}"
    ),
    (
      "many names",
      ##"{"additionalProperties": true, "properties": {"##
        + (0..<6_000).map { "\"\u{e9}\($0)\": true" }.joined(separator: ",") + "}}"
    ),
    (
      "many choices",
      ##"{"anyOf": ["## + (0..<9_000).map { "{\"const\": [\($0)]}" }.joined(separator: ",") + "]}"
    ),
    (
      "a chain of references",
      ##"{"$ref": "#/$defs/d0", "$defs": {"##
        + (0..<5_000).map { "\"d\($0)\": {\"$ref\": \"#/$defs/d\(($0 + 1) % 5_000)\"}" }.joined(
          separator: ",") + "}}"
    ),
    ("a pattern", ##"{"pattern": "(?:a|b|ab){1,300}(?:a|ab){1,300}c"}"##),
    (
      "ambiguous nesting",
      ##"{"anyOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}, "maxItems": 3}, {"items": {"$ref": "#"}, "minItems": 2}]}"##
    ),
  ]

  @Test(arguments: hostile.indices)
  func `A hostile schema is an error, or takes little time`(_ index: Int) throws {
    let (name, schema) = Self.hostile[index]
    let time = ThreadTime.measure {
      do {
        var constraint = try self.constraint(schema)
        for _ in 0..<40 where !constraint.isComplete {
          let mask = try constraint.mask()
          // Brackets lead to the deepest states.
          let first = [0x5B, 0x7B, 0x22, 0x61].first { mask.contains($0) }
          guard let id = first ?? (0..<300).first(where: { mask.contains($0) }) else { break }
          try constraint.append(id)
        }
      } catch {
        #expect(error is ConstraintError, "\(name): \(error)")
      }
    }
    #expect(time < .seconds(60), "\(name)")
  }

  @Test func `A schema that is no JSON is an error with its place`() throws {
    let error = try #require(throws: ConstraintError.self) { try constraint(##"{"type": }"##) }
    #expect(error.description.contains("line 1, column 10"))
  }
}
