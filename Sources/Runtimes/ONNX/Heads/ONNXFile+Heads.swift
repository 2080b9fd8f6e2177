package import TensorIOBundle
package import TensorIOCore

/// Graphs with other last layers.
///
/// Outputs that are replaced stay in the file as declarations of values, so that they can be restored.
extension ONNXFile {
  private static let graphField: UInt64 = 7

  /// Returns the bytes of a file with the scores of a head as its only output.
  static func adding(
    _ head: ClassifierHead, to output: String, _ pooling: HeadPooling?, in bytes: [UInt8]
  ) throws(ProtobufError) -> [UInt8]? {
    let file = try ONNXFile(bytes)
    guard let output = file.graph.outputs.first(where: { $0.name == output }) else { return nil }
    var writer = ONNXHeadWriter(operatorSet: file.operatorSet)
    try writer.add(head, to: output, pooling)
    return try replacingOutputs(in: bytes, by: writer.graph.bytes)
  }

  /// Returns the bytes of a file without the head that was added; `nil` if it has none.
  static func removingHead(
    in bytes: [UInt8], outputs: [String]
  ) throws(ProtobufError) -> [UInt8]? {
    let prefix = ClassifierHead.namePrefix
    guard try ONNXFile(bytes).graph.nodes.contains(where: { $0.name.hasPrefix(prefix) }) else {
      return nil
    }
    return try changingGraph(of: bytes) { (field, value, writer) throws(ProtobufError) in
      switch Int(truncatingIfNeeded: field) {
      case ONNXHeadWriter.Field.node:
        let node = try ONNXNode(try value.message(), depth: 0)
        if node.name.hasPrefix(prefix) { return }
      case ONNXHeadWriter.Field.constant:
        if try ONNXTensor(try value.message()).name.hasPrefix(prefix) { return }
      case ONNXHeadWriter.Field.output: return
      case ONNXHeadWriter.Field.value
      where outputs.contains(try ONNXValueInfo(try value.message()).name):
        return writer.field(UInt64(ONNXHeadWriter.Field.output), value)
      default: break
      }
      writer.field(field, value)
    }
  }

  /// Returns the bytes of a model with the input of a dense layer as its only output.
  ///
  /// - Parameters:
  ///   - layer: The name of the input; `nil` for that of the last node with weights.
  ///   - bytes: The bytes of the model.
  /// - Returns: The copy; `nil` if there is no such dense layer.
  /// - Throws: A ``ProtobufError`` if the bytes are not those of a model.
  static func returningEmbedding(
    _ layer: String?, in bytes: [UInt8]
  ) throws(ProtobufError) -> EmbeddingModelCopy? {
    let graph = try ONNXFile(bytes).graph
    let found =
      if let layer { graph.embeddings.first { $0.tensor == layer } } else { graph.embedding }
    guard let (tensor, length) = found else { return nil }
    var output = ProtobufWriter()
    output.message(ONNXHeadWriter.Field.output) { value in
      value.string(1, tensor)
      value.message(2) { type in
        type.message(1) { $0.varint(1, UInt64(ONNXElementType.float32.rawValue)) }
      }
    }
    return EmbeddingModelCopy(
      bytes: try replacingOutputs(in: bytes, by: output.bytes), tensor: tensor,
      shape: [-1, length])
  }

  /// Returns the bytes of a file with other outputs and additional fields at the end of its graph.
  private static func replacingOutputs(
    in bytes: [UInt8], by ending: [UInt8]
  ) throws(ProtobufError) -> [UInt8] {
    try changingGraph(of: bytes, ending: ending) { (field, value, writer) in
      let isOutput = field == UInt64(ONNXHeadWriter.Field.output)
      writer.field(isOutput ? UInt64(ONNXHeadWriter.Field.value) : field, value)
    }
  }

  private static func changingGraph(
    of bytes: [UInt8], ending: [UInt8] = [],
    _ change: (UInt64, ProtobufValue, inout ProtobufWriter) throws(ProtobufError) -> Void
  ) throws(ProtobufError) -> [UInt8] {
    var file = ProtobufWriter()
    file.reserve(bytes.count + ending.count)
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      guard field == graphField else { return file.field(field, value) }
      let graph = try value.message()
      try file.message(Int(graphField)) { (writer) throws(ProtobufError) in
        writer.reserve(graph.count + ending.count)
        try graph.forEachField { (field, value) throws(ProtobufError) in
          try change(field, value, &writer)
        }
        try ProtobufMessage(ending).forEachField { (field, value) throws(ProtobufError) in
          writer.field(field, value)
        }
      }
    }
    return file.bytes
  }
}

