import TensorIOBundle
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct TensorTests {
  private static let shape = [1, 2]
  /// A tensor of each numeric type, with its elements as numbers and its bytes.
  static let tensors: [(Tensor, Numbers.Elements, [UInt8])] = [
    (
      Tensor([1.5, -2] as [Float], shape: shape), .floats([1.5, -2]), [0, 0, 192, 63, 0, 0, 0, 192]
    ),
    (.float16([1.5, -2], shape: shape), .floats([1.5, -2]), [0, 62, 0, 192]),
    (
      Tensor([1.5, -2] as [Double], shape: shape), .doubles([1.5, -2]),
      [0, 0, 0, 0, 0, 0, 248, 63, 0, 0, 0, 0, 0, 0, 0, 192]
    ),
    (Tensor([0, 255] as [UInt8], shape: shape), .integers([0, 255]), [0, 255]),
    (Tensor([127, -128] as [Int8], shape: shape), .integers([127, -128]), [127, 128]),
    (Tensor([256, -1] as [Int16], shape: shape), .integers([256, -1]), [0, 1, 255, 255]),
    (
      Tensor([1 << 16, -2] as [Int32], shape: shape), .integers([1 << 16, -2]),
      [0, 0, 1, 0, 254, 255, 255, 255]
    ),
    (
      Tensor([1 << 53 + 1, -1] as [Int64], shape: shape), .integers([1 << 53 + 1, -1]),
      [1, 0, 0, 0, 0, 0, 32, 0, 255, 255, 255, 255, 255, 255, 255, 255]
    ),
    (Tensor([true, false], shape: shape), .booleans([true, false]), [1, 0]),
  ]

  private static let tensorIndices = Array(tensors.indices)

  private func bytes(_ tensor: Tensor) throws -> [UInt8] {
    try tensor.withBytes { (span) throws(ModelError) in span.map(UInt8.self, count: .max) { $0 } }
  }

  // MARK: Elements

  @Test(arguments: tensorIndices)
  func `A tensor has the type, the memory and the numbers of its elements`(_ index: Int) throws {
    let (tensor, elements, bytes) = Self.tensors[index]
    #expect(tensor.count == 2 && tensor.shape == Self.shape)
    #expect(try self.bytes(tensor) == bytes)
    let numbers = try #require(tensor.numbers)
    #expect(numbers.elements == elements && numbers.shape == Self.shape)
    #expect(numbers == Numbers(elements, shape: Self.shape))
    #expect(numbers.hashValue == Numbers(elements, shape: Self.shape).hashValue)
    #expect(numbers.tensor == tensor)
    #expect((0..<2).map { numbers[$0] } == numbers.doubles)
    #expect(numbers.floats == numbers.doubles.map(Float.init))
    #expect(numbers.rows.map(\.shape) == [[2]] && numbers.rows[0].elements == elements)
    let copy = try Tensor(bytes: bytes, elementType: tensor.elementType, shape: Self.shape)
    #expect(copy == tensor)
  }

  @Test func `The element types are all those of models`() {
    let types = Self.tensors.map(\.0.elementType)
    #expect(Set(types + [.string]) == Set(ElementType.allCases))
    #expect(types.count == 9)
  }

  @Test func `Elements are borrowed and returned in their own type only`() throws {
    let tensor = Tensor([1, 2, 3, 4] as [Int32], shape: [2, 2])
    #expect(try tensor.array(of: Int32.self) == [1, 2, 3, 4])
    let sum = try tensor.withSpan(of: Int32.self) { span in
      span.indices.reduce(0) { $0 + span[$1] }
    }
    #expect(sum == 10)
    let error = ModelError(.output, .wrongType(expected: "int64", actual: "int32"))
    #expect(throws: error) { try tensor.array(of: Int64.self) }
    #expect(throws: error) { try tensor.withSpan(of: Int64.self) { $0.count } }
    let half = Tensor.float16([0.1, 1e6], shape: [2])
    #expect(half.numbers?.floats == [0.099975586, .infinity])
    #expect(throws: ModelError.self) { try half.array(of: Float.self) }
  }

  @Test func `A tensor shares the memory of its array`() throws {
    let array = [UInt8](repeating: 7, count: 1 << 20)
    let address = address(of: array)
    let tensor = Tensor(array)
    #expect(self.address(of: try tensor.array(of: UInt8.self)) == address)
    let read = try Tensor(LayerValue.numbers(#require(Numbers(tensor))))
    #expect(self.address(of: try read.array(of: UInt8.self)) == address)
  }

  private func address(of array: [UInt8]) -> Int {
    unsafe array.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
  }

  @Test func `A tensor of strings has strings and no numbers or memory`() throws {
    let tensor = Tensor(["a", "b"], shape: [2, 1])
    #expect(tensor.elementType == .string && tensor.strings == ["a", "b"])
    #expect(tensor.numbers == nil && tensor.layerValue == .strings(["a", "b"]))
    #expect(throws: ModelError.self) { try tensor.withBytes { $0.byteCount } }
    #expect(throws: ModelError.self) { try tensor.array(of: UInt8.self) }
  }

  @Test func `Memory that does not match the shape is rejected`() throws {
    let cases: [([Int], ElementType)] = [
      ([2], .int32), ([-1, -8], .uint8), ([.max, 4], .uint8), ([2, .max], .int64), ([8], .string),
    ]
    for (shape, type) in cases {
      #expect(throws: ModelError.self) {
        try Tensor(bytes: Array(repeating: 0, count: 7), elementType: type, shape: shape)
      }
    }
    // Bytes other than 0 and 1 become true.
    let flags = try Tensor(bytes: [0, 2, 255], elementType: .bool, shape: [3])
    #expect(try flags.array(of: Bool.self) == [false, true, true])
    #expect(try Tensor(bytes: [], elementType: .int64, shape: [0, 3]).count == 0)
  }

  // MARK: Values

  @Test func `Values of outputs are read as tensors`() throws {
    let image = try ImageBuffer(width: 2, height: 1, format: .rgb, pixels: [1, 2, 3, 4, 5, 6])
    let output = ModelOutput(layers: [
      .init(name: "image", value: .image(image)), .init(name: "bytes", value: .bytes([1, 2])),
      .init(
        name: "scores",
        value: .classification(Classification(labels: ["a", "b"], scores: [0.25, 0.75]))),
      .init(name: "strings", value: .strings(["a"])), .init(name: "list", value: .list([])),
    ])
    #expect(try output.tensor("image") == Tensor([1, 2, 3, 4, 5, 6] as [UInt8], shape: [1, 2, 3]))
    #expect(try output.tensor("bytes") == Tensor([1, 2] as [UInt8]))
    #expect(try output.tensor("scores") == Tensor([0.25, 0.75] as [Float]))
    #expect(try output.tensor("strings") == Tensor(["a"]))
    #expect(throws: ModelError.self) { try output.tensor("list") }
    #expect(throws: ModelError.self) { try output.tensor("other") }
  }

  // MARK: Models

  /// A model whose output is its input.
  private func identity(_ type: ElementType) throws -> Model {
    let tensor = TensorInfo(name: "x", elementType: type, shape: [1, 2])
    let bundle = try TestBundle()
    defer { withExtendedLifetime(bundle) {} }
    return try bundle.open(.identity(tensor))
  }

  @Test(arguments: tensorIndices)
  func `A model receives and returns elements in its own type`(_ index: Int) throws {
    let (tensor, _, bytes) = Self.tensors[index]
    let model = try identity(tensor.elementType)
    let output = try model.run(tensor).tensor("y")
    #expect(output == tensor)
    #expect(try self.bytes(output) == bytes)
    let items = try model.run(batch: [tensor, tensor]).map { try $0.tensor("y") }
    #expect(items == [tensor, tensor])
    var lent: [UInt8] = []
    try model.run(tensor.modelInput) { (outputs) throws(ModelError) in
      #expect(outputs.names == ["y"])
      try outputs.withBytes(of: "y") { (memory, type, shape) throws(ModelError) in
        #expect(type == tensor.elementType && shape == [1, 2])
        lent = memory.map(UInt8.self, count: .max) { $0 }
      }
    }
    #expect(lent == bytes)
  }

  @Test func `Elements of another type are converted as numbers are`() throws {
    let bytes = Tensor([3, 4] as [UInt8])
    #expect(
      try identity(.float32).run(bytes).tensor("y") == Tensor([3, 4] as [Float], shape: [1, 2]))
    #expect(throws: ModelError.self) {
      try identity(.uint8).run(Tensor([1, 256] as [Int32]))
    }
    #expect(throws: ModelError.self) { try identity(.uint8).run(Tensor([1] as [UInt8])) }
    #expect(throws: ModelError.self) {
      try identity(.uint8).run(Tensor([1, 2] as [UInt8], shape: [2, 1]))
    }
  }
}
