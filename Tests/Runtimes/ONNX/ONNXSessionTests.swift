import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

@Suite struct ONNXSessionTests {
  @Test func `A session that is canceled fails its runs until it is reset`() throws {
    let golden = try #require(ONNXGolden.all.first)
    let session = try ONNXModels.model(golden.model).makeSession(SessionOptions())
    try session.resize([golden.shape])
    for isCancelled in [true, false, true] {
      session.abilities.setCancelled?(isCancelled)
      try session.fill(with: golden.input)
      if isCancelled {
        #expect(throws: ModelError.self) { try session.invoke() }
      } else {
        try session.invoke()
      }
    }
  }

  @Test(arguments: ONNXGolden.all)
  func `Outputs equal those of onnxruntime in Python, in the first run and later ones`(
    _ golden: ONNXGolden
  ) throws {
    let model = try ONNXModels.model(golden.model)
    let session = try model.makeSession(SessionOptions())
    for _ in 0..<3 {
      try session.resize([golden.shape])
      try session.fill(with: golden.input)
      try session.invoke()
      for (index, tensor) in model.signature.outputs.enumerated() {
        let expected = golden.outputs[tensor.name]
        switch tensor.elementType {
        case .string:
          let strings = try session.readStrings(index).map { String(decoding: $0, as: UTF8.self) }
          #expect(strings == (expected?["values"]).strings)
        case .int64:
          let output = try session.output(index, as: Int64.self)
          #expect(output.numbers.map(Double.init) == (expected?["values"]).numbers)
          #expect(output.shape == (expected?["shape"]).integers)
        default:
          let output = try session.output(index, as: Float.self)
          let keys = (expected?["keys"]).strings
          let order = (model.metadata.classNames[tensor.name] ?? []).compactMap {
            keys.firstIndex(of: $0)
          }
          let values = (expected?["values"]).numbers.map(Float.init)
          let numbers = order.isEmpty ? values : values.withColumns(order)
          #expect(output.shape == (expected?["shape"]).integers)
          #expect(output.numbers.count == numbers.count)
          #expect(zip(output.numbers, numbers).allSatisfy { abs($0 - $1) <= 1e-6 })
        }
      }
    }
  }

  @Test func `Maps of classes are a matrix whose columns are in the order of the classes`() throws {
    let model = try ONNXModels.model("classes-numbered")
    #expect(model.metadata.classNames == ["probabilities": ["7", "-3", "20"]])
    #expect(model.signature.outputs.map(\.name) == ["label", "probabilities"])
    #expect(model.signature.outputs[1].shape == TensorShape([nil, 3]))
    let session = try model.makeSession(SessionOptions())
    try session.resize([[1, 4]])
    try session.fill(with: [0.5, -0.5, 0.25, 1] as [Float])
    try session.invoke()
    let scores = try session.output(1, as: Float.self).numbers
    let best = try #require(scores.indices.max { scores[$0] < scores[$1] })
    #expect(try session.output(0, as: Int64.self).numbers == [[7, -3, 20][best]])
    #expect(abs(scores.reduce(0, +) - 1) < 1e-6)
  }

  @Test func `A row with other scores than the classes of its map is an error`() throws {
    let model = try ONNXModels.load(ONNXModels.bytes("classes-numbered").withoutLastClass())
    #expect(model.signature.outputs[1].shape == TensorShape([nil, 2]))
    let session = try model.makeSession(SessionOptions())
    try session.resize([[1, 4]])
    try session.fill(with: [0.5, -0.5, 0.25, 1] as [Float])
    try session.invoke()
    #expect(throws: ModelError.self) { try session.output(1, as: Float.self) }
  }

  private func doubled<Number: BitwiseCopyable & Equatable>(
    _ name: String, _ input: [Number], _ expected: [Number]
  ) throws {
    let session = try ONNXModels.session(name)
    for _ in 0..<2 {
      try session.fill(with: input)
      try session.invoke()
      #expect(try session.output(as: Number.self).numbers == expected)
    }
  }

  @Test func `All element types pass through the runtime`() throws {
    try doubled("double-float32", [1, 2, 3, -4] as [Float], [2, 4, 6, -8])
    try doubled("double-float64", [1, 2, 3, -4] as [Double], [2, 4, 6, -8])
    try doubled("double-int32", [1, 2, 3, -4] as [Int32], [2, 4, 6, -8])
    try doubled("double-int64", [1, 2, 3, .max / 2] as [Int64], [2, 4, 6, Int64.max - 1])
    try doubled("double-uint8", [1, 2, 3, 100] as [UInt8], [2, 4, 6, 200])
    try doubled("double-int8", [1, 2, 3, -4] as [Int8], [2, 4, 6, -8])
    try doubled("double-int16", [1, 2, 3, -4] as [Int16], [1, 2, 3, -4])
    try doubled("double-float16", [0x3C00, 0, 1, 2] as [UInt16], [0x3C00, 0, 1, 2])
    try doubled("not-bool", [true, false, false, true], [false, true, true, false])
  }

