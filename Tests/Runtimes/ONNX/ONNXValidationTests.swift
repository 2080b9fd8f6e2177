import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

/// A small model that violates one rule.
struct InvalidONNXModel: Sendable, CustomTestStringConvertible {
  let rule: ONNXValidationRule
  let defect: String
  let bytes: [UInt8]

  var testDescription: String { "\(rule): \(defect)" }

  init(_ rule: ONNXValidationRule, _ defect: String, _ sketch: ONNXSketch) {
    self.rule = rule
    self.defect = defect
    bytes = sketch.bytes
  }

  private typealias Sketch = ONNXSketch

  private static let copy = Sketch.node("Identity")

  private static func recurrent(
    _ type: String = "LSTM", hiddenSize: Int? = 4, weights: [Int] = [1, 16, 3],
    recurrences: [Int] = [1, 16, 4], bias: [Int] = [1, 32], direction: String = "forward"
  ) -> ONNXSketch {
    let attributes = [
      hiddenSize.map { Sketch.attribute("hidden_size", $0) },
      Sketch.attribute("direction", text: direction),
    ].compactMap(\.self)
    var node = Sketch.node(type, ["x", "w", "r", "b"])
    for attribute in attributes { node.bytes(5, attribute.bytes) }
    return ONNXSketch(
      node,
      constants: [
        Sketch.constant("w", weights), Sketch.constant("r", recurrences),
        Sketch.constant("b", bias),
      ])
  }

  private static func resize(_ scales: [Float]) -> ONNXSketch {
    ONNXSketch(
      Sketch.node("Resize", ["x", "", "scales"]),
      constants: [Sketch.constant("scales", [scales.count], floats: scales)])
  }

  private static func calling(_ functions: [String: [String]]) -> ONNXSketch {
    var sketch = ONNXSketch(Sketch.node("f0", domain: "f"))
    sketch.functions = functions.sorted { $0.key < $1.key }.map {
      Sketch.function($0.key, calling: $0.value)
    }
    return sketch
  }

  private static var withoutOutputs: ONNXSketch {
    var sketch = ONNXSketch(copy)
    sketch.outputs = []
    return sketch
  }

  private static func body(_ constant: WireWriter) -> ONNXSketch {
    ONNXSketch(
      Sketch.node(
        "If", ["x"], ["y"],
        Sketch.attribute("then_branch", graph: ONNXSketch(copy, constants: [constant]).graph)))
  }

  private static let elsewhere = ["location": "weights.bin"]

  static let all: [InvalidONNXModel] = [
    .init(.format, "no outputs", withoutOutputs),
    .init(
      .constantSize, "a negative dimension",
      ONNXSketch(copy, constants: [Sketch.constant("c", [-1], bytes: [])])),
    .init(
      .constantSize, "a shape that overflows",
      ONNXSketch(copy, constants: [Sketch.constant("c", [1 << 40, 1 << 40], bytes: [])])),
    .init(
      .constantSize, "too few bytes",
      ONNXSketch(copy, constants: [Sketch.constant("c", [2], bytes: [0, 0, 0, 0])])),
    .init(
      .constantSize, "an unknown type",
      ONNXSketch(copy, constants: [Sketch.constant("c", [1], type: 99)])),
    .init(
      .constantSize, "too many bytes in a graph of an operator",
      body(Sketch.constant("c", [1], bytes: [UInt8](repeating: 0, count: 8)))),
    .init(
      .constantSize, "too few bytes in an attribute",
      ONNXSketch(
        Sketch.node(
          "Constant", [], ["y"],
          Sketch.attribute("value", tensor: Sketch.constant("c", [3], bytes: []))))),
    .init(
      .externalData, "a length that is not the shape's",
      ONNXSketch(
        copy,
        constants: [
          Sketch.constant("c", [2], external: ["location": "weights.bin", "length": "4"])
        ])),
    .init(
      .externalData, "external data in a graph of an operator",
      body(Sketch.constant("c", [1], external: elsewhere))),
    .init(
      .externalData, "external data in an attribute",
      ONNXSketch(
        Sketch.node(
          "Constant", [], ["y"],
          Sketch.attribute("value", tensor: Sketch.constant("c", [3], external: elsewhere))))),
    .init(.recurrentWeights, "no hidden_size", recurrent(hiddenSize: nil)),
    .init(.recurrentWeights, "hidden_size 0", recurrent(hiddenSize: 0)),
    .init(.recurrentWeights, "hidden_size -4", recurrent(hiddenSize: -4)),
    .init(.recurrentWeights, "a large hidden_size", recurrent(hiddenSize: 5)),
    .init(.recurrentWeights, "too small weights", recurrent(weights: [1, 15, 3])),
    .init(.recurrentWeights, "weights of rank 2", recurrent(weights: [16, 3])),
    .init(.recurrentWeights, "too small recurrent weights", recurrent(recurrences: [1, 16, 3])),
    .init(.recurrentWeights, "too small bias", recurrent(bias: [1, 31])),
    .init(.recurrentWeights, "one direction", recurrent(direction: "bidirectional")),
    .init(.recurrentWeights, "weights of an LSTM in a GRU", recurrent("GRU")),
    .init(.recurrentWeights, "weights of an LSTM in an RNN", recurrent("RNN")),
    .init(.scales, "a scale of 0", resize([1, 0])),
    .init(.scales, "a negative scale", resize([-1, 1])),
    .init(.scales, "a scale that is not a number", resize([.nan, 1])),
    .init(.scales, "an infinite scale", resize([.infinity, 1])),
    .init(.scales, "too many scales", resize([Float](repeating: 1, count: 17))),
    .init(
      .options, "strides of 0",
      ONNXSketch(Sketch.node("Conv", ["x"], ["y"], Sketch.attribute("strides", 1, 0)))),
    .init(
      .options, "a group of 0",
      ONNXSketch(Sketch.node("Conv", ["x"], ["y"], Sketch.attribute("group", 0)))),
    .init(
      .options, "a negative dilation",
      ONNXSketch(Sketch.node("MaxPool", ["x"], ["y"], Sketch.attribute("dilations", -1, 1)))),
    .init(.functionCalls, "a function that calls itself", calling(["f0": ["f0"]])),
    .init(
      .functionCalls, "functions that call each other", calling(["f0": ["f1"], "f1": ["f0"]])),
    .init(
      .functionCalls, "functions that expand to billions of nodes",
      calling(
        Dictionary(
          uniqueKeysWithValues: (0..<40).map { ("f\($0)", ["f\($0 + 1)", "f\($0 + 1)"]) }))),
  ]
}

