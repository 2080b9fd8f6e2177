import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// Models with variable tensors, which LiteRT's own loader rejects.
@Suite struct StateTests {
  /// Runs a session on pairs whose sums are 1, 2, 3, and returns the weighted sums.
  private func outputs(_ session: any Session, resetting: Bool) throws -> [Float] {
    try [[1, 0], [0.5, 1.5], [1, 2]].map { (pair: [Float]) in
      if resetting { try session.abilities.resetState?() }
      return try session.run(pair)[0]
    }
  }

  @Test(arguments: ["history", "history-with-intermediates"])
  func `State is kept from run to run until it is reset`(_ name: String) throws {
    let model = try TinyModel(name: name).load()
    let session = try model.makeSession(SessionOptions())
    #expect(try outputs(session, resetting: false) == [1, 12, 123])
    let reset = try #require(session.abilities.resetState)
    try reset()
    #expect(try outputs(session, resetting: false) == [1, 12, 123])
    #expect(try outputs(session, resetting: true) == [1, 2, 3])
  }

  @Test func `Each session has a state of its own`() throws {
    let model = try TinyModel(name: "history").load()
    let (a, b) = (
      try model.makeSession(SessionOptions()), try model.makeSession(SessionOptions())
    )
    let run = { (session: any Session, x: Float) in try session.run([x, 0] as [Float])[0] }
    #expect(try run(a, 1) == 1)
    #expect(try run(b, 2) == 2)
    #expect(try run(a, 0) == 10)
    #expect(try run(b, 0) == 20)
  }

  @Test func `A model without variables has no state to reset`() throws {
    let model = try TinyModel(name: "double-float32").load()
    let session = try model.makeSession(SessionOptions())
    #expect(session.abilities.resetState == nil)
    #expect(try session.run([1, 2, 3, 4] as [Float]) == [2, 4, 6, 8])
  }

