import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct PictureReaderTests {
  /// Left half dark, right half bright.
  private func picture(_ width: Int, _ height: Int) throws -> ImageBuffer {
    let row = (0..<width).flatMap { Array(repeating: UInt8($0 < width / 2 ? 0 : 255), count: 3) }
    return try ImageBuffer(
      width: width, height: height, format: .rgb,
      pixels: (0..<height).flatMap { _ in row })
  }

  /// What a model that changes nothing gives of a picture of 40 × 20.
  private func read(_ fit: ImageFit, _ size: ImageOutputDecoder.Size) throws -> ImageBuffer {
    let layer = #""type": "image", "shape": [16, 16, 3], "format": "RGB""#
    let bundle = try TestBundle(
      inputs: #"{"name": "i", \#(layer), "fit": "\#(fit.rawValue)"}"#,
      outputs: #"{"name": "o", \#(layer)}"#,
      extra: #""task": {"type": "style", "size": "\#(size.rawValue)"}"#)
    let tensor = TensorInfo(name: "t", elementType: .uint8, shape: [1, 16, 16, 3])
    let model = try bundle.open(.identity(tensor))
    return try ImageOutputDecoder(model).decode(model.run(picture(40, 20)))
  }

  @Test(arguments: ImageFit.allCases)
  func `a picture has the model's size unless another is asked for`(fit: ImageFit) throws {
    let picture = try read(fit, .model)
    #expect((picture.width, picture.height) == (16, 16))
  }

  @Test(arguments: [(ImageFit.crop, 20), (.stretch, 40), (.letterbox, 40)])
  func `the original's size has the fit undone`(fit: ImageFit, width: Int) throws {
    let picture = try read(fit, .original)
    #expect((picture.width, picture.height) == (width, 20))
    for y in [0, 19] {
      #expect(picture[1, y].red < 30 && picture[width - 2, y].red > 225, "\(fit) \(y)")
    }
  }

  @Test func `a model that gives no picture has no reader`() throws {
    let model = try TestBundle().open(.pair)
    #expect(throws: ModelError.self) { try ImageOutputDecoder(model) }
  }
}