  @Test func `An element type without a counterpart is reported by name`() {
    #expect(
      throws: ModelError(
        .runtime, .unsupported("the element type of 'x' (ONNX's type uint32)"),
        file: ONNXModels.file("double-uint32").path)
    ) { try ONNXModels.model("double-uint32") }
  }

  @Test func `Strings of any bytes pass through the runtime`() throws {
    let session = try ONNXModels.session("reversed-strings")
    let rows: [[[UInt8]]] = [
      [[65], [], [66, 67]], [[0, 1, 0], [0xFF, 0xFE], Array("ü".utf8)],
      [[UInt8](repeating: 7, count: 100_000), [1], []],
    ]
    for strings in rows {
      try session.fill(0, strings: strings)
      try session.invoke()
      #expect(try session.readStrings(0) == strings.reversed())
    }
    #expect(throws: ModelError(.input, .wrongCount(expected: 3, actual: 2), layer: "x")) {
      try session.fill(0, strings: [[], []])
    }
    #expect(throws: ModelError.self) { try session.fill(0) { (_) throws(ModelError) in } }
    #expect(throws: ModelError.self) { try session.read(0) { (_, _) throws(ModelError) in } }
  }

  @Test func `A size that is known only after the run may change from run to run`() throws {
    let session = try ONNXModels.session("found")
    for input in [[1, 0, 2, 0, 3, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]] as [[Float]] {
      try session.fill(with: input)
      try session.invoke()
      let places = input.indices.filter { input[$0] > 0 }.map(Int64.init)
      let output = try session.output(as: Int64.self)
      #expect(output.numbers == places && output.shape == [1, places.count])
    }
  }

  @Test func `Successive batches can have different sizes, including zero`() throws {
    let session = try ONNXModels.session("linear-batch")
    let one = try ONNXModels.session("linear-one")
    let row: [Float] = [0.5, -1, 2, 4]
    try one.fill(with: row)
    try one.invoke()
    let expected = try one.output(as: Float.self).numbers
    for count in [1, 5, 0, 2] {
      try session.resize([[count, 4]])
      try session.fill(with: Array(repeating: row, count: count).flatMap(\.self))
      try session.invoke()
      let output = try session.output(as: Float.self)
      #expect(output.shape == [count, 3])
      #expect(output.numbers == Array(repeating: expected, count: count).flatMap(\.self))
    }
  }

  @Test(arguments: [[[2, 5]], [[4]], [[-1, 4]], [], [[1, 4], [1, 4]], [[1 << 40, 4]]])
  func `Shapes that the model does not accept are rejected`(_ shapes: [[Int]]) throws {
    let session = try ONNXModels.session("linear-batch")
    let error = #expect(throws: ModelError.self) { try session.resize(shapes) }
    #expect(error?.stage == .input)
    try session.fill(with: [1, 2, 3, 4] as [Float])
    try session.invoke()
  }

  @Test(.ownThreads) func `Several sessions of a model run at the same time`() async throws {
    let model = try ONNXModels.model("convolution")
    let golden = try #require(ONNXGolden.all.first { $0.model == "convolution" })
    let expected = (golden.outputs["y"]?["values"]).numbers.map(Float.init)
    let sessions = try (0..<4).map { _ in try model.makeSession(SessionOptions()) }
    try await withThrowingTaskGroup(of: [Float].self) { group in
      for session in sessions {
        group.addTask {
          for _ in 0..<50 {
            try session.fill(with: golden.input)
            try session.invoke()
          }
          return try session.output(as: Float.self).numbers
        }
      }
      for try await numbers in group {
        #expect(zip(numbers, expected).allSatisfy { abs($0 - $1) <= 1e-6 })
      }
    }
  }

  @Test func `Reading before the first run is an error`() throws {
    let session = try ONNXModels.session("linear-one")
    #expect(throws: ModelError.self) { try session.output(as: Float.self) }
    #expect(throws: ModelError.self) { try session.fill(1, with: [1] as [Float]) }
  }
}

extension [Float] {
  /// Returns the elements of a matrix with its columns in another order.
  fileprivate func withColumns(_ order: [Int]) -> [Float] {
    stride(from: 0, to: count, by: order.count).flatMap { row in order.map { self[row + $0] } }
  }
}

extension [UInt8] {
  /// Returns a model whose ZipMap operator has one class less than its input has scores.
  fileprivate func withoutLastClass() throws -> [UInt8] {
    try rewritten(path: [7, 1]) { node in
      guard try ONNXNode(ProtobufMessage(node), depth: 0).operatorType == "ZipMap" else {
        return node
      }
      return try node.rewritten(path: [5]) { attribute in
        var writer = ProtobufWriter()
        var classes = try ONNXAttribute(ProtobufMessage(attribute), depth: 0).integers.dropLast()
        try ProtobufMessage(attribute).forEachField { field, value throws(ProtobufError) in
          guard field == 8 else { return writer.field(field, value) }
          for number in classes { writer.varint(8, UInt64(bitPattern: Int64(number))) }
          classes = []
        }
        return writer.bytes
      }
    }
  }

  /// Returns a message with the messages at a path of fields changed.
  private func rewritten(
    path: [UInt64], _ change: ([UInt8]) throws -> [UInt8]
  ) throws -> [UInt8] {
    guard let first = path.first else { return try change(self) }
    var fields: [(UInt64, ProtobufValue)] = []
    try ProtobufMessage(self).forEachField { field, value throws(ProtobufError) in
      fields.append((field, value))
    }
    var writer = ProtobufWriter()
    for (field, value) in fields {
      if field == first, case .lengthDelimited(let message) = value {
        writer.bytes(
          Int(field),
          try [UInt8](message.contents).rewritten(path: [UInt64](path.dropFirst()), change))
      } else {
        writer.field(field, value)
      }
    }
    return writer.bytes
  }
}
