import Foundation
import Testing

@Suite struct SeedTests {
  @Test func `Seed 003 transforms an image`() throws {
    let handler = try #require(
      StyleTransferModelDataHandler(
        modelFileInfo: ("picture-negative", "tflite"), labelsFileInfo: ("", "txt"), threadCount: 2))
    let frame = CVPixelBuffer(width: 8, height: 8) { x, y in
      [UInt8(x * 36), UInt8(y * 36), 255, 128]
    }
    handler.runModel(onFrame: frame)
    handler.runModel(onFrame: frame)  // a second frame allocates nothing new
    #expect(handler.results.count == 8 * 8 * 3)
    for (index, result) in handler.results.enumerated() {
      let (x, y, channel) = (index / 3 % 8, index / 24, index % 3)
      let value = Float([x * 36, y * 36, 255][channel]) / 255
      #expect(abs(result - (1 - value)) <= 1 / 128, "at \(x), \(y), channel \(channel)")
    }
    let image = try #require(handler.image)
    #expect(image.width == 8 && image.height == 8)
  }

  @Test func `Seed 003 fails for a missing model`() {
    #expect(
      StyleTransferModelDataHandler(
        modelFileInfo: ("nothing", "tflite"), labelsFileInfo: ("", "txt")) == nil)
  }

  @Test func `Seed 004 detects boxes, classes and scores`() throws {
    let handler = try #require(
      ModelDataHandler(
        modelFileInfo: ("detector", "tflite"), labelsFileInfo: ("colors", "txt"), threadCount: 1))
    // An image of 600 × 400: green at the top left, blue at the bottom right, dark red elsewhere.
    let frame = CVPixelBuffer(width: 600, height: 400) { x, y in
      switch (x < 300, y < 200) {
      case (true, true): [10, 250, 10, 255]
      case (false, false): [20, 20, 200, 255]
      default: [60, 30, 30, 255]
      }
    }
    let result = try #require(handler.runModel(onFrame: frame))
    #expect(result.inferenceTime > 0)
    #expect(result.inferences.map(\.className) == ["green", "blue"])
    #expect(result.inferences.map(\.displayColor) == [UIColor(number: 2), UIColor(number: 3)])
    #expect(result.inferences.map(\.rect.origin) == [CGPoint(x: 0, y: 0), CGPoint(x: 300, y: 200)])
    #expect(result.inferences.allSatisfy { $0.rect.size == CGSize(width: 300, height: 200) })
    for (inference, score) in zip(result.inferences, [250.0, 200]) {
      #expect(abs(Double(inference.confidence) - score / 255) < 0.001)
    }
  }

  @Test func `Seed 004 detects nothing in a dark image`() throws {
    let handler = try #require(
      ModelDataHandler(
        modelFileInfo: ("detector", "tflite"), labelsFileInfo: ("colors", "txt")))
    let frame = CVPixelBuffer(width: 30, height: 30) { _, _ in [1, 2, 3, 255] }
    #expect(try #require(handler.runModel(onFrame: frame)).inferences.isEmpty)
  }
}
