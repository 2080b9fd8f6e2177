import Testing

@testable import TensorIOJSON

@Suite struct JSONNodeTests {
  private func node(_ text: String) throws -> JSONNode {
    try JSONDocument(parsing: Array(text.utf8)).root
  }

  @Test func `A value is available only as its own type`() throws {
    let root = try node(#"[{}, [], "a", 1, 1.5, true, false, null]"#)
    #expect(root.count == 8)
    let kinds = try #require(root.elements).map(\.kind)
    #expect(
      kinds == [.object, .array, .string, .number, .number, .boolean, .boolean, .null])
    #expect(root.elements?.map(\.string) == [nil, nil, "a", nil, nil, nil, nil, nil])
    #expect(root.elements?.map(\.bool) == [nil, nil, nil, nil, nil, true, false, nil])
    #expect(root.elements?.map(\.double) == [nil, nil, nil, 1, 1.5, nil, nil, nil])
    #expect(root.members == nil)
    #expect(root[8] == nil)
  }

  @Test func `Members keep the order of the text`() throws {
    let root = try node(#"{"z": 1, "a": {"y": 2}, "m": [3]}"#)
    #expect(root.members?.map(\.name) == ["z", "a", "m"])
    #expect(root["a"]?["y"]?.int == 2)
    #expect(root["m"]?[0]?.int == 3)
    #expect(root["y"] == nil)
    #expect(root.elements == nil)
  }

  @Test func `Escapes are resolved`() throws {
    let text = #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é""#
    #expect(try node(text).string == "\"\\/\u{8}\u{C}\n\r\té😀é")
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("-7", -7), ("9223372036854775807", Int64.max),
    ("-9223372036854775808", Int64.min), ("9223372036854775808", nil),
    ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil), ("\"1\"", nil),
    ("123456789012345678901234567890", nil),
  ])
  func `An integer is exact and has no fraction or exponent`(text: String, value: Int64?) throws {
    #expect(try node(text).int == value)
  }

  @Test(arguments: [
    ("[[1,2,3],[4,5,6]]", [2, 3]), ("[1,2,3,4,5,6]", [6]),
    ("[[[1],[2],[3]],[[4],[5],[6]]]", [2, 3, 1]),
  ])
  func `Nested arrays of numbers have a shape`(text: String, shape: [Int]) throws {
    var floats: [Float] = []
    #expect(try node(text).numbers(into: &floats) == shape)
    #expect(floats == [1, 2, 3, 4, 5, 6])
    var integers: [Int64] = []
    #expect(try node(text).numbers(into: &integers) == shape)
    #expect(integers == [1, 2, 3, 4, 5, 6])
  }

  @Test func `A single number has an empty shape, an empty array has a dimension of zero`() throws {
    var values: [Double] = [9]
    #expect(try node("-2.5").numbers(into: &values) == [])
    #expect(try node("[]").numbers(into: &values) == [0])
    #expect(try node("[[],[]]").numbers(into: &values) == [2, 0])
    #expect(values == [9, -2.5])
  }

  @Test(arguments: [
    ("[[1,2],[3]]", JSONError.Code.raggedArray, "/1"), ("[[1],[2,3]]", .raggedArray, "/1"),
    ("[1,[2]]", .wrongType, "/1"), ("[[1],2]", .wrongType, "/1"), ("[1,\"2\"]", .wrongType, "/1"),
    ("[1,null]", .wrongType, "/1"), ("{\"a\":1}", .wrongType, ""),
    ("[[1],[[2]]]", .wrongType, "/1/0"),
    ("[[],[1]]", .raggedArray, "/1"), ("[1,1e39]", .numberOverflow, "/1"),
  ])
  func `Ragged arrays are rejected at the first mismatch`(
    text: String, code: JSONError.Code, pointer: String
  ) throws {
    let root = try node(text)
    let error = #expect(throws: JSONError.self) {
      var values: [Float] = []
      _ = try root.numbers(into: &values)
    }
    #expect(error?.code == code)
    #expect(error?.pointer == pointer)
  }

  @Test(arguments: [
    ("[1.5]", JSONError.Code.notAnInteger), ("[1e3]", .notAnInteger),
    ("[9223372036854775808]", .numberOverflow),
  ])
  func `Other numbers are not converted to integers`(text: String, code: JSONError.Code) throws {
    let root = try node(text)
    let error = #expect(throws: JSONError.self) {
      var values: [Int64] = []
      _ = try root.numbers(into: &values)
    }
    #expect(error?.code == code)
  }
}
