import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite(.ownThreads) struct OutputReaderTests {
  private func model(_ type: ElementType, sessions: Int = 1) throws -> Model {
    let tensor = TensorInfo(name: "x", elementType: type, shape: [1, 2])
    let bundle = try TestBundle()
    defer { withExtendedLifetime(bundle) {} }
    return try bundle.open(.identity(tensor), options: OpeningOptions(sessions: sessions))
  }

  @Test func `Outputs are read in the model's own type`() throws {
    let model = try model(.int16)
    let input = Tensor([-3, 5] as [Int16]).modelInput
    let sum = try model.run(input) { (outputs) throws(ModelError) in
      try outputs.withSpan(of: "y", as: Int16.self) { (span, shape) throws(ModelError) in
        #expect(shape == [1, 2] && span.count == 2)
        return span[0] + span[1]
      }
    }
    #expect(sum == 2)
    let error = ModelError(.output, .wrongType(expected: "int32", actual: "int16"), layer: "y")
    #expect(throws: error) {
      try model.run(input) { (outputs) throws(ModelError) in
        try outputs.withSpan(of: "y", as: Int32.self) { (span, _) throws(ModelError) in span.count }
      }
    }
    #expect(throws: ModelError(.output, .unknownOutput("z", known: ["y"]))) {
      try model.run(input) { (outputs) throws(ModelError) in
        try outputs.withBytes(of: "z") { (memory, _, _) throws(ModelError) in memory.byteCount }
      }
    }
  }

  @Test func `Boolean values are read as bytes`() throws {
    let model = try model(.bool)
    let input = Tensor([true, false]).modelInput
    let bytes = try model.run(input) { (outputs) throws(ModelError) in
      try outputs.withSpan(of: "y", as: UInt8.self) { (span, _) throws(ModelError) in
        [span[0], span[1]]
      }
    }
    #expect(bytes == [1, 0])
    #expect(throws: ModelError.self) {
      try model.run(input) { (outputs) throws(ModelError) in
        try outputs.withSpan(of: "y", as: Bool.self) { (span, _) throws(ModelError) in span.count }
      }
    }
  }

  @Test func `The error of the closure is rethrown, and the session is returned`() throws {
    let model = try model(.uint8)
    let input = Tensor([1, 2] as [UInt8]).modelInput
    let own = ModelError(.output, .failed("own"))
    for _ in 0..<3 {
      #expect(throws: own) {
        try model.run(input) { (outputs) throws(ModelError) in throw own }
      }
    }
    #expect(try model.run(input).tensor("y") == Tensor([1, 2] as [UInt8], shape: [1, 2]))
  }

  @Test(.hangGuard) func `A run in the closure uses a free session or throws an error`() throws {
    let input = Tensor([1, 2] as [UInt8]).modelInput
    let single = try model(.uint8)
    let error = #expect(throws: ModelError.self) {
      try single.run(input) { (_) throws(ModelError) in _ = try single.run(input) }
    }
    #expect(try #require(error).code == "unsupported")
    _ = try single.run(input)
    let several = try model(.uint8, sessions: 2)
    try several.run(input) { (_) throws(ModelError) in _ = try several.run(input) }
    // Another model is not affected.
    try single.run(input) { (_) throws(ModelError) in _ = try several.run(input) }
  }
}
