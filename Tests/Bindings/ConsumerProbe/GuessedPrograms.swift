import TensorIO
import Testing

/// Programs as someone writes them who knows the README only.
@Suite struct GuessedPrograms {
  @Test func `The three best labels`() throws {
    let model = try Model(at: Bundles.digits)
    let best = try model.run(ImageBuffer(contentsOf: Bundles.digits + "/samples/8-1.png")).classes {
      $0.top = 3
    }
    #expect(best.count == 3 && best[0].label == "8")
  }

  @Test func `Isolated, on a GPU, with a library of its own`() {
    var options = OpeningOptions(isolation: Isolation(level: .process), accelerator: .gpu)
    options.libraries[.onnx] = "/opt/onnxruntime/lib/libonnxruntime.so"
    // A worker process has no GPU: that is said, and nothing is ignored.
    #expect(throws: ModelError.self) { try Model(at: Bundles.digits, options: options) }
  }

  @Test func `A chain is a model`() throws {
    let faces = try Model(at: Bundles.faces).run(
      ImageBuffer(contentsOf: Bundles.faces + "/../../Data/faces-over-photographs/groups/0000.jpg")
    ).detections
    #expect(!faces.isEmpty)
  }

  @Test func `One number`() throws {
    let model = try Model(at: Bundles.diabetes)
    let progression: Double = try model.run([59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87])
      .value(of: "progression")
    #expect(progression > 0)
  }

  @Test func `A task of its own and a stream`() throws {
    let model = try Model(
      at: Bundles.diabetes, options: OpeningOptions(tasks: .standard + [Doubling.self]))
    let stream = model.stream()
    let doubled = try stream.run([59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]).result(
      of: Doubling.self)
    let plain: Double = try stream.run([59, 2, 32.1, 101, 157, 93.2, 38, 4, 4.8598, 87]).value(
      of: "progression")
    #expect(doubled == 2 * plain)
  }
}

/// A task that reads the first output, whatever its role is.
private struct Doubling: ModelTask {
  static let format = TaskFormat("doubling", outputs: [])
  private let output: String

  init(_ model: ModelInfo) throws(ModelError) { output = model.outputs[0].name }

  func result(of output: ModelOutput) throws(ModelError) -> Double {
    2 * (try output.value(of: self.output, as: Double.self))
  }
}
