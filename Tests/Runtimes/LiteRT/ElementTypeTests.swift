import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct ElementTypeTests {
  func check<Element: BitwiseCopyable & Equatable>(
    _ model: String, _ type: ElementType, _ input: [Element], _ expected: [Element]
  ) throws {
    let model = try TinyModel(name: model).load()
    #expect(model.signature.inputs.map(\.elementType) == [type])
    #expect(model.signature.outputs.map(\.elementType) == [type])
    #expect(try model.makeSession(SessionOptions()).run(input) == expected)
  }

  @Test func `float32`() throws {
    try check("double-float32", .float32, [1.5, -2, 0, 1e30] as [Float], [3, -4, 0, 2e30])
  }

  @Test func `float64`() throws {
    try check("double-float64", .float64, [1.5, -2, 0, 1e6] as [Double], [3, -4, 0, 2e6])
  }

  @Test func `float16 is passed as half-precision bits`() throws {
    // 1.5, −2, 0 and 100 in half precision, and twice these values.
    try check(
      "double-float16", .float16, [0x3E00, 0xC000, 0, 0x5640] as [UInt16],
      [0x4200, 0xC400, 0, 0x5A40])
  }

  @Test func `int32`() throws {
    try check("double-int32", .int32, [1, -2, 0, 1 << 29] as [Int32], [2, -4, 0, 1 << 30])
  }

  @Test func `int64`() throws {
    try check("double-int64", .int64, [1, -2, 0, 1 << 60] as [Int64], [2, -4, 0, 1 << 61])
  }

  @Test func `uint8 with zero point 10`() throws {
    try check("double-uint8", .uint8, [10, 20, 0, 200] as [UInt8], [10, 30, 0, 255])
  }

  @Test func `int8 with zero point −10`() throws {
    try check("double-int8", .int8, [-10, 20, -60, 100] as [Int8], [-10, 50, -110, 127])
  }

  @Test func `int16`() throws {
    try check("double-int16", .int16, [1, -2, 0, 30000] as [Int16], [2, -4, 0, 32767])
  }

  @Test func `bool`() throws {
    try check("not-bool", .bool, [true, false, true, true], [false, true, false, false])
  }

  @Test func `A scalar tensor`() throws {
    let model = try TinyModel(name: "scalar").load()
    #expect(model.signature.inputs[0].shape == [])
    #expect(model.signature.outputs[0].shape == [])
    let session = try model.makeSession(SessionOptions())
    #expect(try session.run([21 as Float]) == [42])
    #expect(try session.contents(as: Float.self).shape == [])
  }

  @Test func `A quantized tensor reports its scale and zero point`() throws {
    let quantized = try TinyModel(name: "double-int8").load().signature.inputs[0]
    #expect(quantized.quantization == TensorQuantization(scale: 0.5, zeroPoint: -10))
    #expect(try TinyModel(name: "double-int32").load().signature.inputs[0].quantization == nil)
  }
}
