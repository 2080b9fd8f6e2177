import TensorIOCore

/// Writes the nodes of a head as the last ones of a graph.
struct TensorFlowHeadWriter {
  /// The nodes, as fields of a graph.
  private(set) var graph = ProtobufWriter()

  /// The number of TensorFlow's 32-bit floats.
  static let float32: UInt64 = 1
  private static let int32: UInt64 = 3

  /// The value of an attribute.
  private enum Attribute {
    case type(UInt64)
    case integer(Int)
    case flag(Bool)
    case tensor(type: UInt64, shape: [Int], bytes: [UInt8])
  }

  private static let sums: KeyValuePairs<String, Attribute> = [
    "T": .type(Self.float32), "Tidx": .type(Self.int32), "keep_dims": .flag(true),
  ]
  private static let numbers: KeyValuePairs<String, Attribute> = ["T": .type(Self.float32)]

  /// Appends a head to a tensor.
  ///
  /// - Parameters:
  ///   - head: The layers.
  ///   - tensor: The name of the tensor with the embedding.
  ///   - elementType: The number of its type.
  ///   - output: The name of the node with the probabilities.
  mutating func add(
    _ head: ClassifierHead, to tensor: String, elementType: UInt64, output: String
  ) {
    var current = tensor
    if elementType != Self.float32 {
      current = node(
        "Cast", [current], "float",
        ["SrcT": .type(elementType), "DstT": .type(Self.float32)])
    }
    current = node(
      "Reshape", [current, constant([-1, head.dimensions], "shape")], "flat",
      ["T": .type(Self.float32), "Tshape": .type(Self.int32)])
    let unit = unitLength(current)
    current = dense(unit, head.weights, head.bias, "logits")
    if let unknown = head.unknown {
      let similarity = dense(
        unit, unknown.weights(dimensions: head.dimensions),
        unknown.bias(dimensions: head.dimensions), "similarity")
      let axis = constant([1], "axis")
      let best = node("Max", [current, axis], "best", Self.sums)
      let nearest = node("Max", [similarity, axis], "nearest", Self.sums)
      let other = node("Sub", [best, nearest], "unknown", Self.numbers)
      current = node(
        "ConcatV2", [current, other, constant([1], "last", isScalar: true)], "scores",
        [
          "N": .integer(2), "T": .type(Self.float32), "Tidx": .type(Self.int32),
        ])
    }
    _ = node("Softmax", [current], output, Self.numbers, prefix: "")
  }

  /// Appends what scales rows to unit length; rows of zeros stay zeros.
  private mutating func unitLength(_ rows: String) -> String {
    let square = node("Square", [rows], "square", Self.numbers)
    let sum = node("Sum", [square, constant([1], "columns")], "sum", Self.sums)
    let smallest = constant([Float.leastNormalMagnitude], [], "smallest")
    let positive = node("Maximum", [sum, smallest], "positive", Self.numbers)
    let factor = node("Rsqrt", [positive], "factor", Self.numbers)
    return node("Mul", [rows, factor], "unit", Self.numbers)
  }

  private mutating func dense(
    _ input: String, _ weights: [Float], _ bias: [Float], _ name: String
  ) -> String {
    let shape = [bias.count, weights.count / max(1, bias.count)]
    let product = node(
      "MatMul", [input, constant(weights, shape, "\(name)/weights")], "\(name)/product",
      ["T": .type(Self.float32), "transpose_b": .flag(true)])
    return node(
      "BiasAdd", [product, constant(bias, [bias.count], "\(name)/bias")], name, Self.numbers)
  }
}

// MARK: - Fields

extension TensorFlowHeadWriter {
  /// Writes a node and returns its name, which is that of its only output.
  private mutating func node(
    _ type: String, _ inputs: [String], _ name: String,
    _ attributes: KeyValuePairs<String, Attribute>, prefix: String = ClassifierHead.namePrefix
  ) -> String {
    graph.message(1) { node in
      node.string(1, prefix + name)
      node.string(2, type)
      for input in inputs { node.string(3, input) }
      for (key, value) in attributes {
        node.message(5) { entry in
          entry.string(1, key)
          entry.message(2) { Self.write(value, to: &$0) }
        }
      }
    }
    return prefix + name
  }

  private static func write(_ attribute: Attribute, to writer: inout ProtobufWriter) {
    switch attribute {
    case .type(let number): writer.varint(6, number)
    case .integer(let integer): writer.varint(3, UInt64(integer))
    case .flag(let flag): writer.varint(5, flag ? 1 : 0)
    case .tensor(let type, let shape, let bytes):
      writer.message(8) { tensor in
        tensor.varint(1, type)
        tensor.message(2) { dimensions in
          for length in shape { dimensions.message(2) { $0.varint(1, UInt64(length)) } }
        }
        tensor.bytes(4, bytes)
      }
    }
  }

  private mutating func constant(_ values: [Float], _ shape: [Int], _ name: String) -> String {
    let bytes = values.flatMap { $0.bitPattern.littleEndianBytes }
    return constant(Self.float32, shape, bytes, name)
  }

  private mutating func constant(
    _ values: [Int], _ name: String, isScalar: Bool = false
  ) -> String {
    let bytes = values.flatMap { UInt32(bitPattern: Int32($0)).littleEndianBytes }
    return constant(Self.int32, isScalar ? [] : [values.count], bytes, name)
  }

  private mutating func constant(
    _ type: UInt64, _ shape: [Int], _ bytes: [UInt8], _ name: String
  ) -> String {
    node(
      "Const", [], name,
      ["dtype": .type(type), "value": .tensor(type: type, shape: shape, bytes: bytes)])
  }
}

extension UInt32 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * UInt32($0))) }
  }
}
