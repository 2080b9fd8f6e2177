import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOJSON

/// A page of `Documentation`.
struct DocumentationPage {
  let text: String

  /// The page that explains `model.json`.
  static func modelJSON() throws -> DocumentationPage {
    let path = ProjectFiles.path("Documentation/ModelJSON.md")
    return DocumentationPage(text: try String(contentsOfFile: path, encoding: .utf8))
  }

  /// The JSON blocks that follow a line `<!-- example: NAME -->`, by name.
  func examples() -> [(name: String, json: String)] {
    text.matches(
      of: #/<!-- example: (?<name>\S+) -->\n```json\n(?<json>.*?)\n```/#.dotMatchesNewlines()
    )
    .map { (String($0.name), String($0.json)) }
  }
}

/// A bundle whose description is an example in the documentation.
struct DocumentedBundle {
  let folder: TemporaryFolder
  let path: String

  /// Writes a bundle, adding the members that the page omits because all examples have them.
  init(_ json: String) throws {
    let shown = try JSONDocument(parsing: Array(json.utf8)).root
    let members = Array(try #require(shown.members))
    let missing = Self.leftOut.filter { key, _ in !members.contains { $0.name == key } }
    let all = missing + members.map { ($0.name, $0.value.source) }
    folder = try TemporaryFolder()
    path = "\(folder.path)/documented.tiobundle"
    let text = all.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ",\n")
    try write(Array("{\n\(text)\n}".utf8), to: "model.json")
    try write([], to: "model.tflite")
  }

  private static let leftOut = [
    ("name", "\"Documented\""), ("details", "\"\""), ("id", "\"documented\""),
    ("version", "\"1\""), ("author", "\"\""), ("license", "\"\""),
    (
      "model",
      #"{"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]}"#
    ),
  ]

  func write(_ bytes: [UInt8], to name: String) throws {
    try folder.write(bytes, to: "documented.tiobundle/\(name)")
  }
}
