import CONNX
import TensorIOCore

/// The replacement of maps of class scores.
extension ONNXFile {
  /// Returns the bytes of a file with arrays in place of the maps that ZipMap operators return.
  ///
  /// Converters end classifiers with a ZipMap, which makes a map of each row of scores. The maps of
  /// 100,000 rows take far longer than the classifier. The operator's input has the scores in the
  /// order of the keys, so an operator that returns its input takes its place.
  ///
  /// - Parameters:
  ///   - outputs: The outputs of the graph that ZipMap operators return.
  ///   - bytes: The contents of a valid file.
  /// - Returns: The new contents.
  /// - Throws: ``ProtobufError`` if the file is not valid.
  static func replacingZipMaps(
    of outputs: some Collection<String>, in bytes: [UInt8]
  ) throws(ProtobufError) -> [UInt8] {
    var file = ProtobufWriter()
    file.reserve(bytes.count)
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      guard field == 7 else { return file.field(field, value) }
      let graph = try value.message()
      try file.message(7) { (writer) throws(ProtobufError) in
        try graph.forEachField { (field, value) throws(ProtobufError) in
          try writer.graphField(field, value, zipMaps: outputs)
        }
      }
    }
    return file.bytes
  }
}

extension ProtobufWriter {
  fileprivate mutating func graphField(
    _ field: UInt64, _ value: ProtobufValue, zipMaps: some Collection<String>
  ) throws(ProtobufError) {
    switch field {
    case 1:
      let node = try ONNXNode(try value.message(), depth: 0)
      guard let output = node.outputs.first, zipMaps.contains(output) else { break }
      return message(1) { writer in
        for input in node.inputs { writer.string(1, input) }
        writer.string(2, output)
        writer.string(3, node.name)
        writer.string(4, "Identity")
      }
    case 12:
      let output = try ONNXValueInfo(try value.message())
      guard zipMaps.contains(output.name) else { break }
      return message(12) { writer in
        writer.string(1, output.name)
        writer.message(2) { type in type.message(1) { $0.varint(1, UInt64(CONNXFloat32)) } }
      }
    default: break
    }
    self.field(field, value)
  }
}
