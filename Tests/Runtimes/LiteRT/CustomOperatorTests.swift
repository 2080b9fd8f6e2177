import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// Multiplies its input by a factor, which is the only byte of its options.
private struct Scale: CustomOperator {
  static let name = "Scale"
  let factor: Float

  init(_ node: CustomOperatorNode) throws(ModelError) {
    guard let option = node.options.first else {
      throw ModelError(.runtime, .unsupported("a scale without a factor"))
    }
    factor = Float(option)
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] { shapes }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    try call.withInput(0, as: Float.self) { (input) throws(ModelError) in
      try call.withOutput(0, as: Float.self) { (output) throws(ModelError) in
        for index in input.indices { output[index] = input[index] * factor }
      }
    }
  }
}

/// An operator that misbehaves in the way its options name.
fileprivate struct Faulty: CustomOperator {
  enum Fault: UInt8 {
    case throwing, writingTooMuch, writingTooLittle, wrongType, missingOutput, manyShapes
    case negativeShape, hugeShape, deepShape, throwingShapes
  }

  static let name = "Faulty"
  let fault: Fault

  init(_ node: CustomOperatorNode) throws(ModelError) {
    guard let fault = node.options.first.flatMap(Fault.init) else {
      throw ModelError(.runtime, .unsupported("these options"))
    }
    self.fault = fault
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    switch fault {
    case .manyShapes: shapes + shapes
    case .negativeShape: [[-1, 4]]
    case .hugeShape: [[1 << 20, 1 << 20, 1 << 20, 1 << 20]]
    case .deepShape: [Array(repeating: 1, count: 9)]
    case .throwingShapes: throw ModelError(.runtime, .unsupported("this shape"))
    default: shapes
    }
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    switch fault {
    case .throwing: throw ModelError(.run, .failed("no result"))
    case .writingTooMuch: try call.write([Float](repeating: 1, count: 5), toOutput: 0)
    case .writingTooLittle: try call.write([1] as [Float], toOutput: 0)
    case .wrongType: try call.write([1, 2, 3, 4] as [Int32], toOutput: 0)
    case .missingOutput: try call.write([1, 2, 3, 4] as [Float], toOutput: 1)
    default: break
    }
  }
}

/// Counts its runs in the first element of the output.
private struct Counter: CustomOperator {
  static let name = "Counter"
  var count: Float = 0

  init(_ node: CustomOperatorNode) {}

  func outputShapes(forInputs shapes: [[Int]]) -> [[Int]] { shapes }

  mutating func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    count += 1
    var numbers = try call.elements(ofInput: 0, as: Float.self)
    numbers[0] = count
    try call.write(numbers, toOutput: 0)
  }
}

/// Has the name of a built-in operator.
private struct OtherDecoder: CustomOperator {
  static let name = "PosenetDecoderOp"

  init(_ node: CustomOperatorNode) {}

  func outputShapes(forInputs shapes: [[Int]]) -> [[Int]] { shapes }

  func run(_ call: borrowing CustomOperatorCall) {}
}

@Suite struct CustomOperatorTests {
  /// Returns a model that applies operators with the given options one after the other.
  private func bytes(_ name: String, options: [[UInt8]]) -> [UInt8] {
    sketch(name, options: options).bytes
  }

  private func sketch(_ name: String, options: [[UInt8]]) -> ModelSketch {
    ModelSketch().changed { sketch in
      sketch.customNames = [name]
      sketch.kinds = [ModelSketch.Kind.custom]
      let count = options.count
      sketch.graphs[0].tensors = (0...count).map { TensorSketch("tensor \($0)", [1, 4]) }
      sketch.graphs[0].outputs = [Int32(count)]
      sketch.graphs[0].operators = options.enumerated().map { index, options in
        var entry = OperatorSketch(inputs: [Int32(index)], outputs: [Int32(index) + 1])
        entry.fields = [5: .bytes(options)]
        return entry
      }
    }
  }