  @Test func `Variables that each run assigns are state, without which a run begins`() throws {
    // The output is the sum of the input and the variable, which becomes the output.
    let sketch = HarmfulModel.variable.changed {
      $0.graphs[0].operators.append(.access(kind: 3, inputs: [3, 2], outputs: []))
    }
    let layer = { (name: String) in #"{"name": "\#(name)", "type": "array", "shape": [4]}"# }
    let bundle = try TestBundle(inputs: layer("tensor 0"), outputs: layer("tensor 2"))
    try bundle.write(sketch.bytes, to: "model.tflite")
    let model = try Model(bundle.read(), on: LiteRTBackend())
    #expect(model.carriesState)
    let ones: [Float] = [1, 1, 1, 1]
    for _ in 0..<2 { #expect(try model.run(ones).value() as [Float] == [2, 3, 4, 5]) }
    let stream = model.stream()
    for _ in 0..<2 {
      #expect(try stream.run(ones).value() as [Float] == [2, 3, 4, 5])
      #expect(try stream.run(ones).value() as [Float] == [3, 4, 5, 6])
      stream.reset()
    }
  }

  @Test func `The bytes of the file are unchanged after loading`() throws {
    let contents = try TinyModel(name: "history-with-intermediates").bytes()
    let bytes = try ModelBytes(contents)
    let fields = try TFLiteValidator.validate(bytes)
    #expect(fields.variableFlags.count == 1)
    #expect(fields.intermediateCounts.count == 1)
    let hidden = bytes.withZeros(at: fields.byteRanges) { bytes.copy(of: 0..<bytes.count) }
    #expect(zip(hidden, contents).count(where: !=) == 2)
    #expect(bytes.copy(of: 0..<bytes.count) == contents)
  }

  @Test func `Another version of the library rejects a model with state`() throws {
    let (library, _) = try RuntimeLibrarySearch(for: .liteRT).open(LiteRTLibrary.open)
    let environment = try LiteRTEnvironment(library, version: "2.4.0", nil)
    let bytes = try ModelBytes(TinyModel(name: "history").bytes())
    let error = try #require(throws: ModelError.self) {
      try LiteRTModel(bytes, in: environment)
    }
    #expect(error.reason == .modelRejected(detail: "a model with state requires LiteRT 2.3.0"))
  }

  /// A model that returns 10 × state + the sum of its inputs: a one-step memory of a number that
  /// an addition broadcasts to the shape [1, 1].
  private func history(inputShape: [Int32]) -> [UInt8] {
    ModelSketch().changed { sketch in
      sketch.kinds = [ModelSketch.Kind.add, ModelSketch.Kind.svdf]
      sketch.buffers = [
        .table([:]), .table([0: .bytes(ModelSketch.bytes(floats: [0]))]),
        .table([0: .bytes(ModelSketch.bytes(floats: [1]))]),
        .table([0: .bytes(ModelSketch.bytes(floats: [10, 1]))]),
      ]
      var state = TensorSketch("state", [1, 2])
      state.fields[5] = .byte(1)
      sketch.graphs[0].tensors = [
        TensorSketch("input", inputShape), TensorSketch("zero", [1, 1], buffer: 1),
        TensorSketch("row", [1, 1]), TensorSketch("feature", [1, 1], buffer: 2),
        TensorSketch("time", [1, 2], buffer: 3), state, TensorSketch("output", [1, 1]),
      ]
      sketch.graphs[0].outputs = [6]
      var memory = OperatorSketch(kind: 1, inputs: [2, 3, 4, -1, 5], outputs: [6])
      memory.take([0: .integer(1)], form: 6)
      sketch.graphs[0].operators = [OperatorSketch(inputs: [0, 1], outputs: [2]), memory]
    }.bytes
  }

  @Test func `State of a model with scalar inputs is rejected, because it cannot be reset`() throws
  {
    let row = try LiteRTBackend().model(bytes: history(inputShape: [1]))
      .makeSession(SessionOptions())
    #expect(try [1, 2].map { try row.run([$0] as [Float]) } == [[1], [12]])
    try row.abilities.resetState?()
    #expect(try row.run([3] as [Float]) == [3])

    let scalar = history(inputShape: [])
    let error = try #require(throws: ModelError.self) {
      try LiteRTBackend().model(bytes: scalar)
    }
    #expect(error.stage == .runtime)
    #expect(error.description.contains("its inputs are scalars, with which LiteRT cannot reset"))

    // Without the rule, the state of earlier runs remains in the output.
    let (library, _) = try RuntimeLibrarySearch(for: .liteRT).open(LiteRTLibrary.open)
    let environment = try LiteRTEnvironment(library, version: StateFields.supportedVersion, nil)
    let graph = try LiteRTGraph(ModelBytes(scalar), in: environment)
    let session = try LiteRTSession(graph, graph.entryPoints()[0], SessionOptions())
    #expect(try [1, 2].map { try session.run([$0] as [Float]) } == [[1], [12]])
    try session.abilities.resetState?()
    #expect(try session.run([3] as [Float]) == [23])
  }

  @Test func `Intermediate tensors that do not exist are rejected`() throws {
    var contents = try TinyModel(name: "history-with-intermediates").bytes()
    let fields = try TFLiteValidator.validate(ModelBytes(contents))
    let count = try #require(fields.intermediateCounts.first)
    contents[count + 4] = 200
    let error = try #require(throws: ModelValidationError.self) {
      try TFLiteValidator.validateRules(ModelBytes(contents))
    }
    #expect(error.rule == .operands)
  }

  @Test func `Validating a damaged file leaves its bytes unchanged`() throws {
    // The fields of a damaged file can overlap with other values, so both forms are validated.
    let contents = try TinyModel(name: "history-with-intermediates").bytes()
    var rejected = 0
    for index in contents.indices {
      for value: UInt8 in [0, 1, 0xFF] where contents[index] != value {
        var changed = contents
        changed[index] = value
        let bytes = try ModelBytes(changed)
        do throws(ModelValidationError) {
          try TFLiteValidator.validateRules(bytes)
        } catch {
          rejected += 1
        }
        #expect(bytes.copy(of: 0..<bytes.count) == changed)
      }
    }
    #expect(rejected > contents.count / 10)
  }
}
