import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Examples of a model with two numbers that returns its input.
@Suite struct ModelExampleTests {
  private static let labeled =
    #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#

  private func diagnostics(
    _ example: String, outputs: String = #"{"name": "y", "type": "array", "shape": [2]}"#
  ) throws -> [Diagnostic] {
    let bundle = try TestBundle(
      outputs: outputs, labels: "no\nyes\n", examples: "[\(example)]")
    try bundle.write(Array(#"{"x": [3, 4]}"#.utf8), to: "samples/three.json")
    try bundle.write(Array("[3, 4]".utf8), to: "samples/expected.json")
    return try bundle.open(.pair).exampleDiagnostics()
  }

  @Test(arguments: [
    #"{"input": [1, 2]}"#, #"{"input": {"x": [1, 2]}, "output": {"y": [1, 2]}}"#,
    #"{"input": [1, 2], "output": {"y": [1.0005, 2]}}"#,
    #"{"input": [1, 2], "output": {"y": [[1.5], [1.5]]}, "tolerance": 0.5}"#,
    #"{"input": [0.1, 1e30], "output": {"y": [0.1, 1e30]}, "tolerance": 0}"#,
    #"{"input": "@samples/three.json", "output": {"y": "@samples/expected.json"}}"#,
    #"{"input": "base64:AADAfwAAgD8=", "output": {"y": [null, 1]}}"#,
  ])
  func `An output that matches its example has no diagnostics`(example: String) throws {
    #expect(try diagnostics(example) == [])
  }

  @Test(arguments: [
    (#"{"input": [1, 2], "output": {"y": [1.01, 2]}}"#, "1.01 within 0.001 at index 0", "1.0"),
    (
      #"{"input": [1, 2], "output": {"y": [0, 0]}}"#, "0.0 within 0.001 at index 0",
      "1.0; 2 numbers differ in total"
    ),
    (#"{"input": [1, 2], "output": {"y": [1]}}"#, "1 numbers", "2"),
    (#"{"input": [1, 2], "output": {"y": "one"}}"#, #"the string "one""#, "2 numbers"),
    (
      #"{"input": [1, 2], "output": {"y": [1, null]}}"#, "nan within 0.001 at index 1", "2.0"
    ),
  ])
  func `A mismatched output is reported with its location`(
    example: String, expected: String, found: String
  ) throws {
    let diagnostic = try #require(try diagnostics(example).first)
    #expect(diagnostic.code == "example-mismatch")
    #expect(diagnostic.path == "/examples/0/output/y")
    #expect(diagnostic.expected == expected)
    #expect(diagnostic.found == found)
  }

  @Test(arguments: [
    (#"{"yes": 2}"#, nil), (#""yes""#, nil), (#"[1, 2]"#, nil),
    (#"{"yes": 1, "no": 1}"#, #"1 within 0.001 for "yes""#),
    (#"{"maybe": 1}"#, #"1 within 0.001 for "maybe""#), (#""no""#, #""no" as the top label"#),
  ])
  func `Labels are compared by name, or only the top label`(
    output: String, expected: String?
  ) throws {
    let example = #"{"input": [1, 2], "output": {"y": \#(output)}}"#
    #expect(
      try diagnostics(example, outputs: Self.labeled).map(\.expected)
        == [expected].compactMap(\.self)
    )
  }

  @Test(arguments: [
    (#"{"input": [1, 2, 3]}"#, "wrong-count"),
    (#"{"input": "@samples/none.json"}"#, "missing-file"),
    (#"{"input": "@../model.json"}"#, "unsafe-name"), (#"{"input": "two"}"#, "wrong-type"),
    (#"{"input": "base64:?"}"#, "invalid-value"),
  ])
  func `An example that cannot be run is reported`(
    example: String, code: String
  ) throws {
    let diagnostic = try #require(try diagnostics(example).first)
    #expect(diagnostic.code == "example-failed" && diagnostic.found == code)
    #expect(diagnostic.path == "/examples/0")
  }

  @Test(arguments: [(0, 0), (1, 0), (2, 1)])
  func `Images are read from the bundle and may differ by one`(
    difference: UInt8, count: Int
  ) throws {
    let layer = #""type": "image", "shape": [1, 2, 3], "format": "RGB""#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(layer)}"#, outputs: #"{"name": "y", \#(layer)}"#,
      examples: #"[{"input": "samples/in.png", "output": {"y": "samples/out.png"}}]"#)
    let input = try ImageBuffer.filled(width: 2, height: 1, red: 10, green: 20, blue: 30)
    let expected = try ImageBuffer.filled(
      width: 2, height: 1, red: 10 + difference, green: 20, blue: 30)
    try bundle.write(try input.encoded(as: .png), to: "samples/in.png")
    try bundle.write(try expected.encoded(as: .png), to: "samples/out.png")
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [1, 1, 2, 3])
    #expect(try bundle.open(.identity(tensor)).exampleDiagnostics().count == count)
  }

  @Test func `Bytes are compared as base64 or text`() throws {
    let layer = #""type": "string", "shape": [2], "dtype": "uint8""#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(layer)}"#, outputs: #"{"name": "y", \#(layer)}"#,
      examples: """
        [{"input": "base64:AQI=", "output": {"y": "base64:AQI="}},
         {"input": "ab", "output": {"y": "ab"}},
         {"input": "ab", "output": {"y": "ac"}},
         {"input": "ab", "output": {"y": ["ab", 1]}}]
        """)
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [2])
    let diagnostics = try bundle.open(.identity(tensor)).exampleDiagnostics()
    #expect(diagnostics.map(\.path) == ["/examples/2/output/y", "/examples/3/output/y"])
  }
}
