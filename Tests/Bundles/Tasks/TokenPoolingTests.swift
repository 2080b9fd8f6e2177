import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Embeddings of texts, made of the vectors of their tokens.
@Suite struct TokenPoolingTests {
  private static let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nada\nwrote\nit\n"

  private static func bundle(
    _ task: String, length: Int = 6, states: String = "[1,6,2]", isOfText: Bool = true
  ) throws -> TestBundle {
    let tokenizer = #""tokenizer": {"type": "wordpiece", "file": "vocab.txt"}"#
    let bundle = try TestBundle(
      inputs: isOfText
        ? #"{"name": "text", "type": "text", "shape": [1,\#(length)], \#(tokenizer)}"#
        : #"{"name": "x", "type": "array", "shape": [1,\#(length)], "dtype": "int32"}"#,
      outputs: #"{"name": "states", "type": "array", "shape": \#(states), "role": "embedding"}"#,
      extra: #""task": {"type": "embedding", "normalize": false\#(task)}"#)
    try bundle.write(Array(vocabulary.utf8), to: "assets/vocab.txt")
    return bundle
  }

  /// A model that returns the index of each token, and minus its square.
  private static func model(_ shape: TensorShape = [1, 6, 2], rows: Int = 6) -> FakeModel {
    let length = shape.dimensions[1] ?? -1
    var model = FakeModel(
      inputs: [
        TensorInfo(
          name: "ids", elementType: .int32, shape: TensorShape(signedDimensions: [1, length]))
      ],
      outputs: [TensorInfo(name: "states", elementType: .float32, shape: shape)]
    ) { _ in
      [(0..<rows).flatMap { bytes(of: Float($0)) + bytes(of: -Float($0 * $0)) }]
    }
    if shape.hasVariableLength { model.outputShapes = [[1, rows, 2]] }
    return model
  }

  private static func bytes(of number: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
  }

  @Test(
    arguments: [
      ("mean", [1.5, -3.5]), ("cls", [0, 0]), ("last", [3, -9]), ("max", [3, 0]),
    ] as [(String, [Float])])
  func `The vectors of tokens become one, without those of padding`(
    pooling: String, expected: [Float]
  ) throws {
    let bundle = try Self.bundle(#", "pooling": "\#(pooling)""#)
    let model = try bundle.open(Self.model())
    // [CLS] ada wrote [SEP] and two of padding.
    let output = try model.run("ada wrote")
    #expect(try output.embedding.values == expected)
    let processed = try TaskPostprocessor(model).process(output)
    #expect(processed.output.layers.map(\.name) == ["embedding"])
    #expect(try model.run(batch: ["ada", "ada wrote"])[1].embedding.values == expected)
  }

  @Test func `Tokens of an application have no padding unless they say so`() throws {
    let model = try Self.bundle(#", "pooling": "last""#).open(Self.model())
    let tokens = TokenizedText(ids: [2, 4, 5, 6, 3, 0])
    #expect(try model.run(tokens).embedding.values == [5, -25])
    let padded = TokenizedText(ids: [2, 4, 3, 0, 0, 0], mask: [1, 1, 1, 0, 0, 0])
    #expect(try model.run(padded).embedding.values == [2, -4])
    let empty = TokenizedText(ids: [0, 0, 0, 0, 0, 0], mask: [0, 0, 0, 0, 0, 0])
    #expect(try model.run(empty).embedding.values == [0, 0])
  }

  @Test func `Without a text, or with another number of vectors, pooling is an error`() throws {
    let numbers = try Self.bundle(#", "pooling": "mean""#, isOfText: false).open(Self.model())
    let missing = #expect(throws: ModelError.self) {
      try numbers.run([1, 2, 3, 4, 5, 6]).embedding
    }
    #expect(missing?.message.contains("input of type text") == true)
    let shape = TensorShape(signedDimensions: [1, -1, 2])
    let other = try Self.bundle(#", "pooling": "mean""#, length: -1, states: "[1,-1,2]")
      .open(Self.model(shape, rows: 3))
    let error = #expect(throws: ModelError.self) { try other.run("ada wrote").embedding }
    #expect(error?.code == "wrong-shape")
  }

  @Test(
    arguments: [
      ([1, -1, 2], -1), ([1, 6, 2], 6),
    ] as [([Int], Int)])
  func `Without pooling, vectors of tokens are no embedding`(shape: [Int], length: Int) throws {
    let text = "[\(shape.map(String.init).joined(separator: ","))]"
    let bundle = try Self.bundle("", length: length, states: text)
    let tensor = TensorShape(signedDimensions: shape)
    let error = #expect(throws: ModelError.self) { try bundle.open(Self.model(tensor)) }
    #expect(error?.code == "tensor-shape")
    #expect(error.map { "\($0)".contains(#""pooling": "mean""#) } == true)
    let pooled = try Self.bundle(#", "pooling": "mean""#, length: length, states: text)
    #expect(throws: Never.self) { try pooled.open(Self.model(tensor)) }
  }
}
