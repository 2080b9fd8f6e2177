import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ModelArraysTests {
  private func tensor(_ type: ElementType, _ shape: TensorShape = [2]) -> TensorInfo {
    TensorInfo(name: "t", elementType: type, shape: shape)
  }

  private func error(_ body: () throws -> Void) -> ModelError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ModelError
    }
  }

  @Test func `Arrays are converted from and to all tensor types`() throws {
    let types: [ElementType] = [
      .float32, .float64, .float16, .uint8, .int8, .int16, .int32, .int64,
    ]
    for type in types {
      let model = try TestBundle().open(.identity(tensor(type)))
      var output: [Float] = [0, 0]
      try model.run([3, 4] as [Float], into: &output)
      try model.run([5, 6] as [Float], into: &output)
      #expect(output == [5, 6])
    }
  }

  @Test func `Arrays are quantized, and labels are ignored`() throws {
    let bundle = try TestBundle(
      inputs: """
        {"name": "x", "type": "array", "shape": [2], "quantize": {"standard": "[0,1]"}}
        """,
      outputs: """
        {"name": "y", "type": "array", "shape": [2], "labels": "labels.txt",
         "dequantize": {"standard": "[0,1]"}}
        """,
      model: #""file": "model.tflite", "quantized": true, "backend": "tflite""#, labels: "a\nb\n")
    var output: [Float] = [0, 0]
    try bundle.open(.identity(tensor(.uint8))).run([0, 1], into: &output)
    #expect(output == [0, 1])
  }

  @Test func `Wrong counts of input and output are reported with the layer`() throws {
    let model = try TestBundle().open(.pair)
    for count in [0, 1, 3] {
      var output: [Float] = [7, 7]
      #expect(
        error { try model.run([Float](repeating: 0, count: count), into: &output) }
          == ModelError(.input, .wrongCount(expected: 2, actual: count), layer: "x"))
      #expect(output == [7, 7])
      var wrong = [Float](repeating: 7, count: count)
      #expect(
        error { try model.run([1, 2], into: &wrong) }
          == ModelError(.output, .wrongCount(expected: 2, actual: count), layer: "y"))
      #expect(wrong == [Float](repeating: 7, count: count))
    }
  }

  @Test func `A model without a single numeric input and output rejects arrays`() throws {
    var output: [Float] = [0, 0]
    let placeholder = try TestBundle(isPlaceholder: true).open(.pair)
    #expect(error { try placeholder.run([1, 2], into: &output) }?.code == "unsupported")
    let pair = FakeModel(
      inputs: [tensor(.float32), tensor(.float32)], outputs: [tensor(.float32)]
    ) { inputs in [inputs[0]] }
    let several = try TestBundle(
      inputs: """
        {"name": "a", "type": "array", "shape": [2]}, {"name": "b", "type": "array", "shape": [2]}
        """
    ).open(pair)
    #expect(error { try several.run([1, 2], into: &output) }?.code == "wrong-type")
    let strings = FakeModel(inputs: [tensor(.float32)], outputs: [tensor(.string)]) { $0 }
    #expect(
      error { try TestBundle().open(strings).run([1, 2], into: &output) }
        == ModelError(
          .output, .wrongType(expected: "numbers", actual: "values of another kind"), layer: "y"))
    #expect(output == [0, 0])
  }

  private func run(_ runner: TensorRunner, _ input: [Float], count: Int = 1) throws -> [Float] {
    var output = [Float](repeating: -1, count: input.count)
    try unsafe output.withUnsafeMutableBytes { output in
      try unsafe input.withUnsafeBytes { try unsafe runner.run($0, into: output, count: count) }
    }
    return output
  }

  @Test func `A runner copies tensors of their own types`() throws {
    let model = try TestBundle().open(.identity(tensor(.float32)))
    let runner = try #require(model.tensorRunner)
    #expect(try run(runner, [3, 4]) == [3, 4])
    #expect(try run(runner, [1, 2, 3, 4, 5, 6], count: 3) == [1, 2, 3, 4, 5, 6])
    #expect(runner.input.byteCount == 8 && runner.output.shape == [2])
    let output = try unsafe ([7, 8] as [Float]).withUnsafeBytes {
      try unsafe runner.output($0, from: model.info)
    }
    #expect(try output.value(as: [Float].self) == [7, 8])
    for (count, items) in [(1, 1), (3, 1), (2, 2)] {
      #expect(
        error { _ = try run(runner, [Float](repeating: 0, count: count), count: items) }?.code
          == "wrong-byte-count")
    }
  }

  @Test func `Only models that copy one input and one output have a runner`() throws {
    let quantized = try TestBundle(
      inputs: """
        {"name": "x", "type": "array", "shape": [2], "quantize": {"standard": "[0,1]"}}
        """)
    #expect(try quantized.open(.identity(tensor(.uint8))).tensorRunner == nil)
    #expect(try TestBundle().open(.identity(tensor(.bool))).tensorRunner == nil)
    #expect(try TestBundle(isPlaceholder: true).open(.pair).tensorRunner == nil)
    let limited = OpeningOptions(runTimeout: .seconds(1))
    #expect(try TestBundle().open(.pair, options: limited).tensorRunner == nil)
  }
}
