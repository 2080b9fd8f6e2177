import CONNX
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A copy of an `.onnx` file whose float weights are stored in half precision, and equal ones once.
///
/// An operator turns each weight into floats, which the runtime does when it opens the file. The results
/// change by what rounding the weights changes.
struct HalfPrecisionGraph {
  /// Returns the contents of a file with weights.
  typealias External = (_ name: String) throws(ModelError) -> [UInt8]

  private var writer = ProtobufWriter()
  private var names: Set<String> = []
  /// The names of weights, by what they contain.
  private var known: [[UInt8]: String] = [:]
  /// The names of weights that are made by operators now.
  private var replaced: Set<String> = []

  /// The minimum number of elements of a weight that is converted, and of bytes of one that is shared.
  private static let (minElementCount, minSharedByteCount) = (64, 1024)
  /// The first version of the file format in which weights are not inputs.
  private static let minFormatVersion: UInt64 = 4
  /// The first version of the operators in which `Cast` has the number of a type.
  private static let minOperatorVersion = 6

  /// Returns the copy.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - external: Reads the files with weights.
  /// - Returns: The contents of the copy, which needs no other files.
  /// - Throws: `ModelError` if the file is no model, or the copy is too large.
  static func file(of bytes: [UInt8], external: External) throws(ModelError) -> [UInt8] {
    do {
      return try copy(of: bytes, external)
    } catch let error as ModelError {
      throw error
    } catch {
      let detail = (error as? ProtobufError)?.rawValue ?? "\(error)"
      throw ModelError(.runtime, .modelRejected(detail: detail))
    }
  }

  private static func copy(of bytes: [UInt8], _ external: External) throws -> [UInt8] {
    var graph: ProtobufMessage?
    var version = 0
    let message = ProtobufMessage(bytes)
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 7 { graph = try value.singularMessage(previous: graph) }
      if field == 8, let entry = try? operatorVersion(value.message()) { version = entry }
    }
    guard let graph else { throw ProtobufError.truncated }
    guard version >= minOperatorVersion else {
      throw ModelError(
        .runtime, .unsupported("half precision with operators of version \(version)"))
    }
    var copy = HalfPrecisionGraph()
    try copy.write(graph, external)
    var file = ProtobufWriter()
    file.reserve(copy.writer.bytes.count + 1024)
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch (field, value) {
      case (1, .varint(let version)): file.varint(1, max(version, minFormatVersion))
      case (7, _): file.bytes(7, copy.writer.bytes)
      default: file.field(field, value)
      }
    }
    guard file.bytes.count <= ONNXFile.maxByteCount else {
      throw ModelError(.runtime, .unsupported("a copy of more than 2 GB"))
    }
    return file.bytes
  }

  /// Returns the version of the operators without a domain; `nil` for other domains.
  private static func operatorVersion(_ message: ProtobufMessage) throws(ProtobufError) -> Int? {
    var (domain, version) = ("", 0)
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 1 { domain = try value.string() }
      if field == 2 { version = try value.integer() }
    }
    return ["", "ai.onnx"].contains(domain) ? version : nil
  }

  private mutating func write(_ message: ProtobufMessage, _ external: External) throws {
    let graph = try ONNXGraph(message, depth: 0)
    names = Set(
      graph.initializers.map(\.name) + graph.inputs.map(\.name) + graph.nodes.flatMap(\.outputs))
    var weights: [ProtobufValue] = []
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 5 { weights.append(value) }
    }
    for (value, tensor) in zip(weights, graph.initializers) { try write(value, tensor, external) }
    var copy = self
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: try copy.writeNode(value)
      case 5: break
      case 11 where try copy.replaced.contains(ONNXValueInfo(value.message()).name): break
      default: copy.writer.field(field, value)
      }
    }
    self = copy
  }

  /// Writes a weight, and the operator that makes it if it is stored in another form or under another name.
  private mutating func write(
    _ value: ProtobufValue, _ tensor: ONNXTensor, _ external: External
  ) throws {
    guard let contents = try Self.contents(of: tensor, external) else {
      return writer.field(5, value)
    }
    let isFloat = tensor.elementType == ONNXElementType.float32.rawValue
    let half =
      isFloat && contents.count >= 4 * Self.minElementCount
      ? HalfFloat.bytes(ofFloats: contents) : nil
    guard half != nil || contents.count >= Self.minSharedByteCount else {
      return tensor.external == nil
        ? writer.field(5, value) : writeTensor(tensor, tensor.name, contents)
    }
    let description = [tensor.elementType] + tensor.dimensions
    let key = Array("\(description)".utf8) + SHA256.digest(of: contents)
    if let first = known[key] {
      replaced.insert(tensor.name)
      return writeNode("Identity", first, tensor.name)
    }
    known[key] = tensor.name
    guard let half else { return writeTensor(tensor, tensor.name, contents) }
    replaced.insert(tensor.name)
    let name = uniqueName(tensor.name)
    writeTensor(tensor, name, half, .float16)
    writeCast(name, tensor.name)
  }

  /// Returns the bytes of the elements; `nil` if they are in a field for some types, or strings.
  private static func contents(of tensor: ONNXTensor, _ external: External) throws -> [UInt8]? {
    guard let data = tensor.external else { return tensor.bytes }
    guard let count = tensor.byteCount else { return nil }
    let file = try external(data.location)
    guard data.offset <= file.count, count <= file.count - data.offset else {
      throw ProtobufError.truncated
    }
    return Array(file[data.offset..<data.offset + count])
  }

  /// Writes a node; one with a constant becomes one with half precision and an operator for it.
  private mutating func writeNode(_ value: ProtobufValue) throws(ProtobufError) {
    let node = try ONNXNode(try value.message(), depth: 0)
    guard node.operatorType == "Constant", node.domain.isEmpty, let output = node.outputs.first,
      let tensor = node.attribute("value")?.tensor, tensor.external == nil,
      tensor.elementType == ONNXElementType.float32.rawValue,
      let contents = tensor.bytes, contents.count >= 4 * Self.minElementCount,
      let half = HalfFloat.bytes(ofFloats: contents)
    else { return writer.field(1, value) }
    let name = uniqueName(output)
    writeTensor(tensor, name, half, .float16)
    writeCast(name, output)
  }

  private mutating func writeTensor(
    _ tensor: ONNXTensor, _ name: String, _ contents: [UInt8], _ type: ONNXElementType? = nil
  ) {
    writer.message(5) { writer in
      writer.packed(1, tensor.dimensions)
      writer.varint(2, UInt64(type?.rawValue ?? tensor.elementType))
      writer.string(8, name)
      writer.bytes(9, contents)
    }
  }

  private mutating func writeCast(_ input: String, _ output: String) {
    writeNode("Cast", input, output) { node in
      node.message(5) { attribute in
        attribute.string(1, "to")
        attribute.varint(3, UInt64(ONNXElementType.float32.rawValue))
        attribute.varint(20, 2)  // an integer
      }
    }
  }

  private mutating func writeNode(
    _ type: String, _ input: String, _ output: String,
    _ attributes: (inout ProtobufWriter) -> Void = { _ in }
  ) {
    writer.message(1) { node in
      node.string(1, input)
      node.string(2, output)
      node.string(3, output + "/" + type)
      node.string(4, type)
      attributes(&node)
    }
  }

  private mutating func uniqueName(_ name: String) -> String {
    var unique = name + "/half"
    while !names.insert(unique).inserted { unique += "_" }
    return unique
  }
}
