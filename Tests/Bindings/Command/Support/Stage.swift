import Foundation
import TensorIOTestSupport

/// A folder with bundles and files for tests of errors, each with a name in capitals.
struct Stage {
  let folder: TemporaryFolder
  private let description: String
  private let model: [UInt8]
  private var paths: [String: String] = [:]

  init() throws {
    let double = try TinyBundle.double()
    folder = double.folder
    description = try String(contentsOfFile: "\(double.path)/model.json", encoding: .utf8)
    model = [UInt8](try Data(contentsOf: URL(filePath: "\(double.path)/model.tflite")))
    paths["DOUBLE"] = double.path
    paths["NOWHERE"] = "\(folder.path)/nowhere"
    paths["FILE"] = try folder.write("text", to: "file")
    paths["PICTURE"] = try folder.copy(Example.digit("3-1"), as: "picture.png")
    paths["NEGATIVE"] = try folder.copy(Example.negative, as: "negative.tiobundle")
    try addDescriptions()
    try addModels()
  }

  private mutating func addDescriptions() throws {
    try add("BROKEN-JSON", "{", model)
    try add("TENSORFLOW", description.replacing("\"tflite\"", with: "\"tensorflow\""), model)
    try add("NO-MODES", description.replacing(", \"modes\": [\"predict\"]", with: ""), model)
    let inputs = TinyBundle.array("x")
    try add("MISMATCH", description.replacing(inputs, with: TinyBundle.array("x", [5])), model)
    let labeled = TinyBundle.array("y", [4], ", \"labels\": \"labels.txt\"")
    try add(
      "NO-LABELS", description.replacing(TinyBundle.array("y"), with: labeled), model)
  }

  private mutating func addModels() throws {
    try add("NO-MODEL", description, nil)
    try add("TRUNCATED", description, Array(model.prefix(model.count / 2)))
    try add("FOREIGN", description, Array("This is no model.\n".utf8))
    for name in ["UNKNOWN-OPERATOR", "REMOVED-OPERATOR"] {
      let file = ProjectFiles.path("Tests/Fixtures/Models/\(name.lowercased()).tflite")
      try add(name, description, [UInt8](Data(contentsOf: URL(filePath: file))))
    }
  }

  private mutating func add(_ name: String, _ description: String, _ model: [UInt8]?) throws {
    let folderName = "\(name.lowercased()).tiobundle"
    try folder.write(description, to: "\(folderName)/model.json")
    if let model { try folder.write(model, to: "\(folderName)/model.tflite") }
    paths[name] = "\(folder.path)/\(folderName)"
  }

  /// Returns a text with paths in place of the names in capitals.
  func filled(_ text: String) -> String {
    paths.sorted { $0.key.count > $1.key.count }
      .reduce(text) { $0.replacing($1.key, with: $1.value) }
  }
}
