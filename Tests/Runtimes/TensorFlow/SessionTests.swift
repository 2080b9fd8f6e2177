import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct SessionTests {
  @Test func `Placeholders follow the inputs and are cleared after a run`() throws {
    let session = try SavedModels.model("placeholders").makeSession(SessionOptions())
    try session.fill(0, [1, 2, 3, 4])
    try session.fill(1, [3])
    try session.invoke()
    #expect(try session.numbers(0) == [4, 5, 6, 7])
    #expect(try session.numbers(1) == [3, 6, 9, 12])
    try session.fill(0, [1, 2, 3, 4])
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(
      error?.reason == .inputNames(missing: ["rate"], unexpected: [], declared: ["x", "rate"]))
  }

  @Test func `A run that fails because an input is missing clears the placeholders`() throws {
    let session = try SavedModels.model("placeholders").makeSession(SessionOptions())
    try session.fill(1, [3])
    let first = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(first?.reason == .inputNames(missing: ["x"], unexpected: [], declared: ["x", "rate"]))
    try session.fill(0, [1, 2, 3, 4])
    let second = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(
      second?.reason == .inputNames(missing: ["rate"], unexpected: [], declared: ["x", "rate"]))
  }

  @Test func `Discarded inputs are not used by the next run`() throws {
    let session = try SavedModels.model("placeholders").makeSession(SessionOptions())
    try session.fill(1, [3])
    session.abilities.discardInputs?()
    try session.fill(0, [1, 2, 3, 4])
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(
      error?.reason == .inputNames(missing: ["rate"], unexpected: [], declared: ["x", "rate"]))
  }

  @Test func `A run of TensorFlow that has started is completed`() throws {
    let session = try SavedModels.model("placeholders").makeSession(SessionOptions())
    #expect(session.abilities.names == ["discardInputs"])
  }

  @Test func `An input that was not filled is named in the error`() throws {
    let session = try SavedModels.model("signature-keys").makeSession(SessionOptions())
    try session.fill(1, [1, 2])
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(error?.reason == .inputNames(missing: ["a"], unexpected: [], declared: ["a", "b"]))
  }

  @Test func `A failed assertion of the graph is reported with its message`() throws {
    let session = try SavedModels.model("asserting").makeSession(SessionOptions())
    let count = try #require(
      try SavedModels.model("asserting").signature.inputs.first?.shape.elementCount)
    try session.fill(0, [Float](repeating: -1, count: count))
    let error = #expect(throws: ModelError.self) { try session.invoke() }
    #expect(error?.code == "call-failed" && error?.stage == .run)
    #expect(error?.message.contains("\n") == false)
  }

  @Test(arguments: [[[2, 3]], [[4]], [[0, 2]], [], [[2, 2], [2, 2]]])
  func `Shapes that the graph does not accept are rejected`(_ shapes: [[Int]]) throws {
    let model = try SavedModels.model("linear-regression")
    let session = try model.makeSession(SessionOptions())
    #expect(throws: ModelError.self) { try session.resize(shapes) }
  }

  @Test func `A tensor beyond the size limit is not allocated`() throws {
    let session = try SavedModels.model("number-batch").makeSession(SessionOptions())
    let side = TensorFlowTensor.maxByteCount / 4 + 1
    let error = #expect(throws: ModelError.self) {
      try session.resize([[side, 1]])
      try session.fill(0) { _ in }
    }
    #expect(
      error?.reason == .unsupported("a tensor of shape \(TensorShape(signedDimensions: [side, 1]))")
    )
  }

  @Test func `Strings and numbers cannot be used for each other`() throws {
    let strings = try SavedModels.model("strings").makeSession(SessionOptions())
    #expect(throws: ModelError.self) { try strings.fill(0) { _ in } }
    #expect(throws: ModelError.self) { try strings.fill(0, strings: [[1]]) }
    #expect(throws: ModelError.self) { try strings.fill(1, strings: [[1], [2]]) }
    let numbers = try SavedModels.model("int32").makeSession(SessionOptions())
    #expect(throws: ModelError.self) { try numbers.fill(0, strings: [[1]]) }
  }

  @Test func `Long strings are returned completely`() throws {
    let session = try SavedModels.model("strings").makeSession(SessionOptions())
    let long = [UInt8](repeating: 0x61, count: 100_000)
    for _ in 0..<3 {
      try session.fill(0, strings: [long, [0x62]])
      try session.invoke()
      #expect(try session.readStrings(0) == [[0x42], long.map { $0 - 32 }])
    }
  }

  @Test func `An output that is also an input has the value that was fed`() throws {
    let model = try SketchedModel(.savedModel(.graph([.placeholder, .copy]))).load(output: "x")
    let session = try model.makeSession(SessionOptions())
    try session.fill(0, [5])
    try session.invoke()
    #expect(try session.numbers(0) == [5])
  }

  @Test func `Sessions on several threads share only the weights`() async throws {
    let model = try SavedModels.model("linear-regression")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 1...8 {
        group.addTask {
          let session = try model.makeSession(SessionOptions())
          try session.resize([[1, 2]])
          var results: Set<Float> = []
          for _ in 0..<200 {
            try session.fill(0, [Float(number), 1])
            try session.invoke()
            results.insert(try session.numbers(0)[0])
          }
          return results.count == 1
        }
      }
      for try await isConstant in group { #expect(isConstant) }
    }
  }

  @Test func `Opening and closing a model does not leak memory`() async {
    // In a separate process, where no other test allocates memory.
    await #expect(processExitsWith: .success) {
      func cycle() throws {
        let session = try SavedModels.model("linear-regression").makeSession(SessionOptions())
        try session.resize([[1, 2]])
        try session.fill(0, [1, 2])
        try session.invoke()
      }
      let memory = try MemoryGrowth(cycles: 200, cycle)
      #expect(memory.minGrowth < 1 << 20, "\(memory)")
    }
  }

  @Test(arguments: [(1, [0x10, 1]), (300, [0x10, 0xAC, 2])])
  func `The thread count is encoded as a ConfigProto`(_ count: Int, _ bytes: [UInt8]) {
    let minusOne: [UInt8] = [UInt8](repeating: 0xFF, count: 9) + [1]
    #expect(TensorFlowSessionOptions.configProto(threads: count) == bytes + [0x28] + minusOne)
  }
}
