import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// Copies of models whose weights have half precision.
@Suite struct HalfPrecisionTests {
  private static let bundles = [
    "digits", "diabetes", "digits-embedder", "digits-quantized", "digits-trainable-tflite",
    "face-detector", "face-embedder", "figure-pose", "line-detector", "line-reader", "negative",
    "pencil", "shape-boxes", "shape-detector", "shape-segmenter", "speech-activity",
    "spoken-digits",
    "style-predict", "style-transform", "tones", "topics", "two-in-two-out-quantized",
  ]

  @Test(arguments: bundles)
  func `A copy runs like the original`(_ name: String) throws {
    let path = ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
    let bundle = try ModelBundle(at: path, trust: .unrestricted, reader: .standard)
    let file = try bundle.modelFile
    guard file.name.hasSuffix(".tflite") else { return }
    let backend = LiteRTBackend()
    let bytes = try backend.copyInHalfPrecision(of: file)
    let original = try [UInt8](Data(contentsOf: URL(filePath: file.path)))
    #expect(bytes.count <= original.count + 4096)
    let folder = try TemporaryFolder()
    let copy = ModelFile(path: try folder.write(bytes, to: "model.tflite"), name: "model.tflite")
    let binding = ModelBinding(bundle.description, mode: bundle.description.defaultMode)
    let models = [try backend.load(file, for: binding), try backend.load(copy, for: binding)]
    #expect(models[0].signature == models[1].signature)
    let outputs = try models.map { try Self.outputs(of: $0) }
    for (first, second) in zip(outputs[0], outputs[1]) {
      let scale = first.map(abs).max() ?? 0
      let difference = zip(first, second).map { abs($0 - $1) }.max() ?? 0
      #expect(difference <= 0.02 * max(1, scale))
    }
  }

  /// Runs a model on fixed numbers, and returns its float outputs.
  private static func outputs(of model: any RuntimeModel) throws -> [[Float]] {
    let session = try model.makeSession(SessionOptions())
    let shapes = model.signature.inputs.map { $0.shape.signedDimensions.map { max(1, $0) } }
    if model.signature.inputs.contains(where: \.shape.isDynamic) { try session.resize(shapes) }
    for (index, input) in model.signature.inputs.enumerated() {
      try session.fill(index) { (memory) throws(ModelError) in
        guard input.elementType == .float32 else { return }
        for offset in stride(from: 0, to: memory.byteCount, by: 4) {
          let value = Float((offset / 4 * 37) % 101) / 101
          memory.storeBytes(of: value, toByteOffset: offset, as: Float.self)
        }
      }
    }
    try session.invoke()
    var outputs: [[Float]] = []
    for (index, output) in model.signature.outputs.enumerated()
    where output.elementType == .float32 {
      try session.read(index) { (memory, _) throws(ModelError) in
        outputs.append(
          stride(from: 0, to: memory.byteCount, by: 4).map {
            unsafe memory.unsafeLoadUnaligned(fromByteOffset: $0, as: Float.self)
          })
      }
    }
    return outputs
  }

  @Test func `A second copy changes nothing`() throws {
    let path = ProjectFiles.path("Examples/Bundles/digits.tiobundle/model.tflite")
    let backend = LiteRTBackend()
    let once = try backend.copyInHalfPrecision(of: ModelFile(path: path, name: "model.tflite"))
    let folder = try TemporaryFolder()
    let file = ModelFile(path: try folder.write(once, to: "model.tflite"), name: "model.tflite")
    #expect(try backend.copyInHalfPrecision(of: file).count == once.count)
  }

  @Test func `A damaged file is an error, not a crash`() throws {
    let path = ProjectFiles.path("Examples/Bundles/digits.tiobundle/model.tflite")
    let original = try [UInt8](Data(contentsOf: URL(filePath: path)))
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0..<3 {
        let index = Int.random(in: 0..<min(bytes.count, 8192), using: &generator)
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? HalfPrecisionModel.file(of: ModelBytes(bytes))
    }
  }
}
