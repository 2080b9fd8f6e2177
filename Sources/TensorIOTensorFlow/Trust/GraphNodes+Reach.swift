extension GraphNodes {
  /// The nodes of the graph and of all its functions.
  var allNodes: [Node] { nodes + functions.values.flatMap(\.nodes) }

  /// The names of the nodes that run one of some operators, or wait for a node that does.
  func nodes(reaching operators: Set<String>) -> Set<String> {
    let functions = functions(reaching: operators)
    let first = nodes.lazy.filter { $0.runs(operators, or: functions) }.map(\.name)
    return Set(first).spread(along: links(of: nodes) { node in (node.inputs, [node.name]) })
  }

  /// The nodes that are computed for some nodes, themselves among them.
  func nodes(below names: [String]) -> [Node] {
    let reached = Set(names).spread(along: links(of: nodes) { node in ([node.name], node.inputs) })
    return nodes.filter { reached.contains($0.name) }
  }

  /// The functions that run one of some operators, or a function that does.
  func functions(reaching operators: Set<String>) -> Set<String> {
    let first = functions.lazy.filter { $0.value.nodes.contains { $0.runs(operators, or: []) } }
    let callers = links(of: functions) { function in
      (function.value.nodes.flatMap(\.called), [function.key])
    }
    return Set(first.map(\.key)).spread(along: callers)
  }

  /// Where a way leads to from each name, given the two ends of what each element joins.
  private func links<Elements: Collection>(
    of elements: Elements, _ ends: (Elements.Element) -> (from: [String], to: [String])
  ) -> [String: [String]] {
    var links: [String: [String]] = [:]
    for element in elements {
      let (from, to) = ends(element)
      for name in from { links[name, default: []] += to }
    }
    return links
  }
}

extension Set<String> {
  /// The names and all to which links lead from them, however far.
  fileprivate func spread(along links: [String: [String]]) -> Set<String> {
    var reached = self
    var waiting = Array(self)
    while let name = waiting.popLast() {
      for next in links[name] ?? [] where reached.insert(next).inserted { waiting.append(next) }
    }
    return reached
  }
}

extension GraphNodes.Node {
  /// The nodes that have to be computed before it.
  fileprivate var inputs: [String] { values + controls }

  /// What it runs by name: its operator, which may be a function, and those in its attributes.
  fileprivate var called: [String] { [operation] + functions }

  /// Whether the node is one of some operators or calls one of some functions.
  func runs(_ operators: Set<String>, or functions: Set<String>) -> Bool {
    called.contains { operators.contains($0) || functions.contains($0) }
  }
}
