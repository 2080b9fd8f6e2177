import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct ResizeTests {
  @Test func `A dynamic batch grows and shrinks`() throws {
    let model = try TinyModel(name: "dynamic-batch").load()
    #expect(model.signature.inputs[0].shape == TensorShape([nil, 4]))
    let session = try model.makeSession(SessionOptions())
    for batch in [3, 1, 64, 2] {
      try session.resize([[batch, 4]])
      let values = (0..<batch * 4).map(Float.init)
      #expect(try session.run(values) == values.map { $0 * 2 })
      #expect(try session.contents(as: Float.self).shape == [batch, 4])
    }
  }

  @Test func `The current shape of an input is always accepted`() throws {
    let session = try TinyModel(name: "double-float32").session()
    try session.resize([[4]])
    #expect(try session.run([1, 2, 3, 4] as [Float]) == [2, 4, 6, 8])
  }

  @Test(arguments: [[[5]], [[2, 4]], [[]], [[-1]], [[0]]])
  func `A fixed shape cannot be changed`(_ shapes: [[Int]]) throws {
    let session = try TinyModel(name: "double-float32").session()
    let error = try #require(throws: ModelError.self) { try session.resize(shapes) }
    #expect(error.stage == .input)
    #expect(try session.run([1, 2, 3, 4] as [Float]) == [2, 4, 6, 8])
  }

  @Test(arguments: [
    [[2, 5]], [[0, 4]], [[-2, 4]], [[Int.max, 4]], [[1 << 40, 4]], [[1 << 28, 4]],
  ])
  func `Invalid shapes are rejected and change nothing`(_ shapes: [[Int]]) throws {
    let session = try TinyModel(name: "dynamic-batch").session()
    try session.resize([[2, 4]])
    #expect(throws: ModelError.self) { try session.resize(shapes) }
    let values = (0..<8).map(Float.init)
    #expect(try session.run(values) == values.map { $0 * 2 })
  }

  @Test func `A wrong number of shapes is an error with both counts`() throws {
    let session = try TinyModel(name: "dynamic-batch").session()
    let error = try #require(throws: ModelError.self) { try session.resize([[1, 4], [1, 4]]) }
    #expect(error.reason == .inputCount(expected: 1, actual: 2))
  }

  @Test func `Shapes that operators reject are an error, and the previous ones remain`() throws {
    let session = try TinyModel(name: "dynamic-pair").session()
    let error = try #require(throws: ModelError.self) { try session.resize([[2, 4], [3, 4]]) }
    #expect(error.stage == .input)
    try session.write([1, 2, 3, 4] as [Float], to: 0)
    try session.write([5, 6, 7, 8] as [Float], to: 1)
    try session.invoke()
    #expect(try session.contents(as: Float.self).values == [6, 8, 10, 12])
  }
}
