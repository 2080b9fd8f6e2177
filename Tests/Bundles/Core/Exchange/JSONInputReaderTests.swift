import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOJSON

@Suite struct JSONInputReaderTests {
  /// Reads inputs for vectors of the given names; a string resolves to the bytes of itself and its
  /// layer.
  private func read(_ json: String, _ names: String...) throws -> ModelInput {
    let layers = names.map { Layer(name: $0, kind: .array(NumericLayer(shape: [2]))) }
    let reader = JSONInputReader(layers) { text, layer throws(ModelError) in
      guard text != "bad" else { throw ModelError(.input, .invalidValue("bad")) }
      return .bytes(Array("\(layer.name):\(text)".utf8))
    }
    return try reader.input(JSONDocument(parsing: Array(json.utf8)).root)
  }

  private func readingError(_ json: String, _ names: String...) -> ModelError? {
    do {
      let layers = names.map { Layer(name: $0, kind: .array(NumericLayer(shape: [2]))) }
      let reader = JSONInputReader(layers) { _, _ throws(ModelError) in
        throw ModelError(.input, .invalidValue("bad"))
      }
      _ = try reader.input(JSONDocument(parsing: Array(json.utf8)).root)
      return nil
    } catch {
      return error as? ModelError
    }
  }

  static let values: [(json: String, value: LayerValue)] = [
    ("2", 2.layerValue), ("-3.5", (-3.5).layerValue), ("true", true.layerValue),
    ("[1, 2]", [1, 2].layerValue), ("[1, 2.5]", [1, 2.5].layerValue),
    ("[1.0, 2.0]", [1.0, 2.0].layerValue), ("[true, false]", [true, false].layerValue),
    ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]].layerValue), ("[[[1]]]", [[[1]]].layerValue),
    ("[]", Numbers(.integers([])).layerValue),
    ("[[], []]", Numbers(.integers([]), shape: [2, 0]).layerValue),
    ("[1, [2]]", .list([1.layerValue, [2].layerValue])),
    ("[1, true]", [1.0, 1.0].layerValue),
    ("[9223372036854775807, -9223372036854775808]", [Int64.max, .min].layerValue),
    ("[9223372036854775808]", [0x1p63].layerValue),
    (#""cat""#, .bytes(Array("x:cat".utf8))), (#""""#, .bytes(Array("x:".utf8))),
    (#"["a", 1]"#, .list([.bytes(Array("x:a".utf8)), 1.layerValue])),
  ]

  @Test(arguments: values)
  func `Any JSON other than an object is the value of the only input`(
    json: String, value: LayerValue
  ) throws {
    #expect(try read(json, "x") == .value(value))
  }

  @Test(arguments: [("[[1], [2, 3]]", 7), ("[[], [1]]", 6)])
  func `Rows of different lengths are rejected with the location`(json: String, column: Int) throws
  {
    let error = try #require(throws: ModelError.self) { try read(json, "x") }
    #expect(error.code == "invalid-json")
    #expect(error.diagnostics.map(\.code) == ["ragged-array"])
    #expect(error.diagnostics.map(\.column) == [column])
  }

  @Test func `An object contains named inputs`() throws {
    #expect(
      try read(#"{"b": "cat", "a": [1, 2]}"#, "a", "b")
        == .named(["a": [1, 2].layerValue, "b": .bytes(Array("b:cat".utf8))]))
    #expect(try read("{}", "a") == .named([:]))
  }

  @Test func `Unknown names are kept and reported together`() throws {
    #expect(
      try read(#"{"z": "cat", "a": 1}"#, "a")
        == .named(["z": "cat".layerValue, "a": 1.layerValue]))
  }

  @Test func `A list is matched to several inputs in order`() throws {
    #expect(
      try read(#"[1, [2, 3]]"#, "a", "b") == .value(.list([1.layerValue, [2, 3].layerValue])))
    #expect(
      try read(#"["x", "y", "z"]"#, "a", "b")
        == .value(
          .list([.bytes(Array("a:x".utf8)), .bytes(Array("b:y".utf8)), "z".layerValue])))
    #expect(try read("[]", "a", "b") == .value(.list([])))
    #expect(try read("7", "a", "b") == .value(7.layerValue))
  }

  static let invalidValues: [(json: String, found: String)] = [
    ("null", "null"), ("[1, null]", "null"), ("[[1], [null]]", "null"),
    (#"[{"a": 1}]"#, "an object"),
  ]

  @Test(arguments: invalidValues)
  func `JSON that is not a value is rejected with its kind`(json: String, found: String) {
    #expect(
      readingError(json, "x")
        == ModelError(
          .input, .wrongType(expected: "a number, a list or a string", actual: found), layer: "x"))
  }

  /// Reads a list of strings for an array whose element type is determined by the tensor.
  private func strings(_ json: String, _ layer: NumericLayer) throws -> ModelInput {
    let layers = [Layer(name: "x", kind: .array(layer))]
    let reader = JSONInputReader(layers) { _, _ throws(ModelError) in
      throw ModelError(.input, .wrongType(expected: "a number", actual: "a string"))
    }
    return try reader.input(JSONDocument(parsing: Array(json.utf8)).root)
  }

  @Test func `A list of strings has one string per element`() throws {
    let pair = NumericLayer(shape: [2])
    #expect(try strings(#"["a", "b"]"#, pair) == .value(["a", "b"].layerValue))
    var floats = pair
    floats.elementType = .float32
    for (json, layer) in [
      (#"["a"]"#, pair), (#"["a", null]"#, pair), (#"["a", "b"]"#, floats),
    ] {
      #expect(throws: ModelError.self, "\(json)") { try strings(json, layer) }
    }
  }

  @Test func `A string that cannot be resolved is reported with its layer`() {
    #expect(
      readingError(#"{"a": 1, "b": "bad"}"#, "a", "b")
        == ModelError(.input, .invalidValue("bad"), layer: "b"))
  }
}
