import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Images in tensors that contain several.
@Suite struct ImageBatchTests {
  static let images = [10, 20, 30, 40, 50].compactMap { gray in
    try? ImageBuffer.filled(width: 3, height: 2, red: gray, green: gray, blue: gray)
  }

  static func model(_ batch: Int, runs: Counter) throws -> Model {
    let image = #""type": "image", "shape": [\#(batch),1,1,3], "format": "RGB""#
    let tensor = TensorInfo(
      name: "t", elementType: .uint8, shape: TensorShape(signedDimensions: [batch, 1, 1, 3]))
    let fake = FakeModel(inputs: [tensor], outputs: [tensor]) { inputs in
      runs.increment()
      return inputs
    }
    return try TestBundle(
      inputs: #"{"name": "x", \#(image)}"#, outputs: #"{"name": "y", \#(image)}"#,
      model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#
    ).open(fake)
  }

  static func grays(_ outputs: [ModelOutput]) throws -> [UInt8] {
    try outputs.map { try ImageBuffer($0["y"]).pixels[0] }
  }

  @Test(arguments: [(-1, 1), (1, 5), (2, 3), (5, 1), (8, 1)])
  func `Images are processed in batches`(batch: Int, runCount: Int) async throws {
    let runs = Counter()
    let model = try Self.model(batch, runs: runs)
    let outputs = try model.run(batch: Self.images)
    #expect(try Self.grays(outputs) == [10, 20, 30, 40, 50])
    #expect(runs.value == runCount)
    #expect(outputs.allSatisfy { $0.imageGeometries.first??.imageWidth == 3 })
    let encoded = try Self.images.map { Data(try $0.encoded(as: .png)) }
    #expect(try model.run(batch: encoded) == outputs)
    #expect(try await model.submit(batch: encoded) == outputs)
  }

  @Test func `An unreadable image is reported with its index among all items`() throws {
    let model = try Self.model(2, runs: Counter())
    var items = try Self.images.map { Data(try $0.encoded(as: .png)) }
    items[3] = Data("no picture".utf8)
    let error = #expect(throws: ModelError.self) { try model.run(batch: items) }
    #expect(error?.item == 3 && error?.layer == "x")
    #expect(error?.reason == .image(ImageError(.unknownFormat)))
  }

  @Test func `A list with one image per row is one item of a fixed batch`() throws {
    let model = try Self.model(2, runs: Counter())
    let error = #expect(throws: ModelError.self) { try model.run(Self.images[0]) }
    #expect(error?.message == "expected 2 images, got an image")
    #expect(throws: ModelError.self) { try model.run(Array(Self.images.prefix(3))) }
    #expect(throws: ModelError.self) {
      try model.run([Self.images[0], [1, 2, 3]] as ModelInput)
    }
  }

  @Test func `The rows of a fixed batch are read as one array or one by one`() throws {
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [2, 1, 1, 3])
    let model = try TestBundle(
      inputs: #"{"name": "x", "type": "image", "shape": [2,1,1,3], "format": "RGB"}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [2,1,1,3]}"#,
      model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#
    ).open(.identity(tensor))
    let stacked = try model.run(Array(Self.images.prefix(2)))
    #expect(try [UInt8](stacked["y"]) == [10, 10, 10, 20, 20, 20])
    let rows = try model.run(batch: Self.images)
    #expect(try rows.map { try [UInt8]($0["y"]) } == [10, 20, 30, 40, 50].map { [$0, $0, $0] })
  }
}
