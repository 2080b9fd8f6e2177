import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct MapTests {
  /// The output of a model with an image input of 4 × 4 and a map of given numbers.
  private func run(
    _ shape: [Int], _ values: [Float], _ image: ImageBuffer, fit: String = "stretch",
    type: String = "depth"
  ) throws -> ModelOutput {
    let dimensions = shape.map(String.init).joined(separator: ", ")
    let bundle = try TestBundle(
      inputs: """
        {"name": "image", "type": "image", "shape": [4, 4, 3], "format": "RGB", "fit": "\(fit)"}
        """,
      outputs: #"{"name": "m", "type": "array", "shape": [\#(dimensions)], "role": "map"}"#,
      extra: #""task": {"type": "\#(type)"}"#)
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 4, 4, 3])],
        outputs: [TensorInfo(name: "o", elementType: .float32, shape: TensorShape(shape))]
      ) { _ in [values.rawBytes] })
    defer { withExtendedLifetime(bundle) {} }
    return try model.run(image)
  }

  private static func image(_ width: Int, _ height: Int) throws -> ImageBuffer {
    try ImageBuffer.filled(width: width, height: height, red: 0, green: 0, blue: 0)
  }

  @Test(arguments: ["map", "depth"])
  func `Values are interpolated to the size of the image`(type: String) throws {
    let output = try run([1, 1, 2], [0, 4], Self.image(4, 2), type: type)
    let map = try output.map
    #expect((map.width, map.height) == (4, 2))
    #expect(map.values == [0, 1, 3, 4, 0, 1, 3, 4])
    #expect((map.minimum, map.maximum, map.mean) == (0, 4, 2))
    #expect(try output.map { $0.size = .model }.values == [0, 4])
  }

  @Test func `Pixels that were cropped away and values that are not finite are left out`() throws {
    let map = try run([1, 1, 1, 1], [5], Self.image(8, 4), fit: "crop").map
    #expect(map.values.count { $0 == 5 } == 16 && map.nonfiniteCount == 16)
    let odd = ValueMap(width: 2, values: [.nan, .infinity, -1, 3, 9])
    #expect((odd.height, odd.minimum, odd.maximum, odd.mean) == (2, -1, 3, 1))
    #expect(odd.nonfiniteCount == 2 && odd.levels(count: 101) == [nil, nil, 0, 100])
    let empty = ValueMap(width: 1, values: [.nan])
    #expect((empty.minimum, empty.maximum, empty.mean) == (0, 0, 0))
    #expect(ValueMap(width: 1, values: [7, 7]).levels(count: 10) == [0, 0])
  }

  @Test func `The levels of the smallest and the greatest numbers span the scale`() {
    let limit = Float.greatestFiniteMagnitude
    #expect(ValueMap(width: 1, values: [-limit, 0, limit]).levels(count: 101) == [0, 50, 100])
    let tiny = Float.leastNonzeroMagnitude
    #expect(ValueMap(width: 1, values: [0, tiny]).levels(count: 101) == [0, 100])
  }

  @Test func `Colors go from blue to red, and unknown pixels are black`() throws {
    let image = try ValueMap(width: 3, values: [0, 1, .nan]).image
    #expect(image[0, 0].blue > image[0, 0].red && image[1, 0].red > image[1, 0].blue)
    #expect(image[2, 0] == .black)
  }

  @Test func `A gray PNG has 16 bits`() throws {
    let bytes = try ValueMap(width: 2, values: [0, 1, 2, .nan]).png16()
    // The header has width, height, the number of bits, and the type of color.
    #expect(Array(bytes[16..<26]) == [0, 0, 0, 2, 0, 0, 0, 2, 16, 0])
    let decoded = try ImageBuffer(decoding: bytes)
    #expect(decoded[1, 1].red == 0 && decoded[0, 1].red == 255)
    #expect(decoded[1, 0].red > decoded[0, 0].red && decoded[1, 0].red < 255)
    #expect(throws: ModelError.self) { try ValueMap(width: 0, values: []).png16() }
  }

  @Test func `The result is small as text and has a picture as JSON`() throws {
    let output = try run([1, 2, 2], [1, 2, 3, .nan], Self.image(2, 2))
    let map = try output.map { $0.size = .model }
    let result = MapResult(map: map, imageWidth: 2, imageHeight: 2)
    #expect(result.notes == ["1 of the values are not finite numbers"])
    #expect(result.tableRows.map(\.value) == ["1.0", "3.0", "2.0"])
    var writer = JSONWriter()
    result.write(to: &writer)
    let json = try JSONTree(writer.string)
    #expect(json["maximum"]?.number == 3 && json["png"]?.string?.isEmpty == false)
    guard case .mask(let mask) = result.overlay.elements[0] else {
      Issue.record("the overlay is not a mask")
      return
    }
    #expect(mask.indices[0] == 1 && mask.indices[2] == 255 && mask.indices[3] == 0)
    #expect(mask.palette.count == 256 && mask.opacity == 1)
  }

  @Test func `Several numbers per cell are rejected`() throws {
    let output = try run([1, 1, 2, 3], [1, 2, 3, 4, 5, 6], Self.image(2, 2))
    let error = #expect(throws: ModelError.self) { try output.map }
    #expect(error?.description.contains("[1, 1, 2, 3]") == true)
  }
}
