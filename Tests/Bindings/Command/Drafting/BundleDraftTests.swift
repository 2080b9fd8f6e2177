import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOLiteRT
import Testing

@testable import TensorIOBundle
@testable import TensorIODrafting

@Suite struct BundleDraftTests {
  private func tensor(
    _ shape: [Int], _ type: ElementType = .float32, _ name: String = "t", scale: Float? = nil,
    zero: Int = 0
  ) -> TensorInfo {
    TensorInfo(
      name: name, elementType: type, shape: TensorShape(signedDimensions: shape),
      quantization: scale.map { TensorQuantization(scale: $0, zeroPoint: zero) })
  }

  private func draft(
    _ inputs: [TensorInfo], _ outputs: [TensorInfo],
    _ change: (inout DraftSources) -> Void = { _ in }
  ) throws -> BundleDraft {
    let signature = ModelSignature(name: "main", inputs: inputs, outputs: outputs)
    var sources = DraftSources(signature: signature, fileStem: "model")
    change(&sources)
    let draft = BundleDraft(from: sources)
    // Every draft is a valid description.
    #expect(try ModelDescription(json: draft.description.json) == draft.description)
    let diagnostics = draft.description.diagnostics(against: signature)
    #expect(diagnostics.filter { $0.severity == .error }.isEmpty)
    return draft
  }

