import Foundation
import TensorIOTestSupport
import Testing

/// Models whose runtime keeps values from run to run, on the command line.
@Suite struct RuntimeStateTests {
  /// Returns a bundle of `history`, which adds the last three sums with the weights 100, 10 and 1.
  private func bundle() throws -> TestBundle {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1, 2]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1, 1]}"#)
    let file = ProjectFiles.path("Tests/Fixtures/Models/history.tflite")
    try bundle.write(Array(Data(contentsOf: URL(filePath: file))), to: "model.tflite")
    return bundle
  }

  @Test func `Items follow one another`() throws {
    let bundle = try bundle()
    let result = TestConsole.run(
      ["run", bundle.path, "[1,0]", "[0.5,1.5]", "[1,2]", "--format", "csv"])
    #expect(result.exitCode == 0)
    let numbers = result.output.split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: ",").last.flatMap { Double($0) } }
    #expect(numbers == [1, 12, 123], "\(result.output) \(result.messages)")
  }

  @Test func `A run that skips items is rejected`() throws {
    let bundle = try bundle()
    let folder = try TemporaryFolder()
    let result = TestConsole.run(
      ["run", bundle.path, "[1,0]", "--output", "\(folder.path)/y.ndjson", "--resume"])
    #expect(result.exitCode == 2)
    #expect(result.messages.contains("carries state from item to item"))
  }
}
