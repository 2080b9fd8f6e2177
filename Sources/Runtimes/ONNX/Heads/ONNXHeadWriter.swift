import TensorIOBundle
import TensorIOCore

/// Writes the nodes, constants and the output of a head as the last fields of a graph.
struct ONNXHeadWriter {
  /// The fields of the graph.
  private(set) var graph = ProtobufWriter()
  /// The version of the standard operators.
  private let operatorSet: Int

  /// The numbers of fields and types in ONNX's definitions.
  enum Field {
    static let (node, constant, output, value) = (1, 5, 12, 13)
  }

  init(operatorSet: Int) { self.operatorSet = operatorSet }

  /// The value of an attribute.
  private enum Attribute {
    case integer(Int)
    case integers([Int])
  }

  /// Appends a head to an output.
  mutating func add(
    _ head: ClassifierHead, to output: ONNXValueInfo, _ pooling: HeadPooling?
  ) throws(ProtobufError) {
    var current = output.name
    if output.elementType != ONNXElementType.float32.rawValue {
      current = node("Cast", [current], "float", ["to": .integer(1)])
    }
    var rank = output.dimensions?.count
    if let pooling {
      current = pooled(current, pooling)
      rank = nil
    }
    if rank != 2 {
      current = node(
        "Reshape", [current, constant([-1, head.dimensions], "shape")], "flat")
    }
    // The axis is not negative, because older operators do not count from the end.
    current = node(
      "LpNormalization", [current], "unit", ["axis": .integer(1), "p": .integer(2)])
    let unit = current
    current = dense(unit, head.weights, head.bias, head.bias.count, "logits")
    if let unknown = head.unknown {
      let bias = unknown.bias(dimensions: head.dimensions)
      let similarity = dense(
        unit, unknown.weights(dimensions: head.dimensions), bias, bias.count, "similarity")
      let other = node(
        "Sub", [maximum(of: current, "best"), maximum(of: similarity, "nearest")], "unknown")
      current = node("Concat", [current, other], "scores", ["axis": .integer(1)])
    }
    _ = node(
      "Softmax", [current], ClassifierHead.outputName, ["axis": .integer(1)], prefix: "")
    let items = output.dimensions.flatMap { pooling == nil && $0.count == 2 ? $0[0] : nil }
    declareOutput([items, head.scoreCount])
  }

  /// Appends what computes a vector of the vectors of tokens.
  ///
  /// Its length does not matter: the next layer scales it.
  private mutating func pooled(_ hidden: String, _ pooling: HeadPooling) -> String {
    guard pooling.pooling == .mean else {
      return node(
        "Gather", [hidden, constant([0], "first", isScalar: true)], "pooled", ["axis": .integer(1)])
    }
    guard let mask = pooling.mask else { return reduce("ReduceMean", hidden, "pooled") }
    // [n, t] · [n, t, d] as one product of matrices for each text.
    let weights = node("Cast", [mask], "mask", ["to": .integer(1)])
    let row = node("Reshape", [weights, constant([0, 1, -1], "row")], "mask-row")
    return node("MatMul", [row, hidden], "pooled")
  }

  private mutating func dense(
    _ input: String, _ weights: [Float], _ bias: [Float], _ count: Int, _ name: String
  ) -> String {
    let shape = [count, weights.count / max(1, count)]
    let constants = [
      constant(weights, shape, "\(name)/weights"), constant(bias, [count], "\(name)/bias"),
    ]
    return node("Gemm", [input] + constants, name, ["transB": .integer(1)])
  }

  private mutating func maximum(of input: String, _ name: String) -> String {
    reduce("ReduceMax", input, name)
  }

  /// Appends an operator that reduces the second axis, which newer operators take as an input.
  private mutating func reduce(_ type: String, _ input: String, _ name: String) -> String {
    let firstWithAxisInput = 18
    guard operatorSet >= firstWithAxisInput else {
      return node(type, [input], name, ["axes": .integers([1]), "keepdims": .integer(1)])
    }
    return node(
      type, [input, constant([1], "\(name)/axis")], name, ["keepdims": .integer(1)])
  }
}

// MARK: - Fields

extension ONNXHeadWriter {
  /// Writes a node and returns the name of its output.
  private mutating func node(
    _ type: String, _ inputs: [String], _ name: String,
    _ attributes: KeyValuePairs<String, Attribute> = [:], prefix: String = ClassifierHead.namePrefix
  ) -> String {
    graph.message(Field.node) { node in
      for input in inputs { node.string(1, input) }
      node.string(2, prefix + name)
      node.string(3, ClassifierHead.namePrefix + "node/" + name)
      node.string(4, type)
      for (key, value) in attributes {
        node.message(5) { attribute in
          attribute.string(1, key)
          switch value {
          case .integer(let integer):
            attribute.varint(3, UInt64(integer))
            attribute.varint(20, 2)
          case .integers(let integers):
            for integer in integers { attribute.varint(8, UInt64(integer)) }
            attribute.varint(20, 7)
          }
        }
      }
    }
    return prefix + name
  }

  private mutating func constant(_ values: [Float], _ shape: [Int], _ name: String) -> String {
    let bytes = values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    return constant(bytes, shape, .float32, name)
  }

  private mutating func constant(
    _ values: [Int], _ name: String, isScalar: Bool = false
  ) -> String {
    let bytes = values.flatMap { value in
      (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return constant(bytes, isScalar ? [] : [values.count], .int64, name)
  }

  private mutating func constant(
    _ bytes: [UInt8], _ shape: [Int], _ type: ONNXElementType, _ name: String
  ) -> String {
    let name = ClassifierHead.namePrefix + name
    graph.message(Field.constant) { tensor in
      for length in shape { tensor.varint(1, UInt64(length)) }
      tensor.varint(2, UInt64(type.rawValue))
      tensor.string(8, name)
      tensor.bytes(9, bytes)
    }
    return name
  }

  /// Declares the output with the scores; dimensions that are `nil` have any length.
  private mutating func declareOutput(_ dimensions: [Int?]) {
    graph.message(Field.output) { output in
      output.string(1, ClassifierHead.outputName)
      output.message(2) { type in
        type.message(1) { tensor in
          tensor.varint(1, UInt64(ONNXElementType.float32.rawValue))
          tensor.message(2) { shape in
            for length in dimensions {
              shape.message(1) { dimension in
                if let length {
                  dimension.varint(1, UInt64(length))
                } else {
                  dimension.string(2, "n")
                }
              }
            }
          }
        }
      }
    }
  }
}
