import TensorIOBundle
import TensorIOCore

/// Makes one file of a model and its weights in other files.
///
/// ONNX Runtime reads the file, and copies nothing else. Given the files in memory, it copies their weights twice.
struct InlinedWeights {
  private var parts: [ONNXFileStream.Part] = []

  /// Makes the parts of the file.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the model's file, which has been validated.
  ///   - files: The files with weights by the names that the model refers to them with.
  /// - Returns: The parts in their order.
  /// - Throws: `ProtobufError` if the contents are not a model.
  static func parts(
    of bytes: [UInt8], _ files: [String: WeightFile]
  ) throws(ProtobufError) -> [ONNXFileStream.Part] {
    var (graph, rest) = (InlinedWeights(), ProtobufWriter())
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      if field == 7 {
        try graph.addGraph(value.message(), files)
      } else {
        rest.field(field, value)
      }
    }
    rest.begin(7, count: graph.parts.reduce(0) { $0 + $1.count })
    return [.bytes(rest.bytes)] + graph.parts
  }

  private mutating func addGraph(
    _ message: ProtobufMessage, _ files: [String: WeightFile]
  ) throws(ProtobufError) {
    var (copy, rest) = (self, ProtobufWriter())
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 5, let range = try Self.range(of: ONNXTensor(value.message()), in: files) {
        try copy.addTensor(value.message(), range)
      } else {
        rest.field(field, value)
      }
    }
    copy.parts.append(.bytes(rest.bytes))
    self = copy
  }

  private static func range(
    of tensor: ONNXTensor, in files: [String: WeightFile]
  ) -> ONNXFileStream.Part? {
    guard let external = tensor.external, let file = files[external.location],
      let count = tensor.byteCount
    else { return nil }
    return .range(external.offset..<external.offset + count, of: file)
  }

  /// Adds a constant with its bytes in place of their location.
  private mutating func addTensor(
    _ message: ProtobufMessage, _ data: ONNXFileStream.Part
  ) throws(ProtobufError) {
    var (field, tensor) = (ProtobufWriter(), ProtobufWriter())
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field != 13 && field != 14 { tensor.field(field, value) }
    }
    tensor.begin(9, count: data.count)
    field.begin(5, count: tensor.bytes.count + data.count)
    parts += [.bytes(field.bytes + tensor.bytes), data]
  }
}
