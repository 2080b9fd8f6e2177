import Foundation
import TensorIO
import TensorIOBundle
import TensorIOTestSupport
import Testing

/// Descriptions of the test models, whose examples contain the expected outputs.
///
/// To add a case, add a file to `Tests/Fixtures/Bundles`.
@Suite struct DescribedModelTests {
  static let descriptions = ProjectFiles.entries(of: "Tests/Fixtures/Bundles", suffix: ".json")

  /// A bundle with a description and the model that it names.
  private static func bundle(_ description: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.path + "/described.tiobundle"
    let text = try String(contentsOfFile: description, encoding: .utf8)
    try folder.write(text, to: "described.tiobundle/model.json")
    let model = try #require(try JSONTree(text)["model"]?["file"]?.string)
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Models/\(model)"), as: "described.tiobundle/\(model)")
    return path
  }

  @Test(arguments: descriptions)
  func `A bundle is valid, and its examples have the expected outputs`(_ description: String) throws
  {
    let folder = try TemporaryFolder()
    let path = try Self.bundle(description, in: folder)
    let outcome = TestConsole.run(["validate", path, "--strict", "--format", "json"])
    #expect(outcome.exitCode == 0 && outcome.output.contains("\"diagnostics\": []"), "\(outcome)")
    #expect(try ModelBundle(at: path).description.examples.count > 1)
  }

  @Test(arguments: descriptions)
  func `The command line produces the expected outputs from folders and zip archives`(
    _ description: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try Self.bundle(description, in: folder)
    let examples = try #require(try JSONTree(contentsOf: description)["examples"]?.array)
    let packed = folder.path + "/packed.zip"
    #expect(TestConsole.run(["pack", path, "-o", packed]).exitCode == 0)
    for bundle in [path, packed] {
      var console = TestConsole()
      console.input = Array(examples.map { ($0["input"] ?? .null).text + "\n" }.joined().utf8)
      let records = try console.run(["run", bundle, "--input-file", "-"]).jsonLines()
      #expect(records.count == examples.count)
      for (record, example) in zip(records, examples) {
        for (name, expected) in example["output"]?.object ?? [:] {
          #expect(record["outputs"]?[name] == expected, "\(name): \(record)")
        }
      }
    }
  }
}
