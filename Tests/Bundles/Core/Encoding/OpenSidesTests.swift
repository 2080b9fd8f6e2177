import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOImage

/// Images that determine the sides of a model's input.
@Suite struct OpenSidesTests {
  /// Opens a model whose output is its input of 2 rows, with the number of its columns.
  private func model(
    _ size: String, layout: String = "NCHW", shape: String = "[-1,3,2,-1]",
    tensor: TensorShape = [-1, 3, 2, -1]
  ) throws -> (model: Model, bundle: TestBundle) {
    let bundle = try TestBundle(
      inputs: #"""
        {"name": "x", "type": "image", "shape": \#(shape), "layout": "\#(layout)", "format": "RGB",
         "filter": "nearest", "size": \#(size), "normalize": {"scale": 1, "bias": {"r": 1, "g": 1, "b": 1}}}
        """#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,-1]}"#)
    let fake = FakeModel(
      inputs: [TensorInfo(name: "x", elementType: .float32, shape: tensor)],
      outputs: [TensorInfo(name: "y", elementType: .float32, shape: [-1, -1])]
    ) { $0 }
    return (try bundle.open(fake), bundle)
  }

  private func image(_ width: Int, _ height: Int, _ value: UInt8 = 9) throws -> ImageBuffer {
    try .filled(width: width, height: height, red: value, green: value, blue: value)
  }

  /// Encodes images into one tensor.
  private func encoded(_ images: [ImageBuffer], _ size: String) throws -> [Float] {
    let (model, _) = try model(size)
    let pipeline = try #require(model.pipeline)
    let batcher = try #require(pipeline.itemBatcher)
    let values = images.map { [LayerValue.image($0)] }
    #expect(try batcher.groups(of: values, sharingShapes: true).count == 1)
    let encoder = try pipeline.encoder.fitted(toLongest: values)
    var bytes = [UInt8](repeating: 0xEE, count: encoder.layers[0].byteCount * images.count)
    try bytes.withMutableRawSpan { (memory) throws(ModelError) in
      for (row, value) in values.enumerated() {
        _ = try encoder.layers[0].encode(value[0], into: &memory, row: row)
      }
    }
    return bytes.values(of: Float.self)
  }

  @Test func `An image fills its length, and zeros follow it`() throws {
    let numbers = try encoded([image(6, 4)], #"{"min": 5}"#)
    // 2 rows of 3 columns with the value 10, in 5 columns.
    let plane: [Float] = [10, 10, 10, 0, 0, 10, 10, 10, 0, 0]
    #expect(numbers == plane + plane + plane)
  }

  @Test func `Images of different lengths share the tensor of the longest`() throws {
    let numbers = try encoded([image(2, 2, 1), image(8, 4, 2)], "{}")
    let short: [Float] = [2, 2, 0, 0, 2, 2, 0, 0]
    #expect(numbers == short + short + short + [Float](repeating: 3, count: 24))
  }

  @Test(arguments: [
    (6, 4, "{}", 3), (6, 4, #"{"min": 5}"#, 5), (6, 4, #"{"multiple": 8}"#, 8),
    (60, 4, #"{"max": 12}"#, 12), (60, 4, #"{"max": 12, "multiple": 8}"#, 12), (1, 4, "{}", 1),
    (7, 4, "{}", 3), (1, 4000, "{}", 1),
  ])
  func `The length of a row follows from the ratio of the image's sides`(
    width: Int, height: Int, size: String, expected: Int
  ) throws {
    let (model, _) = try model(size)
    let encoder = try #require(model.pipeline?.encoder.layers[0])
    #expect(try encoder.fitted(to: .image(image(width, height))).shape == [1, 3, 2, expected])
    let png = try image(width, height).encoded(as: ImageEncoding.png)
    #expect(try encoder.fitted(to: .bytes(png)).shape == [1, 3, 2, expected])
  }

  @Test func `An oriented image has the length of the upright one`() throws {
    let (model, _) = try model("{}")
    let encoder = try #require(model.pipeline?.encoder.layers[0])
    var turned = try image(4, 12)
    turned.orientation = .left
    #expect(try encoder.fitted(to: .image(turned)).shape == [1, 3, 2, 6])
  }

  @Test func `The geometry maps the tensor to the image, with its bars`() throws {
    var preparation = ImagePreparation(width: 0, height: 0, fit: .stretch, filter: .linearFixed)
    var sides = ImageSides()
    (sides.minimum, sides.maximum, sides.multiple, sides.barRatio) = (30, 2000, 32, 8)
    sides.shorter = 736
    preparation.sides = sides
    let geometry = try preparation.rows(of: image(2000, 40)).geometry
    #expect((geometry.imageWidth, geometry.imageHeight) == (2000, 40))
    #expect((geometry.modelWidth, geometry.modelHeight) == (2944, 736))
    // 230 rows above and below the image make 500.
    let top = geometry.modelToImage.apply(0, 230 * 736 / 500)
    #expect(abs(top.x) < 1e-9 && abs(top.y) < 1e-9)
    let bottom = geometry.modelToImage.apply(2944, 736)
    #expect(abs(bottom.x - 2000) < 1e-9 && abs(bottom.y - 270) < 1e-9)
    let point = geometry.imageToModel.apply(bottom.x, bottom.y)
    #expect(abs(point.x - 2944) < 1e-9 && abs(point.y - 736) < 1e-9)
    let rows = try preparation(image(2000, 40, 200), as: .gray).image
    #expect((rows.width, rows.height) == (2944, 736))
    #expect(rows[100, 10].red == 0 && rows[100, 368].red == 200 && rows[100, 730].red == 0)
  }

  @Test(arguments: [
    // The shorter side is 800, unless the longer would exceed 1333: as in DETR.
    (640, 480, 1066, 800), (480, 640, 800, 1066), (300, 300, 800, 800), (2000, 500, 1333, 333),
    (4000, 3000, 1066, 800), (1, 5000, 1, 1333),
  ])
  func `Images have an exact shorter side`(
    width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    var sides = ImageSides()
    (sides.shorter, sides.longer, sides.isExact) = (800, 1333, true)
    var preparation = ImagePreparation(width: 0, height: 0, fit: .stretch)
    preparation.sides = sides
    let size = preparation.frameSize(forWidth: width, height: height)
    #expect((size.width, size.height) == (expectedWidth, expectedHeight))
  }

  @Test(arguments: [
    (640, 480, 512, 384), (480, 640, 384, 512), (300, 300, 384, 384), (100, 350, 96, 384),
    (1, 9000, 32, 384),
  ])
  func `The side that changes less has a length`(
    width: Int, height: Int, expectedWidth: Int, expectedHeight: Int
  ) {
    var sides = ImageSides()
    (sides.nearest, sides.multiple, sides.maximum) = (384, 32, 4096)
    var preparation = ImagePreparation(width: 0, height: 0, fit: .stretch)
    preparation.sides = sides
    let size = preparation.frameSize(forWidth: width, height: height)
    #expect((size.width, size.height) == (expectedWidth, expectedHeight))
  }

  @Test(arguments: [(2, 900), (900, 2), (30, 2000), (1, 1), (3, 16_000)])
  func `A narrow image is enlarged to a bounded size`(width: Int, height: Int) throws {
    var sides = ImageSides()
    (sides.minimum, sides.maximum, sides.multiple, sides.shorter) = (30, 2000, 32, 736)
    var preparation = ImagePreparation(width: 0, height: 0, fit: .stretch)
    preparation.sides = sides
    let size = preparation.frameSize(forWidth: width, height: height)
    #expect(size.width * size.height <= 4_200_000 && max(size.width, size.height) <= 16_384)
    #expect(size.width % 32 == 0 && size.height % 32 == 0)
  }

  @Test func `A side without a limit cannot exceed that of images`() throws {
    var sides = ImageSides()
    (sides.shorter, sides.multiple) = (736, 32)
    var preparation = ImagePreparation(width: 0, height: 0, fit: .stretch)
    preparation.sides = sides
    #expect(throws: ImageError.self) { _ = try preparation(image(16_000, 20)) }
    sides.minimum = 0
    preparation.sides = sides
    #expect(throws: ImageError.self) { _ = try preparation(image(1, 16_000)) }
    preparation.sides?.shorter = nil
    #expect(try preparation(image(1, 1)).image.width == 32)
  }

  @Test func `A tensor of fixed sides does not take open ones`() throws {
    #expect(throws: ModelError.self) {
      _ = try model("{}", tensor: TensorShape([nil, 3, 2, 64]))
    }
  }

  @Test func `The image that a model receives has the sides of its tensor`() throws {
    let (model, _) = try model(#"{"min": 5}"#)
    let found = try model.preprocessedImages(for: .value(.image(image(6, 4))))
    #expect(found.count == 1)
    let received = try #require(found.first).image()
    #expect((received.width, received.height) == (5, 2))
  }
}