  /// Returns the operators of a file with the given operators and versions.
  private func uses(
    _ operators: [(name: String, version: Int32)], _ backend: LiteRTBackend
  ) throws -> [CustomOperatorUse] {
    let sketch = ModelSketch().changed { sketch in
      sketch.customNames = operators.map(\.name)
      sketch.versions = operators.map(\.version)
      sketch.kinds = operators.map {
        $0.name.isEmpty ? ModelSketch.Kind.add : ModelSketch.Kind.custom
      }
    }
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/model.tflite"
    try Data(sketch.bytes).write(to: URL(filePath: path))
    return try backend.customOperators(of: ModelFile(path: path, name: "model.tflite"))
  }

  @Test func `The operators of a file are listed with their origins`() throws {
    let names = [
      "Scale", "", "PosenetDecoderOp", "Mfcc", "Missing", "Scale", "FlexReluGrad",
    ]
    let origins: [CustomOperatorUse.Origin] = [
      .registered, .builtIn, .runtime, .unknown, .builtIn,
    ]
    let uses = try uses(names.map { ($0, 1) }, backend(Scale.self))
    #expect(uses.map(\.name) == ["Scale", "PosenetDecoderOp", "Mfcc", "Missing", "FlexReluGrad"])
    #expect(uses.map(\.origin) == origins && uses.allSatisfy { $0.version == 1 })
    #expect(try self.uses([("Scale", 1)], backend()).map(\.origin) == [.unknown])
    #expect(
      try self.uses([("PosenetDecoderOp", 1)], backend(OtherDecoder.self)).map(\.origin) == [
        .registered
      ])
  }

  @Test func `Another version of an operator is unknown, and LiteRT rejects it`() throws {
    let uses = try uses([("Scale", 2)], backend(Scale.self))
    #expect(uses == [CustomOperatorUse("Scale", version: 2, origin: .unknown)])
    let sketch = sketch("Scale", options: [[3]])
    #expect(throws: Never.self) { try session(sketch.bytes, backend(Scale.self)) }
    let other = sketch.changed { $0.versions = [2] }
    #expect(throws: ModelError.self) {
      try session(other.bytes, backend(Scale.self)).run([1, 2, 3, 4] as [Float])
    }
  }

  @Test func `The documentation lists the operators that TensorIO contains`() throws {
    let page = try String(
      contentsOfFile: ProjectFiles.path("Documentation/CustomOperators.md"), encoding: .utf8)
    let section = try #require(page.split(separator: "## Built-in operators").last)
      .prefix { $0 != "#" }
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let names = rows.flatMap { row in
      row.split(separator: "|")[0].split(separator: "`").filter { $0.first?.isLetter == true }
    }
    let listed = LiteRTBackend.availableCustomOperators.filter { $0.origin == .builtIn }
    #expect(names.sorted().map(String.init) == listed.map(\.name).sorted())
  }

  private func backend(_ operators: any CustomOperator.Type...) -> LiteRTBackend {
    let registry = CustomOperatorRegistry()
    for type in operators { registry.register(type) }
    return LiteRTBackend(customOperators: registry)
  }

  private func session(_ bytes: [UInt8], _ backend: LiteRTBackend) throws -> any Session {
    try backend.model(bytes: bytes).makeSession(SessionOptions())
  }

  @Test func `A registered operator computes the outputs of its node`() throws {
    let session = try session(bytes("Scale", options: [[3]]), backend(Scale.self))
    #expect(try session.run([1, 2, 3, 4] as [Float]) == [3, 6, 9, 12])
    #expect(try session.run([4, 3, 2, 1] as [Float]) == [12, 9, 6, 3])
  }

  @Test func `Nodes of one operator have options of their own`() throws {
    let session = try session(bytes("Scale", options: [[3], [5], [7]]), backend(Scale.self))
    #expect(try session.run([1, 2, 0, -1] as [Float]) == [105, 210, 0, -105])
  }

  @Test func `A node knows its name, its options and its tensors`() throws {
    let contents = try ModelBytes(bytes("Scale", options: [[3], [5]]))
    let model = try TFLiteValidator.validatedModel(contents)
    let separation = try #require(try CustomNodeSeparation(model, operators: ["Scale"]))
    let separated = try TFLiteValidator.validatedModel(ModelBytes(separation.bytes))
    let nodes = try separated.customNodes(
      of: ["Scale": Scale.self], originalNames: separation.originalNames)
    #expect(nodes.map(\.node.name) == ["Scale", "Scale"])
    #expect(nodes.map(\.registeredName) == ["Scale", "Scale#2"])
    #expect(nodes.map(\.node.options) == [[3], [5]])
    #expect(nodes[1].node.inputs.map(\.name) == ["tensor 1"])
    #expect(nodes[1].node.outputs.map(\.name) == ["tensor 2"])
    #expect(nodes[1].node.outputs[0].shape == TensorShape([1, 4]))
    #expect(nodes[1].node.outputs[0].elementType == .float32)
  }

  @Test func `A profile has the names of the operators in the model`() throws {
    let model = try backend(Scale.self).model(bytes: bytes("Scale", options: [[3], [5]]))
    let session = try model.makeSession(SessionOptions(profilesOperators: true))
    #expect(try session.run([1, 1, 1, 1] as [Float]) == [15, 15, 15, 15])
    let names = try #require(try session.abilities.operatorEvents?()).map(\.name)
    #expect(names.filter { $0.contains("Scale") } == ["Scale", "Scale"])
  }

  @Test func `Each session has an instance of its own`() throws {
    let model = try backend(Counter.self).model(bytes: bytes("Counter", options: [[]]))
    let (a, b) = (
      try model.makeSession(SessionOptions(threads: 2)), try model.makeSession(SessionOptions())
    )
    let input: [Float] = [0, 7, 7, 7]
    #expect(try a.run(input) == [1, 7, 7, 7])
    #expect(try a.run(input) == [2, 7, 7, 7])
    #expect(try b.run(input) == [1, 7, 7, 7])
  }

  @Test func `An operator that is not registered is named when the model is loaded`() throws {
    let error = try #require(throws: ModelError.self) {
      try backend().model(bytes: bytes("Scale", options: [[3]]))
    }
    #expect(error.stage == .runtime)
    #expect(
      error.description.contains("it uses the custom operator 'Scale', which is not available"))
    #expect(error.description.contains("register a CustomOperator of this name"))
  }

  @Test(
    arguments: zip(
      [
        Faulty.Fault.throwing, .writingTooMuch, .writingTooLittle, .wrongType, .missingOutput,
      ],
      [
        "no result", "output 0 has 4 elements, but 5 were written",
        "output 0 has 4 elements, but 1 were written", "output 0 has float32 elements, not int32",
        "output 1 does not exist; there are 1",
      ]))
  fileprivate func `An operator that fails ends the run with its name`(
    _ fault: Faulty.Fault, _ message: String
  ) throws {
    let session = try session(
      bytes("Faulty", options: [[fault.rawValue]]), backend(Faulty.self))
    for _ in 0..<2 {
      let error = try #require(throws: ModelError.self) {
        try session.run([1, 2, 3, 4] as [Float])
      }
      #expect(error.stage == .run)
      #expect(error.reason == .failed("the custom operator 'Faulty' failed: \(message)"))
    }
  }

  @Test(
    arguments: [Faulty.Fault.manyShapes, .negativeShape, .hugeShape, .deepShape, .throwingShapes])
  fileprivate func `An operator with invalid shapes is rejected with its name`(
    _ fault: Faulty.Fault
  ) throws {
    let error = try #require(throws: ModelError.self) {
      try session(bytes("Faulty", options: [[fault.rawValue]]), backend(Faulty.self))
    }
    #expect(error.stage == .runtime)
    #expect(error.description.contains("the custom operator 'Faulty' failed: "))
  }

  @Test func `An operator that does not support its node is rejected with its name`() throws {
    let error = try #require(throws: ModelError.self) {
      try session(bytes("Scale", options: [[]]), backend(Scale.self))
    }
    #expect(error.description.contains("the custom operator 'Scale' failed: "))
    #expect(error.description.contains("a scale without a factor"))
  }

  @Test func `A node that omits an input is rejected`() throws {
    let sketch = HarmfulModel.custom.changed { $0.customNames = ["Scale"] }
    let error = try #require(throws: ModelError.self) {
      try session(sketch.bytes, backend(Scale.self))
    }
    #expect(error.description.contains("'Scale' omits an input"))
  }

  @Test func `Registering an operator replaces the one with its name`() {
    let registry = CustomOperatorRegistry()
    registry.register(Scale.self)
    registry.register(Counter.self)
    registry.register(Scale.self)
    #expect(registry.names == ["Counter", "Scale"])
  }
}
