package import TensorIOCore

/// An untrusted ONNX file: the parts of a `ModelProto` that validation and drafting require.
package struct ONNXFile: Sendable {
  /// The maximum file size, which is that of a protobuf message.
  package static let maxByteCount = (2 << 30) - 1

  /// The name of the program that wrote the file, such as `pytorch` or `skl2onnx`.
  package private(set) var producer = ""
  /// A description of the model.
  package private(set) var details = ""
  /// The metadata by key.
  package private(set) var metadata: [String: String] = [:]
  /// The main graph.
  let graph: ONNXGraph
  /// The functions that nodes can call.
  private(set) var functions: [ONNXFunction] = []
  /// The version of the standard operators.
  private(set) var operatorSet = 0

  /// Reads the contents of a file.
  ///
  /// - Throws: ``ProtobufError`` if they are not an ONNX model.
  package init(_ bytes: [UInt8]) throws(ProtobufError) {
    var graph: ProtobufMessage?
    var file = (producer: "", details: "", metadata: [String: String]())
    var functions: [ONNXFunction] = []
    var operatorSet = 0
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 2: file.producer = (try? value.string()) ?? ""
      case 6: file.details = (try? value.string()) ?? ""
      case 7: graph = try value.singularMessage(previous: graph)
      case 8: operatorSet = max(operatorSet, try Self.standardVersion(try value.message()))
      case 14:
        let entry = try value.message().mapEntry()
        file.metadata[entry.name] = try? entry.value.string()
      case 25: functions.append(try ONNXFunction(try value.message()))
      default: break
      }
    }
    (producer, details, metadata) = file
    (self.functions, self.operatorSet) = (functions, operatorSet)
    self.graph = try ONNXGraph(graph ?? ProtobufMessage([]), depth: 0)
  }

  /// Returns the version of a set of operators, or 0 if they are not the standard ones.
  private static func standardVersion(_ message: ProtobufMessage) throws(ProtobufError) -> Int {
    var (domain, version) = ("", 0)
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 1 { domain = try value.string() }
      if field == 2 { version = try value.integer() }
    }
    return ["", "ai.onnx"].contains(domain) ? version : 0
  }
}

/// A function that nodes of a file can call.
struct ONNXFunction: Sendable {
  var name = ""
  var domain = ""
  var overload = ""
  var nodes: [ONNXNode] = []

  init(_ message: ProtobufMessage) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 7: nodes.append(try ONNXNode(try value.message(), depth: 1))
      case 10: domain = try value.string()
      case 13: overload = try value.string()
      default: break
      }
    }
  }
}

/// A graph: the main one, or the body of an operator such as `Loop`.
struct ONNXGraph: Sendable {
  /// The maximum nesting depth of graphs.
  static let maxDepth = 16

  var nodes: [ONNXNode] = []
  var initializers: [ONNXTensor] = []
  /// The number of initializers in a sparse format.
  var sparseInitializerCount = 0
  var inputs: [ONNXValueInfo] = []
  var outputs: [ONNXValueInfo] = []

  init(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= Self.maxDepth else { throw .nestingTooDeep }
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: nodes.append(try ONNXNode(try value.message(), depth: depth))
      case 5: initializers.append(try ONNXTensor(try value.message()))
      case 11: inputs.append(try ONNXValueInfo(try value.message()))
      case 12: outputs.append(try ONNXValueInfo(try value.message()))
      case 15: sparseInitializerCount += 1
      default: break
      }
    }
  }
}

/// A call of an operator or function.
struct ONNXNode: Sendable {
  var name = ""
  var operatorType = ""
  var domain = ""
  var overload = ""
  /// The names of the inputs; empty for an optional input that is left out.
  var inputs: [String] = []
  var outputs: [String] = []
  var attributes: [ONNXAttribute] = []

  init(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: inputs.append(try value.string())
      case 2: outputs.append(try value.string())
      case 3: name = try value.string()
      case 4: operatorType = try value.string()
      case 5: attributes.append(try ONNXAttribute(try value.message(), depth: depth))
      case 7: domain = try value.string()
      case 8: overload = try value.string()
      default: break
      }
    }
  }

  /// Returns the attribute with a name.
  func attribute(_ name: String) -> ONNXAttribute? {
    attributes.first { $0.name == name }
  }

  /// Returns the name of an input, or `nil` if it is left out.
  func input(_ index: Int) -> String? {
    inputs.indices.contains(index) && !inputs[index].isEmpty ? inputs[index] : nil
  }

  /// The operator with its domain, such as `ai.onnx.ml:ZipMap`.
  var qualifiedOperator: String {
    domain.isEmpty ? operatorType : "\(domain):\(operatorType)"
  }

  /// The node for messages.
  var displayName: String {
    let label = name.isEmpty ? outputs.first ?? "" : name
    return label.isEmpty ? operatorType : "\(operatorType) '\(label)'"
  }
}

/// An attribute of a node.
///
/// Lists of numbers, which can be long, are parsed on access.
struct ONNXAttribute: Sendable {
  var name = ""
  var integer: Int?
  var tensor: ONNXTensor?
  var tensors: [ONNXTensor] = []
  var graphs: [ONNXGraph] = []
  private let message: ProtobufMessage

  init(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    self.message = message
    var (tensor, graph): (ProtobufMessage?, ProtobufMessage?)
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 3: integer = try value.integer()
      case 5: tensor = try value.singularMessage(previous: tensor)
      case 6: graph = try value.singularMessage(previous: graph)
      case 10: tensors.append(try ONNXTensor(try value.message()))
      case 11: graphs.append(try ONNXGraph(try value.message(), depth: depth + 1))
      default: break
      }
    }
    if let tensor { self.tensor = try ONNXTensor(tensor) }
    if let graph { graphs.append(try ONNXGraph(graph, depth: depth + 1)) }
  }

  /// The string, if it is one.
  var text: String? { values(4, { try? $0.string() }).last }

  /// The strings.
  var strings: [String] { values(9) { try? $0.string() } }

  /// The integers.
  var integers: [Int] { values(8, { try? $0.integers() }).flatMap(\.self) }

  /// The floats.
  var floats: [Float] { values(7, \.floats).flatMap(\.self) }

  private func values<Value>(
    _ number: UInt64, _ transform: (ProtobufValue) -> Value?
  ) -> [Value] {
    var values: [Value] = []
    try? message.forEachField { (field, value) throws(ProtobufError) in
      if field == number, let value = transform(value) { values.append(value) }
    }
    return values
  }
}

extension ProtobufValue {
  /// The floats of one occurrence of a repeated field, packed or not.
  var floats: [Float] {
    switch self {
    case .fixedWidth(let message), .lengthDelimited(let message):
      message.floats(limit: .max / 8)
    case .varint: []
    }
  }
}
