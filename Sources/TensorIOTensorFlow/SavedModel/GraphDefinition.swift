/// The nodes of a graph and of its function library, as far as it takes to judge what they do.
struct GraphDefinition: Sendable {
  struct Node: Sendable {
    var name = ""
    var op = ""
    /// The nodes that it takes values from.
    var dataInputs: [String] = []
    /// The nodes that it waits for.
    var controlInputs: [String] = []
    /// The functions that its attributes name.
    var calledFunctions: [String] = []
    /// The graphs that lie in texts of its attributes.
    var embeddedGraphs: [GraphDefinition] = []
    /// Whether it holds a text that leads out of a folder.
    var containsParentPath = false
  }

  /// A function: what it is given, and what it does with it.
  struct Function: Sendable {
    var arguments: [String] = []
    var nodes: [Node] = []
  }

  /// How deep graphs may lie in texts of graphs.
  static let maxDepth = 4

  private(set) var nodes: [Node] = []
  /// The functions, by their names.
  private(set) var functions: [String: Function] = [:]

  /// Reads a graph.
  init(_ graph: ProtobufMessage) throws(ProtobufError) {
    try self.init(graph, depth: 0)
  }

  fileprivate init(_ graph: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= Self.maxDepth else { throw .tooManyEntries }
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
    // Of two functions of one name, none is left out.
    functions[name, default: Function(arguments: function.arguments)].nodes += function.nodes
  }
}

extension GraphDefinition.Function {
  /// Reads what the function is given, and returns its name.
  fileprivate mutating func readSignature(_ message: ProtobufMessage) throws(ProtobufError) -> String {
    var name = ""
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 2:
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          if field == 1 { arguments.append(try value.string()) }
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
    if name.first == "^" { controlInputs.append(name.nodeName) } else { dataInputs.append(name.nodeName) }
  }

  /// An attribute, or a list of them, which writes functions and texts under other numbers.
  private mutating func readAttribute(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
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

  /// A function that is named, with attributes of its own.
  private mutating func readFunction(_ message: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= GraphDefinition.maxDepth else { throw .tooManyEntries }
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: calledFunctions.append(try value.string())
      case 2: try readAttribute(try value.message().mapEntry().value, depth: depth + 1)
      default: break
      }
    }
  }

  /// Of a constant, the texts alone matter.
  private mutating func readTensor(_ message: ProtobufMessage) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      guard field == 8, let text = try? value.string() else { return }
      if text.split(separator: "/").contains("..") { containsParentPath = true }
    }
  }

  /// Some operators keep a graph in a text; whatever reads as one is taken for one.
  private mutating func readEmbeddedGraph(_ message: ProtobufMessage, depth: Int) {
    guard let graph = try? GraphDefinition(message, depth: depth + 1),
      graph.nodes.contains(where: { !$0.name.isEmpty && !$0.op.isEmpty })
    else { return }
    embeddedGraphs.append(graph)
  }
}

extension String {
  /// The node that an input of a graph or a tensor's name means: `^node`, `node:1`, `node`.
  var nodeName: String {
    let bare = first == "^" ? dropFirst() : self[...]
    return String(bare.prefix { $0 != ":" })
  }
}

/// The list of operators that TensorFlow gives of itself.
enum OpList {
  /// The names of the operators.
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
