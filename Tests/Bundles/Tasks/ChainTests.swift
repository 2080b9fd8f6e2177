import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct ChainDescriptionTests {
  private static let faces = """
    {"name": "Faces", "id": "faces", "version": "2", "inputs": ["picture"],
     "steps": [
       {"name": "find", "bundle": "finder.tiobundle", "inputs": {"image": "picture"}},
       {"name": "aligned", "align": {"picture": "picture", "detections": "find",
        "points": [[2, 3], [6, 3]], "width": 8, "height": 10, "whiten": true}},
       {"name": "embed", "bundle": "embedder.tiobundle",
        "inputs": {"face": "aligned", "size": "find.boxes"}}
     ]}
    """

  @Test func `A chain description is parsed into steps and sources`() throws {
    let chain = try ChainDescription(json: Array(Self.faces.utf8))
    #expect((chain.name, chain.id, chain.version) == ("Faces", "faces", "2"))
    #expect(chain.steps.map(\.name) == ["find", "aligned", "embed"])
    #expect(
      chain.steps[0].kind == .bundle("finder.tiobundle", inputs: ["image": .input("picture")]))
    #expect(
      chain.steps[1].kind
        == .align(
          Alignment(
            image: .input("picture"), detections: "find",
            points: [.init(x: 2, y: 3), .init(x: 6, y: 3)], width: 8, height: 10, whitens: true)))
    #expect(
      chain.steps[2].kind
        == .bundle(
          "embedder.tiobundle",
          inputs: [
            "face": .step("aligned", output: nil), "size": .step("find", output: "boxes"),
          ]))
  }

  @Test(arguments: [
    (#""inputs": ["picture"]"#, #""inputs": []"#, "empty-layers", "/inputs"),
    (#""name": "aligned""#, #""name": "find""#, "duplicate-name", "/steps/1/name"),
    ("finder.tiobundle", "../finder.tiobundle", "unsafe-path", "/steps/0/bundle"),
    (#"{"image": "picture"}"#, #"{"image": "find"}"#, "unknown-input", "/steps/0/inputs/image"),
    (
      #""detections": "find""#, #""detections": "embed""#, "unknown-input",
      "/steps/1/align/detections"
    ),
    (#""width": 8"#, #""width": 0"#, "setting-out-of-range", "/steps/1/align/width"),
    ("[2, 3]", "[2]", "wrong-type", "/steps/1/align/points/0"),
  ])
  func `An error has the expected code and path`(
    part: String, replacement: String, code: String, path: String
  ) throws {
    let text = Self.faces.replacing(part, with: replacement)
    let error = #expect(throws: ModelError.self) { try ChainDescription(json: Array(text.utf8)) }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidDescription) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.contains { $0.code == code && $0.path == path }, "\(diagnostics)")
  }
}

@Suite struct ChainTests {
  /// A model that doubles two numbers.
  private static let doubling = FakeModel(
    inputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])],
    outputs: [TensorInfo(name: "t", elementType: .float32, shape: [1, 2])]
  ) { inputs in [inputs[0].values(of: Float.self).map { 2 * $0 }.rawBytes] }

  @Test func `The output of a step is the input of the next`() throws {
    let bundle = try TestBundle()
    let model = try bundle.open(Self.doubling)
    let chain = try Chain(
      ChainDescription(
        id: "twice", inputs: ["numbers"],
        steps: [
          ChainStep(name: "once", .bundle("a", inputs: ["x": .input("numbers")])),
          ChainStep(name: "again", .bundle("a", inputs: ["x": .step("once", output: "y")])),
        ]), models: ["once": model, "again": model])
    let output = try chain.run([1, 3] as [Float])
    #expect(try output.final?.value(of: "y") == [4, 12] as [Float])
    #expect(try output.outputs["once"]?[0].value(of: "y") == [2, 6] as [Float])
    let composed = try chain.makeModel()
    #expect(composed.inputs.map(\.name) == ["numbers"] && composed.bundle.id == "twice")
    #expect(try composed.run(["numbers": [1, 3] as [Float]]).value(of: "y") == [4, 12] as [Float])
  }

  @Test func `A step without a model is rejected`() {
    let step = ChainStep(name: "once", .bundle("a", inputs: ["x": .input("numbers")]))
    #expect(throws: ModelError.self) {
      try Chain(ChainDescription(inputs: ["numbers"], steps: [step]), models: [:])
    }
  }

  @Test func `Detections are aligned, and later steps run once for each`() throws {
    // Two objects of 4 × 4 pixels in an image of 8 × 8, one dark and one bright, with their
    // keypoints in their upper corners.
    var detector = Detector([
      .init(corners: [0, 0, 0.5, 0.5], score: 0.9, points: [0, 0, 0, 0.5]),
      .init(corners: [0.5, 0.5, 1, 1], score: 0.8, points: [0.5, 0.5, 0.5, 1]),
    ])
    detector.pointCount = 2
    let bundle = try detector.bundle()
    let layer = #""type": "image", "shape": [2, 2, 3], "format": "RGB""#
    let other = try TestBundle(
      inputs: #"{"name": "face", \#(layer)}"#,
      outputs: #"{"name": "e", "type": "array", "shape": [12], "role": "embedding"}"#,
      extra: #""task": {"type": "embedding", "normalize": false}"#)
    let bytes = TensorInfo(name: "t", elementType: .uint8, shape: [1, 2, 2, 3])
    let embedder = FakeModel(
      inputs: [bytes], outputs: [TensorInfo(name: "e", elementType: .uint8, shape: [1, 12])]
    ) { $0 }
    let chain = try Chain(
      ChainDescription(
        inputs: ["picture"],
        steps: [
          ChainStep(name: "find", .bundle("f", inputs: ["image": .input("picture")])),
          ChainStep(
            name: "aligned",
            .align(
              Alignment(
                image: .input("picture"), detections: "find",
                points: [.init(x: 0, y: 0), .init(x: 2, y: 0)], width: 2, height: 2))),
          ChainStep(name: "embed", .bundle("e", inputs: ["face": .step("aligned", output: nil)])),
        ]), models: ["find": try detector.model(bundle), "embed": try other.open(embedder)])
    let pixels = (0..<8).flatMap { y in
      (0..<8).flatMap { x in Array(repeating: UInt8(x < 4 && y < 4 ? 10 : 200), count: 3) }
    }
    let image = try ImageBuffer(width: 8, height: 8, format: .rgb, pixels: pixels)
    let output = try chain.run(image)
    let embeddings = try #require(output.outputs["embed"])
    #expect(output.detectionsByStep["aligned"]?.map(\.score) == [0.9, 0.8])
    #expect(try embeddings[0].value(of: "e") == Array(repeating: Float(10), count: 12))
    #expect(try embeddings[1].value(of: "e") == Array(repeating: Float(200), count: 12))
    let composed = try chain.makeModel().run(image)
    guard case .list(let values) = try composed["e"] else {
      Issue.record("no list")
      return
    }
    #expect(values.count == 2)
    #expect(try DetectionTask(chain.makeModel()).result(of: composed).count == 2)
    #expect(output.durations.map(\.name) == ["find", "aligned", "embed"])
  }

  @Test func `Detections of raw outputs are passed on with labels and corners`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "i", "type": "image", "shape": [16, 16, 3], "format": "RGB"}"#,
      outputs: #"""
        {"name": "b", "type": "array", "shape": [1, 7, 2], "role": "boxes", "labels": "labels.txt"}
        """#,
      labels: "ship\nplane\n", extra: #""task": {"type": "detection", "head": "yolov8-obb"}"#)
    // Two objects: center, size, a score for each class, angle.
    let values: [Float] = [4, 12, 4, 8, 4, 2, 2, 4, 0.75, 0, 0, 0.5, .pi / 2, 0]
    let detector = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 16, 16, 3])],
        outputs: [TensorInfo(name: "b", elementType: .float32, shape: [1, 7, 2])]
      ) { _ in [values.rawBytes] })
    let sizes = try TestBundle(
      inputs: #"{"name": "x", "type": "image", "shape": [2, 2, 3], "format": "RGB"}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [12]}"#)
    let echo = try sizes.open(
      FakeModel(
        inputs: [TensorInfo(name: "t", elementType: .uint8, shape: [1, 2, 2, 3])],
        outputs: [TensorInfo(name: "e", elementType: .uint8, shape: [1, 12])]
      ) { $0 })
    let chain = try Chain(
      ChainDescription(
        id: "ships", inputs: ["picture"],
        steps: [
          ChainStep(name: "find", .bundle("f", inputs: ["i": .input("picture")])),
          ChainStep(
            name: "cut",
            .align(Alignment(image: .input("picture"), detections: "find", width: 2, height: 2))),
          ChainStep(name: "look", .bundle("l", inputs: ["x": .step("cut", output: nil)])),
        ]), models: ["find": detector, "look": echo])
    let bundles = chain.models.mapValues(\.bundle.description)
    #expect(
      !chain.description.compatibilityDiagnostics(for: bundles).contains { $0.severity == .error })
    let model = try chain.makeModel()
    let image = try ImageBuffer.filled(width: 32, height: 32, red: 1, green: 2, blue: 3)
    let output = try model.run(image)
    #expect(try output.detections.map(\.label) == ["ship", "plane"])
    #expect(try output.detections.map(\.corners) == detector.run(image).detections.map(\.corners))
    #expect(try output.detections { $0.filter.allow = ["plane"] }.rows == [1])
    // Clients of tensors have boxes, scores and classes.
    #expect(model.outputs.map(\.name) == ["boxes", "scores", "classes", "look.scores"])
    #expect(try output.value(of: "classes") == [0, 1] as [Float])
    #expect(try output.value(of: "scores") == [0.75, 0.5] as [Float])
    let box = try #require(try output.detections.first?.box)
    let numbers: [Float] = try output.value(of: "boxes")
    #expect(numbers.prefix(4) == [box.ymin, box.xmin, box.ymax, box.xmax].map(Float.init)[...])
    #expect(model.bundle.description.task?.settings["head"] == nil)
    #expect(try model.info.labels() == ["ship", "plane"])
    let result = try #require(TaskPostprocessor(model).process(output).result as? DetectionResult)
    #expect(result.attributes.map(\.layers.count) == [1, 1])
    guard case .polygon = try #require(result.overlay.elements.first) else {
      Issue.record("no polygon")
      return
    }
  }
}