extension ONNXGraph {
  /// The operators with weights that end classifiers, or come before them.
  private static let weightedOperators: Set = [
    "Gemm", "MatMul", "Conv", "ConvTranspose", "LSTM", "GRU", "RNN", "BatchNormalization",
    "LayerNormalization",
  ]

  /// The shapes of the constants, by name.
  private var constants: [String: [Int]] {
    Dictionary(initializers.map { ($0.name, $0.dimensions) }) { first, _ in first }
  }

  /// The input of the last operator with weights and its length; `nil` if that operator is not a dense layer.
  fileprivate var embedding: (tensor: String, length: Int)? {
    let constants = constants
    let last = nodes.last { node in
      Self.weightedOperators.contains(node.operatorType)
        && node.input(1).flatMap { constants[$0] } != nil
    }
    return last.flatMap { Self.input(ofDense: $0, constants) }
  }

  /// The inputs of dense layers that are vectors and no outputs, with their lengths: that of the last operator with weights
  /// first, then from the last layer on.
  fileprivate var embeddings: [(tensor: String, length: Int)] {
    let constants = constants
    // What a product of matrices takes can be a vector for each token.
    let dense = nodes.reversed().filter { $0.operatorType == "Gemm" }
    let found =
      [embedding].compactMap(\.self) + dense.compactMap { Self.input(ofDense: $0, constants) }
    var names = Set((inputs + outputs).map(\.name))
    return found.filter {
      $0.length >= EmbeddingLayer.minLength && names.insert($0.tensor).inserted
    }
  }

  /// Returns the input of a dense layer with its length; `nil` for other operators.
  private static func input(
    ofDense node: ONNXNode, _ constants: [String: [Int]]
  ) -> (tensor: String, length: Int)? {
    guard let input = node.input(0), let weights = node.input(1), let shape = constants[weights]
    else { return nil }
    switch (node.operatorType, shape.count) {
    case ("Gemm", 2):
      guard (node.attribute("transA")?.integer ?? 0) == 0 else { return nil }
      return (input, shape[node.attribute("transB")?.integer == 1 ? 1 : 0])
    case ("MatMul", 2): return (input, shape[0])
    default: return nil
    }
  }
}

extension ONNXBackend: HeadWritingBackend {
  /// Returns a copy of an `.onnx` file that returns the scores of a head.
  package func copy(
    of file: ModelFile, adding head: ClassifierHead, pooling: HeadPooling?, for use: ModelBinding
  ) throws(ModelError) -> [UInt8] {
    if let pooling, ![.mean, .first].contains(pooling.pooling) {
      throw ModelError(
        .runtime,
        .unsupported("the pooling \"\(pooling.pooling.rawValue)\" of a model with a head"),
        file: file.path)
    }
    let name = use.outputs.first { $0.role == .embedding }?.name ?? ""
    let copy = try Self.changing(file) { (bytes) throws(ProtobufError) in
      try ONNXFile.adding(head, to: name, pooling, in: bytes)
    }
    guard let copy else {
      throw ModelError(
        .runtime, .unmetRequirement("the model has no output '\(name)'"), file: file.path)
    }
    return copy
  }

  /// Returns a copy of an `.onnx` file without the head that was added.
  package func copyWithoutHead(
    of file: ModelFile, outputs: [String]
  ) throws(ModelError) -> [UInt8]? {
    try Self.changing(file) { (bytes) throws(ProtobufError) in
      try ONNXFile.removingHead(in: bytes, outputs: outputs)
    }
  }

  /// Returns a copy of a classifier that returns the input of its last or another dense layer; `nil` for an output,
  /// because ONNX graphs return numbers and not their quantization.
  package func copyReturningEmbedding(
    of file: ModelFile, _ source: EmbeddingSource, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy? {
    let layer: String?
    switch source {
    case .output: return nil
    case .lastLayer: layer = nil
    case .layer(let name): layer = name
    }
    return try Self.changing(file) { (bytes) throws(ProtobufError) in
      try ONNXFile.returningEmbedding(layer, in: bytes)
    }
  }

  /// Returns the inputs of dense layers.
  package func embeddingLayers(of file: ModelFile) throws(ModelError) -> [EmbeddingLayer] {
    try Self.changing(file) { (bytes) throws(ProtobufError) in
      try ONNXFile(bytes).graph.embeddings.map {
        EmbeddingLayer(name: $0.tensor, length: $0.length)
      }
    } ?? []
  }

  private static func changing<Copy>(
    _ file: ModelFile, _ change: ([UInt8]) throws(ProtobufError) -> Copy?
  ) throws(ModelError) -> Copy? {
    let bytes = try file.contents(limit: ONNXFile.maxByteCount)
    do throws(ProtobufError) {
      return try change(bytes)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.rawValue), file: file.path)
    }
  }
}
