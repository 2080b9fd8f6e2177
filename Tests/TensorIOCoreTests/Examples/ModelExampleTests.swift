import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

/// Examples of a model of two numbers that gives back what it takes.
@Suite struct ModelExampleTests {
  private static let labelled =
    #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#

  private func problems(
    _ example: String, outputs: String = #"{"name": "y", "type": "array", "shape": [2]}"#
  ) throws -> [Diagnostic] {
    let bundle = try TestBundle(
      outputs: outputs, labels: "no\nyes\n", examples: "[\(example)]")
    try bundle.write(Array(#"{"x": [3, 4]}"#.utf8), to: "samples/three.json")
    try bundle.write(Array("[3, 4]".utf8), to: "samples/answer.json")
    return try bundle.open(.pair).exampleDiagnostics()
  }

  @Test(arguments: [
    #"{"input": [1, 2]}"#, #"{"input": {"x": [1, 2]}, "output": {"y": [1, 2]}}"#,
    #"{"input": [1, 2], "output": {"y": [1.0005, 2]}}"#,
    #"{"input": [1, 2], "output": {"y": [[1.5], [1.5]]}, "tolerance": 0.5}"#,
    #"{"input": [0.1, 1e30], "output": {"y": [0.1, 1e30]}, "tolerance": 0}"#,
    #"{"input": "@samples/three.json", "output": {"y": "@samples/answer.json"}}"#,
    #"{"input": "base64:AADAfwAAgD8=", "output": {"y": [null, 1]}}"#,
  ])
  func `what comes out is what the example says`(example: String) throws {
    #expect(try problems(example) == [])
  }

  @Test(arguments: [
    (#"{"input": [1, 2], "output": {"y": [1.01, 2]}}"#, "1.01 as number 0, within 0.001", "1.0"),
    (
      #"{"input": [1, 2], "output": {"y": [0, 0]}}"#, "0.0 as number 0, within 0.001",
      "1.0, and 1 others differ too"
    ),
    (#"{"input": [1, 2], "output": {"y": [1]}}"#, "1 numbers", "2"),
    (#"{"input": [1, 2], "output": {"y": "one"}}"#, #"the string "one""#, "2 numbers"),
    (
      #"{"input": [1, 2], "output": {"y": [1, null]}}"#, "nan as number 1, within 0.001", "2.0"
    ),
  ])
  func `something else is told with its place`(
    example: String, expected: String, found: String
  ) throws {
    let problem = try #require(try problems(example).first)
    #expect(problem.code == "example-mismatch")
    #expect(problem.path == "/examples/0/output/y")
    #expect(problem.expected == expected)
    #expect(problem.found == found)
  }

  @Test(arguments: [
    (#"{"yes": 2}"#, nil), (#""yes""#, nil), (#"[1, 2]"#, nil),
    (#"{"yes": 1, "no": 1}"#, #"1 for "yes", within 0.001"#),
    (#"{"maybe": 1}"#, #"1 for "maybe", within 0.001"#), (#""no""#, #""no" first"#),
  ])
  func `labels are compared by name, or the best of them`(
    output: String, expected: String?
  ) throws {
    let example = #"{"input": [1, 2], "output": {"y": \#(output)}}"#
    #expect(
      try problems(example, outputs: Self.labelled).map(\.expected) == [expected].compactMap(\.self)
    )
  }

  @Test(arguments: [
    (#"{"input": [1, 2, 3]}"#, "wrong-count"),
    (#"{"input": "@samples/none.json"}"#, "missing-file"),
    (#"{"input": "@../model.json"}"#, "unsafe-name"), (#"{"input": "two"}"#, "wrong-type"),
    (#"{"input": "base64:?"}"#, "unreadable-value"),
  ])
  func `an example that does not run is a problem of its own`(
    example: String, code: String
  ) throws {
    let problem = try #require(try problems(example).first)
    #expect(problem.code == "example-failed" && problem.found == code)
    #expect(problem.path == "/examples/0")
  }

  @Test(arguments: [(0, 0), (1, 0), (2, 1)])
  func `pictures are read from the bundle and may be off by one`(
    difference: UInt8, count: Int
  ) throws {
    let layer = #""type": "image", "shape": [1, 2, 3], "format": "RGB""#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(layer)}"#, outputs: #"{"name": "y", \#(layer)}"#,
      examples: #"[{"input": "samples/in.png", "output": {"y": "samples/out.png"}}]"#)
    let given = try ImageBuffer.filled(width: 2, height: 1, red: 10, green: 20, blue: 30)
    let other = try ImageBuffer.filled(
      width: 2, height: 1, red: 10 + difference, green: 20, blue: 30)
    try bundle.write(try given.encoded(as: .png), to: "samples/in.png")
    try bundle.write(try other.encoded(as: .png), to: "samples/out.png")
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [1, 1, 2, 3])
    #expect(try bundle.open(.identity(tensor)).exampleDiagnostics().count == count)
  }

  @Test func `bytes are written out`() throws {
    let layer = #""type": "string", "shape": [2], "dtype": "uint8""#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(layer)}"#, outputs: #"{"name": "y", \#(layer)}"#,
      examples: """
        [{"input": "base64:AQI=", "output": {"y": "base64:AQI="}},
         {"input": "ab", "output": {"y": "ab"}},
         {"input": "ab", "output": {"y": "ac"}}]
        """)
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [2])
    let problems = try bundle.open(.identity(tensor)).exampleDiagnostics()
    #expect(problems.map(\.path) == ["/examples/2/output/y"])
  }
}
