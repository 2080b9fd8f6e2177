import Testing

@testable import TensorIOJSON

@Suite struct JSONValueTests {
  @Test func `Literals are values`() {
    let value: JSONValue = ["a": [1, 2.5, true, nil], "b": "text"]
    #expect(value["a"]?.elements == [.integer(1), .number(2.5), .bool(true), .null])
    #expect(value["b"]?.string == "text" && value["c"] == nil)
    #expect(value.text == #"{"a":[1,2.5,true,null],"b":"text"}"#)
  }

  @Test(arguments: [
    "null", "true", "-3", "9223372036854775807", "0.5", "2.0", "1e+22", #""é\n""#, "[]", "{}",
    #"{"b":1,"a":[{"c":2.0}]}"#,
  ])
  func `A value is the same after writing and reading`(_ text: String) throws {
    let value = try #require(JSONNode(compactJSON: text)).value
    #expect(JSONNode(compactJSON: value.text)?.value == value)
    #expect(value.text == text)
  }

  @Test func `Numbers that have another type are not lost`() throws {
    let large = try #require(JSONNode(compactJSON: "99999999999999999999")).value
    #expect(large == .number(1e20) && large.int == nil && large.double == 1e20)
    #expect(JSONValue.integer(3).double == 3 && JSONValue.number(3).int == nil)
    #expect(JSONValue.number(.nan).text == "null")
  }
}
