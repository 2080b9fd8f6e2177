import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct ImageOutputTaskTests {
  /// An image whose left half is dark and whose right half is bright.
  private func image(_ width: Int, _ height: Int) throws -> ImageBuffer {
    let row = (0..<width).flatMap { Array(repeating: UInt8($0 < width / 2 ? 0 : 255), count: 3) }
    return try ImageBuffer(
      width: width, height: height, format: .rgb,
      pixels: (0..<height).flatMap { _ in row })
  }

  /// Decodes the output of an identity model for an image of 40 × 20.
  private func decode(_ fit: ImageFit, _ size: ImageOutputOptions.Size) throws -> ImageBuffer {
    let layer = #""type": "image", "shape": [16, 16, 3], "format": "RGB""#
    let bundle = try TestBundle(
      inputs: #"{"name": "i", \#(layer), "fit": "\#(fit.rawValue)"}"#,
      outputs: #"{"name": "o", \#(layer)}"#,
      extra: #""task": {"type": "style", "size": "\#(size.rawValue)"}"#)
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [1, 16, 16, 3])
    let model = try bundle.open(.identity(tensor))
    return try ImageOutputTask(model).result(of: model.run(image(40, 20)))
  }

  @Test(arguments: ImageFit.allCases)
  func `An image has the model's size by default`(fit: ImageFit) throws {
    let image = try decode(fit, .model)
    #expect((image.width, image.height) == (16, 16))
  }

  @Test(arguments: [(ImageFit.crop, 20), (.stretch, 40), (.letterbox, 40)])
  func `The original size undoes the fit`(fit: ImageFit, width: Int) throws {
    let image = try decode(fit, .original)
    #expect((image.width, image.height) == (width, 20))
    for y in [0, 19] {
      #expect(image[1, y].red < 30 && image[width - 2, y].red > 225, "\(fit) \(y)")
    }
  }

  @Test func `A model without an image output is rejected`() throws {
    let model = try TestBundle().open(.pair)
    #expect(throws: ModelError.self) { try ImageOutputTask(model) }
  }
}
