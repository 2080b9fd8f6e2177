import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Batches in real models: dynamic batches in one invocation, others one by one.
@Suite struct BatchConformanceTests {
  /// A bundle for a test model.
  private func model(_ name: String, layer: String, sessions: Int = 1) throws -> Model {
    let folder = try TemporaryFolder()
    let description = """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [{"name": "x", \(layer)}], "outputs": [{"name": "y", \(layer)}]}
      """
    try folder.write(description, to: "batch.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Models/\(name).tflite"), as: "batch.tiobundle/model.tflite")
    return try Model(
      at: folder.path + "/batch.tiobundle", options: .init(threads: 1, sessions: sessions))
  }

  @Test(arguments: [1, 2, 7, 100])
  func `A dynamic batch has the same outputs as single runs`(_ count: Int) throws {
    let model = try model("dynamic-batch", layer: #""type": "array", "shape": [-1, 4]"#)
    let items = (0..<count).map { item in (0..<4).map { Float(item * 4 + $0) / 8 } }
    let single = try model.run(items[0])
    let outputs = try model.run(batch: items)
    #expect(try outputs.map { try [Float]($0["y"]) } == items.map { $0.map { $0 * 2 } })
    #expect(outputs[0] == single)
    #expect(try model.run(items[0]) == single)
  }

  static let numberBundles = [
    "Conformance/number.tiobundle", "TensorFlow/number.tiobundle",
    "shared:original/tflite/1_in_1_out_number_test.tiobundle",
    "shared:original/tensorflow/1_in_1_out_number_test.tiobundle",
  ].map { FixturePath($0) }.filter(\.isAvailable)

  @Test func `The number of bundles is printed`() {
    let shared = Self.numberBundles.count(where: \.isShared)
    CaseCount.report("batches", project: Self.numberBundles.count - shared, shared: shared)
  }

  @Test(arguments: numberBundles)
  func `The disabled batch test of TensorIO for iOS returns 25 and 45`(
    _ bundle: FixturePath
  ) throws {
    let model = try Model(at: bundle.path)
    let outputs = try model.run(batch: [["input": 2], ["input": 4]])
    #expect(outputs.map { $0.legacyValues } == [["output": .number(25)], ["output": .number(45)]])
  }

  @Test(arguments: [1, 2])
  func `A hundred tasks get bit-identical outputs for any batch size`(
    _ sessions: Int
  ) async throws {
    let layer = #""type": "array", "shape": [-1, 4]"#
    let shared = try model("dynamic-batch", layer: layer, sessions: sessions)
    let items = (0..<9).map { item in (0..<4).map { Float(item + $0) * 0.1 } }
    let expected = try items.map { try shared.run($0) }
    try await withThrowingTaskGroup(of: (Int, [ModelOutput]).self) { group in
      for run in 0..<SharingTests.runCount {
        let count = run % items.count
        group.addTask {
          let part = Array(items.prefix(count))
          return switch run % 3 {
          case 0: (count, try shared.run(batch: part))
          case 1: (count, try await shared.submit(batch: part))
          default: (1, [try await shared.submit(items[0])])
          }
        }
      }
      for try await (count, outputs) in group { #expect(outputs == Array(expected.prefix(count))) }
    }
  }

  @Test func `Images for a model without batching run one by one`() throws {
    let model = try Model(at: SharingTests.bundle)
    let images = try SharingTests.images.map { try ImageBuffer(contentsOf: $0) }
    let bits = try model.run(batch: images).map { try SharingTests.bits($0) }
    #expect(bits == (try SharingTests.results(model)))
  }
}
