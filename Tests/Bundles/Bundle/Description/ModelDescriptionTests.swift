import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOJSON

@Suite struct ModelDescriptionTests {
  private func read(_ name: String) throws -> ModelDescription {
    let fixture = try #require(
      DescriptionFixture.valid.first { $0.name == name || $0.name.hasPrefix(name + "--") })
    return try ModelDescription(json: try fixture.bytes())
  }

  @Test func `All fields are parsed`() throws {
    let description = try read("everything")
    #expect(description.name == "Plants")
    #expect(description.details == "Tells plants apart.")
    #expect(description.version == "1")
    #expect(description.author == "TensorIO")
    #expect(description.license == "Apache-2.0")
    #expect(description.modelFile == "graphs/plants/")
    #expect(!description.isQuantized && !description.isPlaceholder)
    #expect(description.type == "image.classification.plants")
    #expect(description.backend == .tensorflow)
    #expect(description.className == "PlantModel")
    #expect(description.modes == [.predict, .train, .evaluate])
    #expect(description.trainingOperations == ["train", "update/moving_average"])
    #expect(description.inputs.map(\.name) == ["picture", "weather", "season", "note"])
    #expect(description.outputs.map(\.typeName) == ["array", "image", "scalar"])
    #expect(description.placeholders.map(\.name) == ["rate", "mask"])
    #expect(description.identifier?.checkpoint == "2018")
  }

  @Test func `An array input has the names of its features`() throws {
    let description = try read("features")
    guard case .array(let layer) = description.inputs[1].kind else {
      Issue.record("not an array")
      return
    }
    #expect(layer.featureNames == ["temperature", "humidity", "wind", "clouds"])
  }

  @Test func `An image layer is parsed with all transformations`() throws {
    let description = try read("everything")
    guard case .image(let layer) = description.inputs[0].kind else {
      Issue.record("not an image")
      return
    }
    #expect(
      layer
        == ImageLayer(
          shape: [224, 224, 3], height: 224, width: 224, format: .rgb,
          normalize: Normalization(
            scale: ColorTriple(repeating: 0.004),
            bias: ColorTriple(red: -0.485, green: -0.457, blue: -0.408)),
          fit: .letterbox, filter: .bilinear, pad: PixelColor(red: 127, green: 127, blue: 128)))
    guard case .image(let output) = description.outputs[1].kind else {
      Issue.record("not an image")
      return
    }
    #expect(output.format == .bgr)
    #expect(output.denormalize == .denormalizing(from: .minusOneToOne))
    #expect(output.shape.hasDynamicBatch)
    #expect(output.height == 64 && output.width == 64)
  }

  @Test func `Numeric and string layers are parsed with all transformations`() throws {
    let description = try read("base")
    #expect(
      description.inputs[1].kind
        == .array(
          NumericLayer(
            shape: [4], elementType: .uint8, quantize: .affine(scale: 255, bias: 0))))
    #expect(description.inputs[2].kind == .scalar(NumericLayer(shape: [1])))
    #expect(
      description.inputs[3].kind == .string(StringLayer(shape: [16], elementType: .uint8)))
    #expect(
      description.outputs[0].kind
        == .array(
          NumericLayer(
            shape: [1, 1000], dequantize: .standard(.zeroToOne), labelsFile: "labels.txt")))
  }

  @Test func `Application-defined keys are stored as values`() throws {
    let options = try read("everything").options
    #expect(options.devicePosition == .back)
    #expect(options.outputFormat == "image.classification.imagenet")
    #expect(options.extra == ["theme": ["dark": [true, nil, 1.5, "é\n"], "accent": "#00ff00"]])
  }

  @Test func `Omitted fields have defaults`() throws {
    let description = try read("before-0.6")
    #expect(description.backend == nil)
    #expect(description.modes == [.predict])
    #expect(description.placeholders.isEmpty && description.trainingOperations.isEmpty)
    #expect(try read("no-uses").modes.isEmpty)
    #expect(try read("placeholder").isPlaceholder)
    #expect(try read("misspelled-placeholders").placeholders.map(\.name) == ["rate"])
  }

  @Test func `A standard takes precedence over scale and bias, and missing colors are zero`() throws
  {
    guard
      case .array(let layer) = try read("standard-beside-scale-and-bias").inputs[1].kind,
      case .image(let image) = try read("partial-bias").inputs[0].kind
    else {
      Issue.record("unexpected kinds of layers")
      return
    }
    #expect(layer.quantize == .standard(.zeroToOne))
    #expect(image.normalize?.bias == ColorTriple(red: -1, green: 0, blue: 0))
  }

  @Test func `A task and its roles are parsed, and class indices have their own labels`() throws {
    let description = try read("detection")
    #expect(description.task?.type == "detection")
    #expect(description.task?.settings["threshold"] == 0.5)
    #expect(description.task?.settings.keys.sorted() == ["box_order", "iou", "threshold"])
    #expect(description.outputs.map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(description.outputs[1].labelsFile == "labels.txt")
    #expect(description.outputs.map(\.labelOffset) == [0, 1, 0, 0])
    #expect(description.outputs.map(\.isLabeledByIndex) == [false, false, true, false])
  }

  @Test func `Examples are stored as values`() throws {
    let examples = try read("examples").examples
    #expect(examples.map(\.tolerance) == [0.01, ModelExample.defaultTolerance])
    #expect(examples[0].output == ["plant": ["fern": 0.75], "certainty": 0.5])
    #expect(examples[1].input == "@samples/moss.json")
  }

  @Test func `The layout determines which axes are height and width`() throws {
    let description = try read("channels-first")
    guard case .image(let input) = description.inputs[0].kind,
      case .image(let output) = description.outputs[1].kind
    else {
      Issue.record("no images")
      return
    }
    #expect(input.layout == .channelsFirst && [input.height, input.width] == [224, 224])
    #expect(output.layout == .channelsFirst && [output.height, output.width] == [64, 64])
    #expect(output.shape.hasDynamicBatch)
  }

  @Test(arguments: [
    ("tio:///models/m/hyperparameters/h/checkpoints/c", true), ("tio:///models/model-id/", false),
    ("mobilenet-v2", false), ("tio:///models//hyperparameters/h/checkpoints/c", false),
    ("tio:///models/m/hyperparameters/h/checkpoints/c/", false),
    ("tio://host/models/m/hyperparameters/h/checkpoints/c", false), ("", false),
  ])
  func `Only valid addresses are parsed as identifiers`(text: String, isAddress: Bool) {
    let identifier = ModelIdentifier(text)
    #expect((identifier != nil) == isAddress)
    #expect(identifier?.description ?? text == text)
  }
}
