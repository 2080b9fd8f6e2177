import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

@Suite struct TFLiteMetadataTests {
  private static let image = FlatValue.table([
    0: .text("image"), 1: .text("The input image."),
    3: .table([0: .byte(2), 1: .table([0: .byte(1)])]),
    4: .list([
      .table([0: .byte(2), 1: .table([:])]),
      .table([
        0: .byte(1),
        1: .table([0: .floats([123.5, 116.25, 103]), 1: .floats([58, 57, 57.5])]),
      ]),
    ]),
  ])

  private static let output = FlatValue.table([
    0: .text("probability"),
    3: .table([0: .byte(1), 1: .table([:])]),
    6: .list([
      .table([0: .text("vocabulary.txt"), 2: .byte(5)]),
      .table([0: .text("labels.txt"), 2: .byte(2)]),
    ]),
  ])

  private static let bytes = FlatBuilder(
    .table([
      0: .text("Plants"), 1: .text("Classifies plants. 🌱"), 2: .text("v2"),
      3: .list([.table([2: .list([image]), 3: .list([output])])]),
      4: .text("TensorIO"), 5: .text("Apache-2.0"),
    ])
  ).bytes

  @Test func `All fields are read`() throws {
    let metadata = try #require(ModelMetadata(tflite: Self.bytes))
    #expect(metadata.name == "Plants")
    #expect(metadata.details == "Classifies plants. 🌱")
    #expect(metadata.version == "v2")
    #expect(metadata.author == "TensorIO")
    #expect(metadata.license == "Apache-2.0")
    let input = try #require(metadata.inputs.first)
    #expect(input.name == "image" && input.details == "The input image.")
    #expect(input.content == .image(isColored: true))
    #expect(input.mean == [123.5, 116.25, 103])
    #expect(input.standardDeviation == [58, 57, 57.5])
    let output = try #require(metadata.outputs.first)
    #expect(output.content == .features)
    #expect(output.labelFiles == ["labels.txt"])
    #expect(output.mean.isEmpty && output.standardDeviation.isEmpty)
  }

  @Test(
    arguments: [
      (0, .unknown), (1, .features), (2, .image(isColored: nil)), (3, .boundingBoxes), (4, .audio),
      (5, .unknown),
    ] as [(UInt8, ModelMetadata.Content)])
  func `Every kind of content has a code`(
    _ code: UInt8, _ content: ModelMetadata.Content
  ) throws {
    let tensor = FlatValue.table([3: .table([0: .byte(code)])])
    let bytes = FlatBuilder(.table([3: .list([.table([2: .list([tensor])])])])).bytes
    #expect(try #require(ModelMetadata(tflite: bytes)).inputs.map(\.content) == [content])
  }

