import Foundation
import TensorIO
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOCore

/// Output of models whose task is unknown, such as a pose model's heat maps.
@Suite struct RawOutputTests {
  /// The face detector as a bundle with an unknown task: five raw outputs.
  private func bundle(_ folder: TemporaryFolder) throws -> String {
    let path = try folder.copy(
      ProjectFiles.path("Examples/Bundles/face-detector.tiobundle"), as: "pose.tiobundle")
    let file = URL(filePath: "\(path)/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let posed = text.replacing("\"type\": \"detection\"", with: "\"type\": \"keypoints\"")
    #expect(posed != text)
    try Data(posed.utf8).write(to: file)
    return path
  }

  @Test func `Large outputs are summarized in text and complete in JSON`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(folder)
    let sample = "\(path)/samples/1.jpg"
    let text = TestConsole.run(["run", path, sample, "--format", "text"])
    #expect(text.exitCode == 0, "\(text)")
    #expect(
      text.output.contains(#/  keypoints: (1 × )?10 × 4 × 2 numbers from [-0-9.e]+ to [0-9.e]+\n/#),
      "\(text.output)")
    #expect(text.output.contains(#/  count: [0-9.]+\n/#))
    let outputs = try TestConsole.run(["run", path, sample, "--format", "json"]).json()["outputs"]
    #expect(outputs?["keypoints"]?.array?.count == 80)
    #expect(outputs?["boxes"]?.array?.count == 40)
    #expect(outputs?["count"]?.number != nil)
    let rows = TestConsole.run(["run", path, sample, "--format", "csv"]).lines
    #expect(rows.count { $0.contains(",keypoints,") } == 80)
  }

  @Test(arguments: ["tones", "digits", "shape-detector"])
  func `A raw output with the name of the result is renamed`(_ name: String) throws {
    let bundle = ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
    let outcome = TestConsole.run(["run", bundle, "--raw-outputs", "--format", "json"])
    try #require(outcome.exitCode == 0, "\(outcome)")
    // A key twice is an error.
    let document = try JSONDocument(parsing: Array(outcome.output.utf8))
    #expect(document.root.kind == .object)
  }

  @Test func `An unknown task is a warning and the model runs`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(folder)
    let outcome = TestConsole.run(["validate", path])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.output.contains("keypoints"))
  }

  static let summaries: [(numbers: Numbers, text: String)] = [
    (Numbers(.floats([0.5, -2.25, 1e6]), shape: [1, 3]), "1 × 3 numbers from -2.25 to 1000000.0"),
    (Numbers(.integers([7, -1]), shape: [2]), "2 numbers from -1 to 7"),
    (
      Numbers(.floats([.nan, 1, .infinity, 3]), shape: [2, 2]),
      "2 × 2 numbers from 1.0 to 3.0, 2 of them not finite"
    ),
    (Numbers(.floats([.nan]), shape: [1]), "1 numbers, none of them finite"),
    (Numbers(.doubles([]), shape: [0, 4]), "0 × 4 numbers"),
  ]

  @Test(arguments: summaries)
  func `Numbers are summarized by shape and range`(numbers: Numbers, text: String) {
    #expect(numbers.summary == text)
  }
}