@Suite struct ONNXValidationTests {
  @Test(arguments: InvalidONNXModel.all)
  func `A model that violates a rule is rejected before the runtime loads it`(
    _ model: InvalidONNXModel
  ) throws {
    let file = try ONNXFile(model.bytes)
    let error = #expect(throws: ONNXValidationError.self) { try ONNXValidator.validate(file) }
    #expect(error?.rule == model.rule)
    let loading = #expect(throws: ModelError.self) { try ONNXModels.load(model.bytes) }
    #expect(loading?.stage == .runtime && loading?.code == "model-rejected")
  }

  @Test func `Each rule has a model that violates it`() {
    let rules = Set(InvalidONNXModel.all.map(\.rule)).union([.sparseConstants])
    #expect(rules == Set(ONNXValidationRule.allCases))
  }

  @Test func `A sparse constant is rejected`() throws {
    let graph = WireWriter { graph in
      graph.bytes(1, ONNXSketch.node("Identity").bytes)
      graph.message(15) { _ in }
      graph.bytes(12, ONNXSketch.floats("y").bytes)
    }
    let file = try ONNXFile(WireWriter { $0.bytes(7, graph.bytes) }.bytes)
    let error = #expect(throws: ONNXValidationError.self) { try ONNXValidator.validate(file) }
    #expect(error?.rule == .sparseConstants)
  }

  @Test(arguments: ONNXModels.names)
  func `The models of the tests satisfy the rules`(_ name: String) throws {
    let external = try ONNXValidator.validate(ONNXFile(ONNXModels.bytes(name)))
    #expect(external.count == (name == "linear-external" ? 2 : 0))
  }

  @Test func `Graphs that are nested too deeply are rejected`() {
    var graph = ONNXSketch(ONNXSketch.node("Identity")).graph
    for _ in 0...ONNXGraph.maxDepth {
      graph =
        ONNXSketch(
          ONNXSketch.node("If", ["x"], ["y"], ONNXSketch.attribute("then_branch", graph: graph))
        )
        .graph
    }
    #expect(throws: ProtobufError.nestingTooDeep) {
      try ONNXFile(WireWriter { $0.bytes(7, graph.bytes) }.bytes)
    }
  }

  @Test func `Types that are nested too deeply are rejected`() {
    var type = WireWriter { _ in }
    for _ in 0...ONNXValueInfo.maxDepth {
      type = WireWriter { sequence in sequence.message(4) { $0.bytes(1, type.bytes) } }
    }
    let value = WireWriter { $0.bytes(2, type.bytes) }
    #expect(throws: ProtobufError.nestingTooDeep) {
      try ONNXValueInfo(ProtobufMessage(value.bytes))
    }
  }

  @Test func `A second graph, which protobuf would merge, is rejected`() {
    let graph = ONNXSketch(ONNXSketch.node("Identity")).graph
    let file = WireWriter { model in
      model.bytes(7, graph.bytes)
      model.bytes(7, graph.bytes)
    }
    #expect(throws: ProtobufError.repeatedField) { try ONNXFile(file.bytes) }
  }

  @Test(.hangGuard, arguments: ["recurrent", "shapes", "classes-named"])
  func `A truncated file is rejected or read up to its end`(_ name: String) throws {
    let bytes = try ONNXModels.bytes(name)
    let rejections = bytes.indices.filter { count in
      (try? ONNXValidator.validate(ONNXFile(Array(bytes.prefix(count))))) == nil
    }
    #expect(rejections.count > bytes.count / 2)
  }

  @Test(arguments: ["", "no model", "\u{8}\u{8}"])
  func `A file that is not an ONNX model is rejected`(_ text: String) {
    let error = #expect(throws: ModelError.self) { try ONNXModels.load(Array(text.utf8)) }
    #expect(error?.stage == .runtime && error?.code == "model-rejected")
  }

  @Test func `An operator that the runtime does not have is named in the error`() {
    let error = #expect(throws: ModelError.self) { try ONNXModels.model("unknown-operator") }
    #expect(error?.reason == .missingOperators(["com.example:Foo"]))
    let standard = #expect(throws: ModelError.self) {
      try ONNXModels.load(ONNXSketch(ONNXSketch.node("Sofa")).bytes)
    }
    #expect(standard?.reason == .missingOperators(["Sofa"]))
  }
}