  @Test(arguments: [
    ("h0", "hn", "c0", "cn"), ("state_h", "new_state_h", "state_c", "new_state_c"),
  ])
  func `The states of a recurrent model are no images, for any number of items`(
    _ h: String, _ newH: String, _ c: String, _ newC: String
  ) throws {
    let state = { (name: String) in tensor([3, -1, 512], .float32, name) }
    let draft = try draft(
      [tensor([1, 40], .float32, "features"), state(h), state(c)],
      [tensor([1, 2], .float32, "y"), state(newH), state(newC)])
    #expect(
      draft.description.state == [
        StateLink(output: newH, input: h), StateLink(output: newC, input: c),
      ])
    #expect(draft.description.inputs[1].shape == TensorShape([3, 1, 512]))
  }

  @Test func `A sample rate among the inputs has a value, which is to be reviewed`() throws {
    let rate = tensor([], .int64, "sr")
    let draft = try draft(
      [tensor([-1, 512], .float32, "input"), rate], [tensor([-1, 1], .float32, "output")])
    #expect(draft.description.inputs[1].defaultValue == [16000])
    #expect(draft.description.callerInputs.map(\.name) == ["input"])
    #expect(reviewPaths(draft).contains("/inputs/1/value"))
    for other in [tensor([], .float32, "sr"), tensor([2], .int64, "sr"), tensor([], .int64, "n")] {
      let draft = try self.draft([tensor([1, 512], .float32, "input"), other], [tensor([1, 1])])
      #expect(draft.description.inputs[1].defaultValue == nil)
    }
  }

  private func image(_ draft: BundleDraft) throws -> ImageLayer {
    guard case .image(let layer) = try #require(draft.description.inputs.first).kind else {
      throw ModelError(.input, .unsupported("no image"))
    }
    return layer
  }

  private func reviewPaths(_ draft: BundleDraft) -> [String] {
    draft.draftedValues.filter { $0.reviewNote != nil }.map(\.path)
  }

  private func labels(_ count: Int, first: String? = nil) -> LabelList {
    var labels = (0..<count).map { "label \($0)" }
    if let first { labels[0] = first }
    return LabelList(labels: labels, file: "labels.txt", source: .labels)
  }

  private let square = [1, 224, 224, 3]

  // MARK: Images

  @Test func `A byte tensor with three channels is an image without normalization`() throws {
    let draft = try draft([tensor(square, .uint8, scale: 1 / 128, zero: 128)], [tensor([1, 10])])
    let layer = try image(draft)
    #expect(layer.format == .rgb && layer.normalize == nil)
    #expect(draft.description.isQuantized)
    #expect(
      reviewPaths(draft) == [
        "/inputs/0/format", "/inputs/0/fit", "/inputs/0/filter", "/outputs/0/labels",
      ])
    let note = draft.draftedValues.first { $0.path == "/outputs/0/labels" }?.reviewNote
    #expect(note == "if these are scores of classes, --labels names them")
  }

  @Test func `A long vector may be sound`() throws {
    let draft = try draft([tensor([1, 144_000])], [tensor([1, 10])])
    #expect(reviewPaths(draft) == ["/inputs/0/type"])
    #expect(try reviewPaths(self.draft([tensor([1, 7999])], [tensor([1, 10])])).isEmpty)
  }

  @Test func `A classifier of any batch without labels asks for them`() throws {
    let draft = try draft([tensor([-1, 3, 224, 224])], [tensor([-1, 2])])
    #expect(reviewPaths(draft).contains("/outputs/0/labels"))
  }

  @Test func `A detector without labels asks for them`() throws {
    let draft = try draft([tensor([1, 3, 416, 416])], [tensor([1, 3549, 85])])
    #expect(draft.description.task?.type == "detection")
    let note = draft.draftedValues.first { $0.path == "/outputs/0/labels" }?.reviewNote
    #expect(note == "classes are shown by their numbers; --labels names them")
  }

  @Test func `The normalization of a float image is a guess to review`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 10])])
    #expect(try image(draft).normalize == .normalizing(to: .minusOneToOne))
    #expect(
      reviewPaths(draft) == [
        "/inputs/0/format", "/inputs/0/normalize", "/inputs/0/fit", "/inputs/0/filter",
        "/outputs/0/labels",
      ])
    let note = draft.draftedValues.first { $0.path == "/inputs/0/normalize" }?.reviewNote
    #expect(note?.contains("pixels from 0 to 255") == true && note?.contains("[0,1]") == true)
    let gray = try self.draft([tensor([1, 28, 28, 1])], [tensor([1, 10])])
    #expect(try image(gray).format == .gray)
    #expect(try image(gray).normalize == .normalizing(to: .zeroToOne))
  }

  @Test func `Channels may come first, and the batch may vary or be missing`() throws {
    let planes = try image(draft([tensor([1, 3, 32, 64])], [tensor([1, 10])]))
    #expect(planes.layout == .channelsFirst && planes.height == 32 && planes.width == 64)
    #expect(planes.normalize == .normalizing(to: .zeroToOne))
    #expect(
      try image(draft([tensor([-1, 32, 64, 3])], [tensor([-1, 10])])).shape.hasDynamicBatch)
    #expect(try image(draft([tensor([32, 64, 3])], [tensor([10])])).shape == [32, 64, 3])
  }

  @Test func `A model for images of any size gets a default size to review`() throws {
    let draft = try draft([tensor([1, -1, -1, 3], .uint8)], [tensor([1, 10])])
    #expect(try image(draft).shape == [1, 224, 224, 3])
    #expect(reviewPaths(draft).contains("/inputs/0/shape"))
  }

  @Test(
    arguments: [(1 / 255, -128, 0), (1 / 127.5, -1, 0), (1, -128, 0), (0.0186, -14, 1)]
      as [(Float, Int, Int)])
  func `Signed bytes are pixels minus 128 if the quantization confirms it`(
    _ scale: Float, _ zero: Int, _ reviewCount: Int
  ) throws {
    let draft = try draft([tensor(square, .int8, scale: scale, zero: zero)], [tensor([1, 10])])
    #expect(try image(draft).normalize == nil)
    #expect(reviewPaths(draft).count(where: { $0 == "/inputs/0/normalize" }) == reviewCount)
  }

  @Test(arguments: [
    [1, 4], [1, 8, 8, 320], [1, 2, 2, 3], [1, 224, 224, 2], [4, 224, 224, 3, 3],
    // Series: a batch, a length and features.
    [1, 16, 8], [1, 128, 3], [1, 4, 4],
  ])
  func `Other tensors are numeric`(_ shape: [Int]) throws {
    let draft = try draft([tensor(shape)], [tensor([1, 10])])
    #expect(draft.description.inputs.map(\.typeName) == ["array"])
    #expect(reviewPaths(draft).isEmpty)
  }

  @Test(arguments: [[1, 28, 28], [-1, 28, 28]])
  func `A square table is numeric, and may be a gray image`(_ shape: [Int]) throws {
    let draft = try draft([tensor(shape)], [tensor([1, 10])])
    #expect(draft.description.inputs.map(\.typeName) == ["array"])
    #expect(reviewPaths(draft) == ["/inputs/0/shape"])
  }

  @Test func `Keys of a signature distinguish the scores of a detector from its classes`() throws {
    let rows = ["detection_scores", "detection_classes"].map { key in
      TensorInfo(
        name: "StatefulPartitionedCall", elementType: .float32, shape: [1, 5], signatureKey: key)
    }
    let draft = try draft([tensor(square)], [tensor([1, 5, 4])] + rows)
    #expect(draft.description.outputs.map(\.role) == [.boxes, .scores, .classes])
    let note = draft.draftedValues.first { $0.path == "/outputs/1/role" }?.reviewNote
    #expect(note?.hasSuffix("distinguished by their names") == true)
  }

  @Test func `Lengths that a model leaves open stay open`() throws {
    let draft = try draft(
      [tensor([-1, -1], .int32, "ids"), tensor([-1, -1, 64], .float32, "features")],
      [tensor([-1, -1, 5], .float32, "scores"), tensor([-1, 5], .float32, "label")]
    ) { $0.labels = labels(5) }
    #expect(draft.description.inputs.map(\.shape) == [[-1, -1], [-1, -1, 64]])
    #expect(draft.description.outputs.map(\.shape) == [[-1, -1, 5], [-1, 5]])
    // The labels are those of the output with a fixed length.
    #expect(draft.description.outputs.map { $0.labelsFile != nil } == [false, true])
    #expect(reviewPaths(draft) == ["/inputs/0/shape", "/inputs/1/shape"])
  }

  @Test func `A single open dimension may be a batch or a length`() throws {
    let draft = try draft([tensor([-1], .float32, "values")], [tensor([-1, 521])])
    #expect(draft.description.inputs.map(\.shape) == [[-1]])
    let note = draft.draftedValues.first { $0.path == "/inputs/0/shape" }?.reviewNote
    #expect(note?.contains("[1,-1]") == true)
    let text = try self.draft([tensor([-1], .string, "text")], [tensor([-1, 2])])
    #expect(reviewPaths(text).isEmpty)
  }

  @Test func `Samples of sound are recognized by the name and the length of the tensor`() throws {
    let open = try draft([tensor([-1], .float32, "waveform")], [tensor([-1, 521])])
    #expect(open.description.inputs.map(\.shape) == [[1, -1]])
    #expect(open.description.inputs.map(\.typeName) == ["audio"])
    #expect(reviewPaths(open).contains("/inputs/0/rate"))
    let fixed = try draft([tensor([1, 15_600], .float32, "audio_clip")], [tensor([1, 521])])
    #expect(fixed.description.inputs.map(\.typeName) == ["audio"])
    let short = try draft([tensor([1, 64], .float32, "audio_features")], [tensor([1, 5])])
    #expect(short.description.inputs.map(\.typeName) == ["array"])
  }

  @Test func `An output with three channels is an image if the model has an image input`() throws {
    let draft = try draft(
      [tensor(square, .uint8)], [tensor(square, .uint8), tensor([1, 9, 9, 1])])
    #expect(draft.description.outputs.map(\.typeName) == ["image", "array"])
    let numbers = try self.draft([tensor([1, 9])], [tensor(square)])
    #expect(numbers.description.outputs.map(\.typeName) == ["array"])
  }

  @Test func `A series of any batch is no image, unless the metadata says so`() throws {
    let series = [tensor([-1, 10, 3])]
    #expect(try draft(series, [tensor([-1, 2])]).description.inputs.map(\.typeName) == ["array"])
    let gray = TensorInfo(name: "x", elementType: .float32, shape: [1, 28, 28])
    let unknown = ImageTensorShape(gray, .unknown)
    #expect(unknown == nil)
    let image = ImageTensorShape(gray, .image(isColored: false))
    #expect(image?.format == .gray)
  }

  @Test func `Detectors and exports of Keras stretch images, others crop them`() throws {
    let plain = try image(draft([tensor(square)], [tensor([1, 10])]))
    #expect(plain.fit == .crop && plain.filter == .lanczos)
    let keras = try image(
      draft([tensor(square, .float32, "serving_default_input:0")], [tensor([1, 10])]))
    #expect(keras.fit == .stretch && keras.filter == .bilinear)
    let detector = try image(
      draft([tensor(square)], [tensor([1, 5, 4]), tensor([1, 5]), tensor([1, 5]), tensor([1])]))
    #expect(detector.fit == .stretch && detector.filter == .bilinear)
  }

  @Test func `The range of pixels can be requested`() throws {
    for range in PixelRange.allCases {
      let draft = try draft([tensor(square)], [tensor([1, 10])]) { $0.pixelRange = range }
      #expect(try image(draft).normalize == range.normalization)
      #expect(!reviewPaths(draft).contains("/inputs/0/normalize"))
    }
  }

  // MARK: Numbers

  @Test func `Layers are named after the keys of a signature`() throws {
    let input = TensorInfo(
      name: "serving_default_x:0", elementType: .float32, shape: [1, 4], signatureKey: "features")
    let output = TensorInfo(
      name: "StatefulPartitionedCall:1", elementType: .float32, shape: [1, 2],
      signatureKey: "scores")
    let description = try draft([input], [output]).description
    #expect(description.inputs.map(\.name) == ["features"])
    #expect(description.outputs.map(\.name) == ["scores"])
  }

  @Test func `Quantized integers are dequantized as the model specifies`() throws {
    let draft = try draft(
      [tensor([1, 4], .int8, scale: 0.5, zero: 3)],
      [
        tensor([1, 3], .uint8, scale: 1 / 256), tensor([1, 3], .uint8, scale: 1 / 255),
        tensor([1, 3], .uint8, scale: 0.5), tensor([1, 3], .uint8, scale: 1 / 256, zero: 1),
        tensor([1, 3], .int8, scale: 1 / 256), tensor([1, 3], .int64),
      ])
    #expect(
      draft.description.inputs[0].kind
        == .array(
          NumericLayer(shape: [1, 4], elementType: .int8, quantize: .model)))
    let codes = draft.description.outputs.map { layer -> Quantization? in
      guard case .array(let numbers) = layer.kind else { return nil }
      return numbers.dequantize
    }
    #expect(
      codes == [
        .model, .model, .model, .model, .model, nil,
      ])
    #expect(Set(draft.description.outputs.map(\.name)).count == 6)
  }

  @Test func `Variable lengths are declared for review, and scalars have one element`() throws {
    let draft = try draft([tensor([-1, -1, 4]), tensor([])], [tensor([1])])
    #expect(draft.description.inputs.map(\.shape) == [TensorShape([nil, nil, 4]), [1]])
    #expect(reviewPaths(draft) == ["/inputs/0/shape"])
  }

  @Test func `State tensors are passed back without conversion`() throws {
    let state = tensor([1, 8, 8, 320], .uint8, "state", scale: 0.02)
    let draft = try draft(
      [tensor(square, .uint8, "image"), state], [tensor([1, 10], .float32, "y"), state])
    #expect(
      draft.description.inputs[1].kind
        == .array(
          NumericLayer(shape: [1, 8, 8, 320], elementType: .uint8)))
    #expect(draft.description.outputs[1].kind == draft.description.inputs[1].kind)
    let names = (draft.description.outputs[1].name, draft.description.inputs[1].name)
    #expect(draft.description.state == [StateLink(output: names.0, input: names.1)])
    #expect(draft.description.callerInputs.map(\.name) == ["image"])
    // A model without other inputs and outputs has no state.
    let plain = try self.draft([state], [state])
    #expect(
      plain.description.inputs[0].kind
        == .array(
          NumericLayer(shape: [1, 8, 8, 320], elementType: .uint8, quantize: .model)))
    #expect(plain.description.state.isEmpty)
  }

  @Test(arguments: [("embedding", true), ("face_embeddings:0", true), ("logits", false)])
  func `A vector with an embedding's name is an embedding`(name: String, isEmbedding: Bool) throws {
    let vector = TensorInfo(name: name, elementType: .float32, shape: [1, 128])
    let draft = try draft([tensor(square, .uint8, "image")], [vector])
    #expect(draft.description.outputs[0].role == (isEmbedding ? .embedding : nil))
    #expect(draft.description.task?.type == (isEmbedding ? "embedding" : nil))
    #expect(reviewPaths(draft).contains("/outputs/0/role") == isEmbedding)
  }

  @Test(
    arguments: [
      (["logits", "embedding"], [1000, 1280], 1),
      (["features", "probabilities"], [1280, 1000], 0),
      (["output_0", "image_embeds:0"], [512, 512], 1),
      (["logits", "probabilities"], [1000, 1000], nil),
      (["logits", "features"], [1000, 1000], nil),
      (["logits", "age", "gender"], [1000, 100, 20], nil),
      (["logits", "quality"], [1000, 4], nil), (["first", "second"], [512, 256], nil),
      (["embedding_a", "embedding_b"], [512, 256], nil),
    ] as [([String], [Int], Int?)])
  func `A vector beside the scores of classes is an embedding`(
    names: [String], lengths: [Int], expected: Int?
  ) throws {
    let outputs = zip(names, lengths).map { name, length in
      TensorInfo(name: name, elementType: .float32, shape: [1, length])
    }
    let plain = try draft([tensor(square, .uint8, "image")], outputs)
    let roles = plain.description.outputs.map(\.role)
    #expect(roles == names.indices.map { $0 == expected ? .embedding : nil })
    #expect(plain.description.task?.type == (expected == nil ? nil : "embedding"))
    #expect(reviewPaths(plain).contains { $0.hasSuffix("/role") } == (expected != nil))
    // Labels make it a classifier that also returns an embedding.
    let labeled = try draft([tensor(square, .uint8, "image")], outputs) {
      $0.labels = labels(1000)
    }
    guard lengths.contains(1000), expected != nil else { return }
    #expect(labeled.description.outputs.map(\.role) == roles)
    #expect(labeled.description.task == nil)
  }

  @Test func `State pairs are matched by name, and plain vectors are not states`() throws {
    func state(_ name: String) -> TensorInfo { tensor([1, 4], .float32, name) }
    let draft = try draft(
      [tensor(square, .uint8, "image"), state("init_lstm_c"), state("init_lstm_h")],
      [state("lstm_h"), state("lstm_c"), tensor([1, 10], .float32, "y")])
    #expect(
      draft.description.state == [
        StateLink(output: "lstm_c", input: "init_lstm_c"),
        StateLink(output: "lstm_h", input: "init_lstm_h"),
      ])
    let vectors = try self.draft([state("a"), state("b")], [state("x"), tensor([1, 9])])
    #expect(vectors.description.state.isEmpty)
  }

  @Test(arguments: [
    ("MobilenetV2/Predictions/Softmax", "Softmax"), ("serving_default_x:0", "x"),
    ("StatefulPartitionedCall:0", "output"), ("Identity_1", "output"), ("", "output"),
    ("a:b", "a:b"), (":0", "output"),
  ])
  func `Short names omit the parts that converters add`(_ tensor: String, _ name: String) {
    #expect(UniqueLayerNames.shortName(of: tensor, default: "output") == name)
  }

  // MARK: Labels

  @Test func `Labels belong to the output with the same number of elements`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 3]), tensor([1, 10])]) {
      $0.labels = labels(10)
    }
    #expect(draft.description.outputs.map(\.labelsFile) == [nil, "labels.txt"])
    #expect(draft.description.outputs[1].name == "classification")
    #expect(draft.labels?.count == 10)
  }

  @Test func `A background class that only the model has is added to the labels`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 1001])]) { $0.labels = labels(1000) }
    #expect(draft.labels?.prefix(2) == ["background", "label 0"])
    #expect(draft.labels?.count == 1001)
    #expect(reviewPaths(draft).contains("/outputs/0/labels"))
  }

  @Test func `A background label that the model lacks is omitted`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 1000])]) {
      $0.labels = labels(1001, first: "background")
    }
    #expect(draft.labels?.first == "label 1" && draft.labels?.count == 1000)
    #expect(reviewPaths(draft).contains("/outputs/0/labels"))
  }

  @Test func `Labels that match no output are kept for review`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 1000])]) { $0.labels = labels(7) }
    #expect(draft.labels?.count == 7)
    #expect(draft.description.outputs[0].labelsFile == nil)
    #expect(reviewPaths(draft).contains("/outputs"))
  }

  @Test func `An integer per pixel is assumed to be a label index`() throws {
    let draft = try draft([tensor(square)], [tensor([1, 65, 65], .int64)]) {
      $0.labels = labels(21)
    }
    #expect(draft.description.outputs[0].role == .mask)
    #expect(draft.description.outputs[0].labelsFile == "labels.txt")
    #expect(reviewPaths(draft).contains("/outputs/0/labels"))
  }

  // MARK: Detectors

  private func detector(_ names: [String], _ order: [[Int]]) -> [TensorInfo] {
    zip(names, order).map { tensor($1, .float32, $0) }
  }

  private let usual = [[1, 40, 4], [1, 40], [1, 40], [1]]

  @Test func `The detection operator is recognized by its output names`() throws {
    let names = ["", ":1", ":2", ":3"].map { "TFLite_Detection_PostProcess" + $0 }
    let draft = try draft([tensor(square, .uint8)], detector(names, usual)) {
      $0.labels = labels(91, first: "???")
    }
    #expect(draft.description.outputs.map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(draft.description.outputs.map(\.name) == ["boxes", "classes", "scores", "count"])
    #expect(draft.description.task == TaskDescription(type: "detection"))
    guard case .array(let classes) = draft.description.outputs[1].kind else { return }
    #expect(classes.labelsFile == "labels.txt" && classes.labelOffset == 1)
    let image = ["/inputs/0/format", "/inputs/0/fit", "/inputs/0/filter"]
    #expect(reviewPaths(draft) == image + ["/outputs/1/labels"])
  }

  @Test func `Other detectors are recognized by names or by order, for review`() throws {
    let named = try draft(
      [tensor(square, .uint8)],
      detector(["scores", "boxes", "n", "classes"], [[1, 9], [1, 9, 4], [1], [1, 9]]))
    #expect(named.description.outputs.map(\.role) == [.scores, .boxes, .count, .classes])
    let image = ["/inputs/0/format", "/inputs/0/fit", "/inputs/0/filter"]
    let roles = (0..<4).map { "/outputs/\($0)/role" }
    #expect(reviewPaths(named) == image + roles)
    let order = try draft([tensor(square, .uint8)], detector(["a", "b", "c", "d"], usual))
    #expect(order.description.outputs.map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(reviewPaths(order).filter { $0.hasSuffix("role") }.count == 4)
    let reordered = try draft(
      [tensor(square, .uint8)],
      detector(["a", "b", "c", "d"], [[1, 9], [1, 9, 4], [1], [1, 9]]))
    #expect(reordered.description.outputs.map(\.role) == [.scores, .boxes, .count, .classes])
  }

  @Test(
    arguments: [
      (.init(.boundaries), "xyxy"), (.init(.boundaries, order: [1, 0, 3, 2]), "yxyx"),
      (.init(.center), "cxcywh"), (.init(.upperLeft), nil),
      (.init(.boundaries, order: [3, 2, 1, 0]), nil),
    ] as [(ModelMetadata.BoxProperties, String?)])
  func `The order of boxes and the threshold are those of the metadata`(
    _ boxes: ModelMetadata.BoxProperties, _ order: String?
  ) throws {
    var boxes = boxes
    boxes.isInPixels = true
    let draft = try draft([tensor(square, .uint8)], detector(["a", "b", "c", "d"], usual)) {
      var metadata = ModelMetadata()
      metadata.outputs = Array(repeating: ModelMetadata.TensorMetadata(), count: 4)
      metadata.outputs[0].boxes = boxes
      metadata.outputs[2].scoreThreshold = 0.5
      metadata.outputs[2].calibration = CalibrationDescription(file: "missing.txt")
      $0.metadata = metadata
    }
    let task = try #require(draft.description.task)
    #expect(task.settings["box_order"] == order.map(JSONValue.string))
    #expect(task.settings["coordinates"] == "pixels")
    #expect(task.settings["threshold"] == 0.5)
    #expect(reviewPaths(draft).contains("/task/box_order") == (order == nil))
    #expect(reviewPaths(draft).contains("/outputs/2/calibration"))
    #expect(draft.description.outputs[2].calibration == nil)
  }

  @Test func `Boxes without classes and scores are not detections`() throws {
    let draft = try draft([tensor(square, .uint8)], detector(["a", "b"], [[1, 40, 4], [1, 40]]))
    #expect(draft.description.outputs.map(\.role) == [nil, nil])
    #expect(draft.description.task == nil)
  }
}
