import TensorIO
import TensorIOTestSupport
import Testing

@Suite struct ModelInterfaceTests {
  static let inputs =
    #"{"name": "x", "type": "array", "shape": [2]}, {"name": "picture", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#
  static let outputs =
    #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}, {"name": "z", "type": "scalar", "shape": [1]}"#

  /// Returns the differences of a bundle from the interface of another one.
  private func changes(
    inputs: String = Self.inputs, outputs: String = Self.outputs, labels: String = "cat\ndog",
    extra: String = ""
  ) throws -> [String] {
    let old = try TestBundle(inputs: Self.inputs, outputs: Self.outputs, labels: "cat\ndog")
    let new = try TestBundle(inputs: inputs, outputs: outputs, labels: labels, extra: extra)
    // The files exist as long as the test bundles.
    return try withExtendedLifetime((old, new)) {
      do {
        try ModelInterface(old.read()).validate(new.read())
        return []
      } catch let error as ModelError {
        #expect(error.stage == .bundle && error.code == "interface-changed")
        guard let changes = error.texts("changes") else {
          return []
        }
        #expect(changes.allSatisfy { error.description.contains($0) })
        return changes
      }
    }
  }

  @Test func `A bundle has its own interface`() throws {
    #expect(try changes() == [])
  }

  @Test func `The interface as text is the same interface`() throws {
    let files = try TestBundle(
      inputs: Self.inputs, outputs: Self.outputs, labels: "a\", \"b\nc\\")
    try withExtendedLifetime(files) {
      let bundle = try files.read()
      let interface = try ModelInterface(bundle)
      #expect(
        interface.lines == [
          "input \"x\": float [2]", "input \"picture\": image", "output \"y\": scores",
          "output \"z\": float", "result: classes", #"labels "y": "a\", \"b", "c\\""#,
        ])
      try ModelInterface(interface.lines).validate(bundle)
    }
  }

  @Test(arguments: [
    (#"{"name": "x", "type": "array", "shape": [2]}"#, [#"input "picture" is missing"#]),
    (
      #"{"name": "x", "type": "array", "shape": [3]}, {"name": "picture", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#,
      [#"input "x" is float [3] instead of float [2]"#]
    ),
    (
      inputs + #", {"name": "more: all", "type": "scalar", "dtype": "int32", "shape": [1]}"#,
      [#"input "more: all" is new"#]
    ),
  ])
  func `Changed inputs are named`(_ inputs: String, _ expected: [String]) throws {
    #expect(try changes(inputs: inputs) == expected)
  }

  @Test(arguments: [
    (
      #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      [#"output "z" is missing"#]
    ),
    (
      #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}, {"name": "z", "type": "array", "shape": [4]}"#,
      [#"output "z" is float [4] instead of float"#]
    ),
    (
      #"{"name": "y", "type": "array", "shape": [2]}, {"name": "z", "type": "scalar", "shape": [1]}"#,
      [
        #"output "y" is float [2] instead of scores"#, "the result is missing",
        #"labels "y" is missing"#,
      ]
    ),
  ])
  func `Changed outputs are named`(_ outputs: String, _ expected: [String]) throws {
    #expect(try changes(outputs: outputs) == expected)
  }

  @Test func `Changed labels are named`() throws {
    #expect(
      try changes(labels: "cat\nbird") == [#"label "dog" is missing"#, #"label "bird" is new"#])
  }

  @Test func `Sizes of images, more outputs and another order are not changes`() throws {
    let inputs =
      #"{"name": "picture", "type": "image", "shape": [96, 96, 1], "format": "GRAY"}, {"name": "x", "type": "array", "shape": [2]}"#
    let outputs = Self.outputs + #", {"name": "w", "type": "array", "shape": [9]}"#
    #expect(try changes(inputs: inputs, outputs: outputs, labels: "dog\ncat") == [])
    #expect(
      try changes(
        extra: #""placeholders": [{"name": "rate", "type": "scalar", "shape": [1]}]"#) == [])
  }
}