  @Test func `Bounding boxes, thresholds and calibrations are read`() throws {
    let boxes = FlatValue.table([
      3: .table([
        0: .byte(3), 1: .table([0: .integers([1, 0, 3, 2]), 1: .byte(1), 2: .byte(1)]),
      ])
    ])
    let scores = FlatValue.table([
      4: .list([
        .table([0: .byte(3), 1: .table([0: .integer(Int32(bitPattern: Float(0.25).bitPattern))])]),
        .table([
          0: .byte(2),
          1: .table([0: .byte(2), 1: .integer(Int32(bitPattern: Float(-1).bitPattern))]),
        ]),
      ]),
      6: .list([.table([0: .text("calibration.csv"), 2: .byte(4)])]),
    ])
    let bytes = FlatBuilder(.table([3: .list([.table([3: .list([boxes, scores])])])])).bytes
    let outputs = try #require(ModelMetadata(tflite: bytes)).outputs
    #expect(
      outputs.map(\.boxes)
        == [ModelMetadata.BoxProperties(.boundaries, order: [1, 0, 3, 2], isInPixels: true), nil])
    #expect(outputs.map(\.scoreThreshold) == [nil, 0.25])
    let calibration = CalibrationDescription(
      file: "calibration.csv", transform: .logit, defaultScore: -1)
    #expect(outputs.map(\.calibration) == [nil, calibration])
    #expect(outputs.map(\.labelFiles) == [[], []])
  }

  @Test func `Written metadata is read with all values`() throws {
    var metadata = ModelMetadata()
    (metadata.name, metadata.details, metadata.version) = ("Plants", "Classifies plants. 🌱", "v2")
    (metadata.author, metadata.license) = ("TensorIO", "Apache-2.0")
    var image = ModelMetadata.TensorMetadata()
    (image.name, image.details) = ("image", "The input image.")
    image.content = .image(isColored: true)
    (image.mean, image.standardDeviation) = ([123.5, 116.25, 103], [58, 57, 57.5])
    var features = ModelMetadata.TensorMetadata()
    features.content = .features
    metadata.inputs = [image, features, ModelMetadata.TensorMetadata()]
    var boxes = ModelMetadata.TensorMetadata()
    boxes.content = .boundingBoxes
    boxes.boxes = ModelMetadata.BoxProperties(.center, order: [1, 0, 3, 2], isInPixels: true)
    var classes = ModelMetadata.TensorMetadata()
    (classes.labelFiles, classes.hasValueLabels) = (["labels.txt"], true)
    var scores = ModelMetadata.TensorMetadata()
    (scores.labelFiles, scores.scoreThreshold) = (["labels.txt"], 0.25)
    scores.calibration = CalibrationDescription(file: "c.txt", transform: .log, defaultScore: 0.5)
    metadata.outputs = [boxes, classes, scores]
    #expect(ModelMetadata(tflite: metadata.tfliteBytes) == metadata)
    #expect(ModelMetadata(tflite: ModelMetadata().tfliteBytes) == ModelMetadata())
  }

  @Test(arguments: ["signature-order", "several-signatures"])
  func `Tensors are written in the order of the graph`(_ name: String) throws {
    let tiny = TinyModel(name: name)
    let signature = try tiny.load().signature
    let layers = { (tensors: [TensorInfo]) in
      tensors.reversed().map {
        Layer(name: $0.signatureKey ?? $0.name, kind: .array(NumericLayer(shape: $0.shape)))
      }
    }
    let use = ModelBinding(
      ModelDescription(inputs: layers(signature.inputs), outputs: layers(signature.outputs)),
      mode: .predict)
    let bound = try LiteRTBackend().load(tiny.file, for: use).signature
    var metadata = ModelMetadata()
    func named(_ tensors: [TensorInfo]) -> [ModelMetadata.TensorMetadata] {
      tensors.map { tensor in
        var result = ModelMetadata.TensorMetadata()
        result.name = "metadata of \(tensor.name)"
        return result
      }
    }
    (metadata.inputs, metadata.outputs) = (named(bound.inputs), named(bound.outputs))
    let bytes = try LiteRTBackend().copy(of: tiny.file, adding: metadata, files: [], for: use)
    let written = try #require(try LiteRTBackend().model(bytes: bytes).modelMetadata)
    #expect(written.inputs == named(signature.inputs))
    #expect(written.outputs == named(signature.outputs))
  }

  @Test(arguments: TinyModel.all.filter { (try? $0.load()) != nil })
  func `Metadata in a model changes neither its tensors nor its operators`(
    _ tiny: TinyModel
  ) throws {
    var metadata = ModelMetadata()
    metadata.name = "new"
    let source = try ModelBytes(tiny.bytes())
    let once = try MetadataInsertion(
      metadata.tfliteBytes, named: LiteRTModel.metadataName, in: source, upTo: source.count)
    let second = try ModelBytes(once.bytes)
    metadata.name = "newer"
    let twice = try MetadataInsertion(
      metadata.tfliteBytes, named: LiteRTModel.metadataName, in: second, upTo: second.count)
    let (model, original) = (try LiteRTBackend().model(bytes: twice.bytes), try tiny.load())
    #expect(model.signatures == original.signatures)
    #expect(model.modelMetadata?.name == "newer")
    let (parsed, expected) = (try ParsedModel(ModelBytes(twice.bytes)), try ParsedModel(source))
    #expect(parsed.metadata.count == max(1, expected.metadata.count))
    #expect(parsed.buffers.count <= expected.buffers.count + 1)
    #expect(Array(twice.bytes.suffix(source.count)) == source.copy(of: 0..<source.count))
  }

  @Test func `Missing fields are empty`() throws {
    let metadata = try #require(ModelMetadata(tflite: FlatBuilder(.table([:])).bytes))
    #expect(metadata.name.isEmpty && metadata.inputs.isEmpty && metadata.outputs.isEmpty)
  }

  @Test func `Bytes of another format are not metadata`() {
    #expect(ModelMetadata(tflite: []) == nil)
    #expect(ModelMetadata(tflite: [UInt8](repeating: 0xFF, count: 100)) == nil)
    #expect(ModelMetadata(tflite: FlatBuilder(.table([:]), identifier: "TFL3").bytes) == nil)
  }

  @Test func `Truncated metadata is read up to its end`() {
    for count in Self.bytes.indices {
      let metadata = ModelMetadata(tflite: Array(Self.bytes.prefix(count)))
      #expect(metadata?.inputs.count ?? 0 <= 1)
    }
  }

  @Test func `Metadata with any word changed is read within limits`() {
    let words: [UInt32] = [0, 1, 4, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0]
    for offset in 8..<Self.bytes.count - 4 {
      for word in words {
        var bytes = Self.bytes
        for shift in 0..<4 {
          bytes[offset + shift] = UInt8(truncatingIfNeeded: word >> (8 * UInt32(shift)))
        }
        let metadata = ModelMetadata(tflite: bytes)
        #expect(metadata?.inputs.count ?? 0 <= 64)
      }
    }
  }

  @Test func `Vectors that refer repeatedly to one table are limited`() throws {
    var table = FlatValue.table([0: .text(String(repeating: "a", count: 4000))])
    table = .list([FlatValue](repeating: table, count: 200))
    let bytes = FlatBuilder(.table([3: .list([.table([2: table, 3: table])])])).bytes
    let metadata = try #require(ModelMetadata(tflite: bytes))
    #expect(metadata.inputs.count == 64 && metadata.outputs.count == 64)
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `The metadata of a published model is read`() throws {
    let path = SharedFixtures.path("real/models/mobilenet_v2_1.0_224_quant.tflite")
    let model = try LiteRTBackend().model(at: ModelFile(path: path, name: "model"))
    let metadata = try #require(model.modelMetadata)
    #expect(metadata.name == "ImageClassifier")
    #expect(metadata.inputs.map(\.name) == ["image"])
    #expect(metadata.inputs.first?.content == .image(isColored: true))
    #expect(metadata.outputs.map(\.name) == ["probability"])
    #expect(metadata.outputs.map(\.labelFiles) == [["imagenet_labels.txt"]])
  }
}
