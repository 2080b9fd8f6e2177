import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIODrafting

/// Preparations of images in the words of hubs, with the tensors that the package transformers makes.
@Suite struct HubImageTests {
  private static let goldens: [(name: String, golden: JSONValue)] = {
    let path = ProjectFiles.path("Tests/Fixtures/Hub/preprocessors.json")
    let bytes = (try? Array(Data(contentsOf: URL(filePath: path)))) ?? []
    let root = try? JSONDocument(parsing: bytes).root.value
    return (root?.members ?? []).map { ($0.key, $0.value) }
  }()

  /// Preparations whose sizes depend on each image, if the model accepts any.
  private static let open: Set = ["detr", "dpt"]
  /// Bars of the mean color, which a bundle rounds to whole numbers.
  private static let rounded: Set = ["sam"]

  private static func preparation(_ golden: JSONValue) throws -> HubImagePreparation {
    let folder = try TemporaryFolder()
    try folder.write(#"{"model_type": "x"}"#, to: "hub/config.json")
    try folder.write(try #require(golden["config"]).text, to: "hub/preprocessor_config.json")
    let hub = try #require(try HubFolder(at: folder.path + "/hub"))
    return try #require(HubImagePreparation(hub))
  }

  @Test func `There are goldens of 14 preparations`() { #expect(Self.goldens.count == 14) }

  @Test(arguments: goldens.map(\.name))
  func `A preparation equals that of the package`(name: String) throws {
    let golden = try #require(Self.goldens.first { $0.name == name }?.golden)
    let isOpen = Self.open.contains(name)
    let images = try isOpen ? Self.preparation(golden).open() : Self.preparation(golden)
    let shape = try #require(golden["shape"]?.elements?.compactMap { $0.int })
    let (height, width) = (shape[1], shape[2])
    #expect(isOpen || images.size.map { [3, $0.height, $0.width] } == shape)
    #expect(images.remarks.map(\.key) == (Self.rounded.contains(name) ? ["pad"] : []))
    var layer = ImageLayer(
      shape: TensorShape([1] + shape.map { $0 }), height: height, width: width,
      format: images.format, layout: .channelsFirst, normalize: images.normalize, fit: images.fit,
      filter: images.filter, pad: images.pad, fitAnchor: images.anchor, resize: images.resize)
    #expect((images.sides != nil) == isOpen)
    if let sides = images.sides { layer = layer.opened(sides) }
    let tensor = TensorInfo(name: "x", elementType: .float32, shape: layer.shape)
    let bundle = try TestBundle()
    var description = try bundle.read().description
    description.inputs = [Layer(name: "x", kind: .image(layer))]
    description.outputs = [
      Layer(name: "y", kind: .array(NumericLayer(shape: tensor.shape)))
    ]
    try bundle.write(Array(description.json), to: "model.json")
    let model = try bundle.open(.identity(tensor))
    let image = try ImageBuffer(
      contentsOf: ProjectFiles.path("Tests/Fixtures/Hub/image.png"))
    let values: [Float] = try model.run(image).value(of: "y")
    #expect(values.count == shape.reduce(1, *))
    let tolerance: Float = Self.rounded.contains(name) ? 0.01 : 2e-5
    func expect(_ key: String, from start: Int) throws {
      let expected = try #require(golden[key]?.elements?.compactMap { $0.double.map(Float.init) })
      let found = Array(values[start..<start + expected.count])
      #expect(
        zip(found, expected).allSatisfy { abs($0 - $1) < tolerance }, "\(key): \(found) \(expected)"
      )
    }
    try expect("first8_of_red_row_0", from: 0)
    try expect("last8_of_blue_last_row", from: 3 * height * width - 8)
    try expect("middle8_of_green", from: height * width + height / 2 * width + width / 2 - 4)
    let mean = values.reduce(0) { $0 + Double($1) } / Double(values.count)
    #expect(abs(mean - (golden["mean"]?.double ?? 0)) < Double(tolerance), "\(mean)")
  }

  @Test(arguments: open.sorted())
  func `A preparation whose sizes depend on the image is reviewed if the model has one size`(
    name: String
  ) throws {
    let golden = try #require(Self.goldens.first { $0.name == name }?.golden)
    #expect(
      try Self.preparation(golden).remarks.contains {
        $0.reason.contains("sizes depend on each image")
      })
  }

  @Test(arguments: [
    (#"{"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 80}"#, false),
    (#"{"image_processor_type": "ViTImageProcessor", "size": 224}"#, true), ("3", false),
  ])
  func `Only preparations of images are read`(text: String, isOfImages: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"model_type": "x"}"#, to: "hub/config.json")
    try folder.write(text, to: "hub/preprocessor_config.json")
    let hub = try #require(try HubFolder(at: folder.path + "/hub"))
    #expect((HubImagePreparation(hub) != nil) == isOfImages)
  }
}
