import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Models for rows of any length, in both runtimes and in worker processes.
@Suite(.ownThreads) struct VariableLengthModelTests {
  /// The settings of each isolation level; `nil` for models in this process.
  private static let isolations: [Isolation?] = [nil, Isolation(), Isolation(level: .sandbox)]

  private func open(_ path: String, _ isolation: Isolation?) throws -> Model {
    try Model(
      at: path,
      options: OpeningOptions(threads: 1, isolation: isolation))
  }

  /// Writes a bundle for the model in `Tests/Fixtures/Models`.
  private func tfliteBundle(in folder: TemporaryFolder) throws -> String {
    try folder.write(
      """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [{"name": "tokens", "type": "array", "shape": [-1,-1], "dtype": "int32"}],
       "outputs": [{"name": "doubled", "type": "array", "shape": [-1,-1]},
                   {"name": "total", "type": "array", "shape": [-1,1]}]}
      """, to: "v.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Models/variable-length.tflite"),
      as: "v.tiobundle/model.tflite")
    return folder.path + "/v.tiobundle"
  }

  @Test(arguments: isolations)
  func `LiteRT resizes its tensors to each value`(_ isolation: Isolation?) throws {
    let folder = try TemporaryFolder()
    let model = try open(tfliteBundle(in: folder), isolation)
    // Shared memory grows for the longer rows.
    for count in [1, 3, 20_000, 2] {
      let tokens = (0..<count).map { $0 % 7 }
      let output = try model.run(tokens)
      let doubled = try #require(try output["doubled"].numbers)
      #expect(doubled.shape == [1, count])
      #expect(doubled.doubles == tokens.map { Double($0 * 2) })
      #expect(try Int(output["total"]) == tokens.reduce(0, +))
    }
    let items = [[1, 2], [3, 4], [5, 6, 7]]
    let totals = try model.run(batch: items).map { try Int($0["total"]) }
    #expect(totals == [3, 7, 18])
  }

  @Test(arguments: isolations)
  func `TensorFlow is fed each value in its shape`(_ isolation: Isolation?) throws {
    let path = ProjectFiles.path("Tests/Fixtures/TensorFlow/variable-lengths.tiobundle")
    let model = try open(path, isolation)
    for count in [1, 3, 20_000, 2] {
      let tokens = (0..<count).map { $0 % 7 }
      let output = try model.run([tokens])
      #expect(try output["powers"].numbers?.shape == [1, count, 2])
      #expect(try Int(output["total"]) == tokens.reduce(0, +))
    }
    let items = [[1, 2], [3, 4], [5, 6, 7]]
    let outputs = try model.run(batch: items)
    #expect(try outputs.map { try Int($0["total"]) } == [3, 7, 18])
    #expect(
      try outputs.map { try $0["powers"].numbers?.shape } == [[1, 2, 2], [1, 2, 2], [1, 3, 2]])
  }

  @Test(arguments: [
    "Models/variable-length.tflite", "TensorFlow/variable-lengths.tiobundle/model",
  ])
  func `A drafted bundle takes rows of any length`(_ model: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/v.tiobundle"
    let made = TestConsole.run(["init", ProjectFiles.path("Tests/Fixtures/" + model), "-o", target])
    #expect(made.exitCode == 0, "\(made)")
    #expect(made.output.contains("int32 [-1,-1] (each value determines the lengths"))
    #expect(TestConsole.run(["validate", target]).exitCode == 0)
    for tokens in ["[5,3,8]", "[[5,3,8]]"] {
      let record = try TestConsole.run(["run", target, tokens, "--format", "json"]).json()
      #expect(record["outputs"]?["total"]?.number == 16)
    }
    let rejected = TestConsole.run(["run", target, "[[1],[2]]"])
    #expect(rejected.exitCode != 0 && rejected.messages.contains("[-1,-1]"), "\(rejected)")
    let inspected = TestConsole.run(["inspect", target])
    #expect(inspected.exitCode == 0 && inspected.output.contains("[-1,-1]"))
    #expect(TestConsole.run(["benchmark", target, "--runs", "1"]).exitCode == 0)
  }
}
