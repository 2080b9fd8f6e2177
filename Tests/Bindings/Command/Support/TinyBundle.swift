import Foundation
import TensorIO
import TensorIOTestSupport

/// A temporary bundle with one of the models of `Tests/Fixtures/Models`.
struct TinyBundle {
  let folder: TemporaryFolder
  let path: String

  init(
    _ model: String, inputs: [String], outputs: [String], labels: [String] = [],
    quantized: Bool = false, modes: String = "\"modes\": [\"predict\"]", backend: String = "tflite"
  ) throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/test.tiobundle"
    try folder.write(
      """
      {"name": "Test", "details": "For tests", "id": "test", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": \(quantized),
       "backend": "\(backend)"\(modes.isEmpty ? "" : ", " + modes)},
       "inputs": [\(inputs.joined(separator: ", "))],
       "outputs": [\(outputs.joined(separator: ", "))]}
      """, to: "test.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Models/\(model).tflite"), as: "test.tiobundle/model.tflite")
    guard !labels.isEmpty else { return }
    try folder.write(labels.joined(separator: "\n"), to: "test.tiobundle/assets/labels.txt")
  }

  /// Replaces the examples of the description with one example, or with the value of one of its keys.
  func add(example: String, key: String? = nil) throws {
    let file = URL(filePath: "\(path)/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let example = key.map { "{\"\($0)\": \(example)}" } ?? example
    let bare = text.replacing(#/,\n "examples": .*/#.dotMatchesNewlines(), with: "}")
    try Data((bare.dropLast() + ",\n \"examples\": [\(example)]}").utf8).write(to: file)
  }

  /// Returns the JSON of an array layer.
  static func array(_ name: String, _ shape: [Int] = [4], _ more: String = "") -> String {
    "{\"name\": \"\(name)\", \"type\": \"array\", \"shape\": \(shape)\(more)}"
  }

  /// Returns the JSON of an image layer of the model that inverts images.
  static func picture(_ name: String, _ transform: String) -> String {
    """
    {"name": "\(name)", "type": "image", "shape": [8,8,3], "format": "RGB",
     "\(transform)": {"standard": "[0,1]"}}
    """
  }

  /// Creates a bundle that doubles four numbers.
  static func double(_ type: String = "float32") throws -> TinyBundle {
    try TinyBundle("double-\(type)", inputs: [array("x")], outputs: [array("y")])
  }

  /// Creates a bundle that doubles four numbers, with labels.
  static func labeled(input: String = "x") throws -> TinyBundle {
    try TinyBundle(
      "double-float32", inputs: [array(input)],
      outputs: [array("y", [4], ", \"labels\": \"labels.txt\"")],
      labels: ["apple", "pear", "plum, sweet", "fig"])
  }

  /// Creates a bundle that adds two rows of four numbers.
  static func sum() throws -> TinyBundle {
    try TinyBundle("dynamic-pair", inputs: [array("a"), array("b")], outputs: [array("y")])
  }

  /// Creates a bundle that inverts images.
  static func negative() throws -> TinyBundle {
    try TinyBundle(
      "picture-negative", inputs: [picture("picture", "normalize")],
      outputs: [picture("negative", "denormalize")], quantized: true)
  }

  /// Runs a command with this bundle as its first argument.
  @discardableResult
  func run(
    _ words: [String], command: String = "run", on console: TestConsole = TestConsole()
  ) -> CommandResult {
    console.run([command, path] + words)
  }

  /// Returns the numbers of the output of a run, which must succeed.
  func numbers(_ words: [String], on console: TestConsole = TestConsole()) throws -> [Double] {
    let record = try run(words, on: console).json()
    return record["outputs"]?["y"]?.numbers ?? []
  }

  /// Returns the error code of a run, which must fail.
  func errorCode(_ words: [String], on console: TestConsole = TestConsole()) throws -> String? {
    try run(words, on: console).json()["error"]?["code"]?.string
  }
}

/// The example bundles of the project.
enum Example {
  static let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
  static let negative = ProjectFiles.path("Examples/Bundles/negative.tiobundle")
  static let diabetes = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
  static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
  }
  static func digit(_ name: String) -> String { "\(digits)/samples/\(name).png" }
  static let temple = "\(negative)/samples/temple.png"
}
