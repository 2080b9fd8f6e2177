/// The nodes of a graph and of its function library, as far as it takes to judge what they do.
struct GraphNodes: Sendable {
  struct Node: Sendable {
    var name = ""
    var operation = ""
    /// The nodes that it takes values from.
    var values: [String] = []
    /// The nodes that it waits for.
    var controls: [String] = []
    /// The functions that its attributes name.
    var functions: [String] = []
    /// The graphs that lie in texts of its attributes.
    var graphs: [GraphNodes] = []
    /// Whether it holds a text that leads out of a folder.
    var leadsUpwards = false
  }

  /// A function: what it is given, and what it does with it.
  struct Function: Sendable {
    var arguments: [String] = []
    var nodes: [Node] = []
  }

  /// How deep graphs may lie in texts of graphs.
  static let deepest = 4

  private(set) var nodes: [Node] = []
  /// The functions, by their names.
  private(set) var functions: [String: Function] = [:]

  /// Reads a graph.
  init(_ graph: WireMessage) throws(WireFault) {
    try self.init(graph, depth: 0)
  }

  fileprivate init(_ graph: WireMessage, depth: Int) throws(WireFault) {
    guard depth <= Self.deepest else { throw .entries }
    try graph.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: nodes.append(try Node(try value.message(), depth: depth))
      case 2: try readLibrary(try value.message(), depth: depth)
      default: break
      }
    }
  }

  private mutating func readLibrary(_ message: WireMessage, depth: Int) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      if field == 1 { try readFunction(try value.message(), depth: depth) }
    }
  }

  private mutating func readFunction(_ message: WireMessage, depth: Int) throws(WireFault) {
    var signature: WireMessage?
    var function = Function()
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: signature = try value.message(inPlaceOf: signature)
      case 3: function.nodes.append(try Node(try value.message(), depth: depth))
      default: break
      }
    }
    let name = if let signature { try function.readSignature(signature) } else { "" }
    // Of two functions of one name, none is left out.
    functions[name, default: Function(arguments: function.arguments)].nodes += function.nodes
  }
}

extension GraphNodes.Function {
  /// Reads what the function is given, and returns its name.
  fileprivate mutating func readSignature(_ message: WireMessage) throws(WireFault) -> String {
    var name = ""
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: name = try value.text()
      case 2:
        try value.message().forEachField { (field, value) throws(WireFault) in
          if field == 1 { arguments.append(try value.text()) }
        }
      default: break
      }
    }
    return name
  }
}

extension GraphNodes.Node {
  fileprivate init(_ message: WireMessage, depth: Int) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: name = try value.text()
      case 2: operation = try value.text()
      case 3: addInput(try value.text())
      case 5: try readAttribute(try value.message().entry().value, depth: depth)
      default: break
      }
    }
  }

  private mutating func addInput(_ name: String) {
    if name.first == "^" { controls.append(name.nodeName) } else { values.append(name.nodeName) }
  }

  /// An attribute, or a list of them, which writes functions and texts under other numbers.
  private mutating func readAttribute(_ message: WireMessage, depth: Int) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: try readList(try value.message(), depth: depth)
      case 2: readText(try value.message(), depth: depth)
      case 8: try readTensor(try value.message())
      case 10: try readFunction(try value.message(), depth: depth)
      default: break
      }
    }
  }

  private mutating func readList(_ message: WireMessage, depth: Int) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 2: readText(try value.message(), depth: depth)
      case 9: try readFunction(try value.message(), depth: depth)
      default: break
      }
    }
  }

  /// A function that is named, with attributes of its own.
  private mutating func readFunction(_ message: WireMessage, depth: Int) throws(WireFault) {
    guard depth <= GraphNodes.deepest else { throw .entries }
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: functions.append(try value.text())
      case 2: try readAttribute(try value.message().entry().value, depth: depth + 1)
      default: break
      }
    }
  }

  /// Of a constant, the texts alone matter.
  private mutating func readTensor(_ message: WireMessage) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      guard field == 8, let text = try? value.text() else { return }
      if text.split(separator: "/").contains("..") { leadsUpwards = true }
    }
  }

  /// Some operators keep a graph in a text; whatever reads as one is taken for one.
  private mutating func readText(_ message: WireMessage, depth: Int) {
    guard let graph = try? GraphNodes(message, depth: depth + 1),
      graph.nodes.contains(where: { !$0.name.isEmpty && !$0.operation.isEmpty })
    else { return }
    graphs.append(graph)
  }
}

extension String {
  /// The node that an input of a graph or a tensor's name means: `^node`, `node:1`, `node`.
  var nodeName: String {
    let bare = first == "^" ? dropFirst() : self[...]
    return String(bare.prefix { $0 != ":" })
  }
}
