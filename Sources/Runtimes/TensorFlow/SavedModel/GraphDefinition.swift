import TensorIOCore

/// The nodes of a graph and of its function library, with the parts that a review requires.
struct GraphDefinition: Sendable {
  struct Node: Sendable {
    var name = ""
    var op = ""
    /// The nodes whose outputs are inputs of this node.
    var dataInputs: [String] = []
    /// The nodes that run before this node.
    var controlInputs: [String] = []
    /// The functions that the attributes refer to.
    var calledFunctions: [String] = []
    /// The graphs that are serialized in string attributes.
    var embeddedGraphs: [GraphDefinition] = []
    /// Whether a string constant contains the path component `..`.
    var containsParentPath = false
    /// The elements of a float constant with at most ``maxConstants`` elements, else empty.
    var floats: [Float] = []

    /// The maximum number of elements of a constant that are read.
    static let maxConstants = 3
  }

  /// A function of the library.
  struct Function: Sendable {
    var arguments: [String] = []
    /// Whether an argument stands for several inputs of a call.
    var hasListArguments = false
    var nodes: [Node] = []
  }

  /// The maximum nesting depth of graphs and of function attributes.
  static let maxDepth = 4

  private(set) var nodes: [Node] = []
  /// The functions by name.
  private(set) var functions: [String: Function] = [:]

  /// Reads a graph.
  init(_ graph: ProtobufMessage) throws(ProtobufError) {
    try self.init(graph, depth: 0)
  }

  fileprivate init(_ graph: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= Self.maxDepth else { throw .nestingTooDeep }
    try graph.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: nodes.append(try Node(try value.message(), depth: depth))
      case 2: try readLibrary(try value.message(), depth: depth)
      default: break
      }
    }
  }

  private mutating func readLibrary(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      if field == 1 { try readFunction(try value.message(), depth: depth) }
    }
  }

  private mutating func readFunction(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    var signature: ProtobufMessage?
    var function = Function()
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: signature = try value.singularMessage(previous: signature)
      case 3: function.nodes.append(try Node(try value.message(), depth: depth))
      default: break
      }
    }
    let name = if let signature { try function.readSignature(signature) } else { "" }
    // If two functions have the same name, the nodes of both are reviewed.
    var signatureOnly = function
    signatureOnly.nodes = []
    functions[name, default: signatureOnly].nodes += function.nodes
  }
}

extension GraphDefinition {
  private static let callOperators: Set<String> = ["PartitionedCall", "StatefulPartitionedCall"]

  /// Returns the function that a node calls with one input for each argument, or `nil` for any other
  /// kind of call.
  func function(calledBy node: Node) -> (name: String, function: Function)? {
    let isOperator = functions[node.op] != nil
    guard isOperator || (Self.callOperators.contains(node.op) && node.calledFunctions.count == 1)
    else { return nil }
    let name = isOperator ? node.op : node.calledFunctions[0]
    guard let function = functions[name], !function.hasListArguments else { return nil }
    return (name, function)
  }
}

extension GraphDefinition.Function {
  /// Reads the arguments and returns the name.
  fileprivate mutating func readSignature(_ message: ProtobufMessage) throws(ProtobufError)
    -> String
  {
    var name = ""
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 2:
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          switch field {
          case 1: arguments.append(try value.string())
          case 5, 6: hasListArguments = true
          default: break
          }
        }
      default: break
      }
    }
    return name
  }
}

extension GraphDefinition.Node {
  fileprivate init(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 2: op = try value.string()
      case 3: addInput(try value.string())
      case 5: try readAttribute(try value.message().mapEntry().value, depth: depth)
      default: break
      }
    }
  }

  private mutating func addInput(_ name: String) {
    if name.first == "^" {
      controlInputs.append(name.nodeName)
    } else {
      dataInputs.append(name.nodeName)
    }
  }

  /// Reads an attribute value.
  private mutating func readAttribute(_ message: ProtobufMessage, depth: Int) throws(ProtobufError)
  {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: try readList(try value.message(), depth: depth)
      case 2: readEmbeddedGraph(try value.message(), depth: depth)
      case 8: try readTensor(try value.message())
      case 10: try readFunction(try value.message(), depth: depth)
      default: break
      }
    }
  }

  private mutating func readList(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 2: readEmbeddedGraph(try value.message(), depth: depth)
      case 9: try readFunction(try value.message(), depth: depth)
      default: break
      }
    }
  }

  /// Reads a function reference and its attributes.
  private mutating func readFunction(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= GraphDefinition.maxDepth else { throw .nestingTooDeep }
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: calledFunctions.append(try value.string())
      case 2: try readAttribute(try value.message().mapEntry().value, depth: depth + 1)
      default: break
      }
    }
  }

  /// Reads the strings and the few floats of a constant.
  private mutating func readTensor(_ message: ProtobufMessage) throws(ProtobufError) {
    var isFloat = false
    var floats: [Float] = []
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch (field, value) {
      case (1, .varint(let type)): isFloat = type == Self.floatType
      case (4, .lengthDelimited(let bytes)), (5, .lengthDelimited(let bytes)):
        floats += bytes.floats(limit: Self.maxConstants)
      case (5, .fixedWidth(let bytes)): floats += bytes.floats(limit: 1)
      case (8, _):
        guard let string = try? value.string() else { return }
        if string.split(separator: "/").contains("..") { containsParentPath = true }
      default: break
      }
    }
    if isFloat, floats.count <= Self.maxConstants { self.floats = floats }
  }

  /// `DT_FLOAT`.
  private static let floatType: UInt64 = 1

  /// Reads a string attribute as a graph if it can be parsed as one, because some operators store
  /// a serialized graph in an attribute.
  private mutating func readEmbeddedGraph(_ message: ProtobufMessage, depth: Int) {
    guard let graph = try? GraphDefinition(message, depth: depth + 1),
      graph.nodes.contains(where: { !$0.name.isEmpty && !$0.op.isEmpty })
    else { return }
    embeddedGraphs.append(graph)
  }
}

extension String {
  /// The name of the node in `^node`, `node:1` or `node`.
  var nodeName: String {
    let bare = first == "^" ? dropFirst() : self[...]
    return String(bare.prefix { $0 != ":" })
  }
}

/// TensorFlow's list of registered operators.
enum OpList {
  /// Returns the names of the operators.
  static func names(_ list: ProtobufMessage) throws(ProtobufError) -> Set<String> {
    var names: Set<String> = []
    try list.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 1 { names.insert(try value.string()) }
      }
    }
    return names
  }
}

extension [GraphDefinition.Node] {
  /// The nodes by name; the first of several with the same name.
  var byName: [String: GraphDefinition.Node] {
    Dictionary(map { ($0.name, $0) }) { first, _ in first }
  }
}
