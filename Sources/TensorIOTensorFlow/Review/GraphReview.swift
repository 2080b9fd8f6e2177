import TensorIOBundle

/// What a graph would do besides computing, found without running it.
struct GraphReview: Sendable {
  /// The operators that are on no list, each with the name of the first node that has it.
  let disallowedOperators: [String: String]
  /// The nodes whose computation writes files: only saving may run them.
  let nodesWritingFiles: Set<String>
  /// The nodes whose computation reads files: only restoring may run them.
  let nodesReadingFiles: Set<String>

  /// The operators by which savers write variables.
  static let writeOperators: Set<String> = ["MergeV2Checkpoints", "Save", "SaveSlices", "SaveV2"]
  /// The operators by which savers read variables.
  static let readOperators: Set<String> = ["Restore", "RestoreSlice", "RestoreV2"]

  static let allowedOperators = AllowedOperators.names.union(AllowedOperators.saverNames)

  /// The names of the functions, behind which an operator could hide.
  let functionNames: Set<String>
  /// A node that saves or restores somewhere else than where it is told to.
  let escapingNode: GraphDefinition.Node?

  /// Reviews a graph, its functions, and the graphs in its texts.
  init(_ graph: GraphDefinition, saver: MetaGraph.Saver?) {
    functionNames = Set(graph.functions.keys.lazy.filter { !$0.hasPrefix("__") })
    escapingNode = saver.flatMap { SaverPathAnalysis(graph, $0).escapingNode }
    disallowedOperators = Self.disallowedOperators(in: graph)
    nodesWritingFiles = graph.nodes(reaching: Self.writeOperators)
    nodesReadingFiles = graph.nodes(reaching: Self.readOperators)
  }

  private static func disallowedOperators(in graph: GraphDefinition) -> [String: String] {
    var found: [String: String] = [:]
    for node in graph.allNodes {
      for name in [node.op] + node.calledFunctions
      where !name.isEmpty && graph.functions[name] == nil && !allowedOperators.contains(name) {
        found[name] = found[name] ?? node.name
      }
      for inner in node.embeddedGraphs {
        // No saver is found in a text, so what a saver may do is refused there.
        let harmful = inner.allNodes.filter { writeOperators.union(readOperators).contains($0.op) }
        for inner in harmful { found[inner.op] = found[inner.op] ?? node.name }
        found.merge(disallowedOperators(in: inner)) { first, _ in first }
      }
    }
    return found
  }
}

extension GraphReview {
  /// Throws when the graph has operators that are on no list.
  ///
  /// What the runtime does not have, or knows by name alone, is not dangerous but gone, and told so.
  func requireAllowedOperators(available: () -> Set<String>) throws(ModelError) {
    if !functionNames.isEmpty {
      let hidden = functionNames.intersection(available()).subtracting(Self.allowedOperators).sorted()
      if let first = hidden.first {
        throw ModelError(.runtime, .untrustedOperators(hidden, node: first))
      }
    }
    guard !disallowedOperators.isEmpty else { return }
    let gone = Set(disallowedOperators.keys).subtracting(available()).union(disallowedOperators.keys.filter(Self.isRemovedOperator))
    guard gone.isEmpty else { throw ModelError(.runtime, .missingOperators(gone.sorted())) }
    let operators = disallowedOperators.keys.sorted()
    let node = operators.first.flatMap { disallowedOperators[$0] } ?? ""
    throw ModelError(.runtime, .untrustedOperators(operators, node: node))
  }

  /// Whether TensorFlow still knows an operator's name, and can no longer run it.
  private static func isRemovedOperator(_ name: String) -> Bool {
    ["BoostedTrees", "IsBoostedTrees", "BatchFFT", "BatchIFFT"].contains { name.hasPrefix($0) }
  }

  /// Throws when what a loader runs by itself does more than to read variables.
  func requireSafeLoading(_ graph: MetaGraph) throws(ModelError) {
    if let escapingNode {
      throw ModelError(.runtime, .untrustedOperators([escapingNode.op], node: escapingNode.name))
    }
    let restore = graph.saver?.restoreOperation.nodeName
    for name in graph.initializers.map(\.nodeName) + [restore].compactMap(\.self) {
      try require(name, isNotIn: nodesWritingFiles, "SaveV2")
      if name != restore { try require(name, isNotIn: nodesReadingFiles, "RestoreV2") }
    }
  }

  /// Throws when computing a node reads or writes files.
  func requireSafeRun(_ node: String) throws(ModelError) {
    try require(node, isNotIn: nodesWritingFiles, "SaveV2")
    try require(node, isNotIn: nodesReadingFiles, "RestoreV2")
  }

  private func require(
    _ node: String, isNotIn nodes: Set<String>, _ operation: String
  ) throws(ModelError) {
    guard nodes.contains(node) else { return }
    throw ModelError(.runtime, .untrustedOperators([operation], node: node))
  }
}

extension GraphDefinition {
  /// The nodes of the graph and of all its functions.
  var allNodes: [Node] { nodes + functions.values.flatMap(\.nodes) }

  /// The names of the nodes that run one of some operators, or wait for a node that does.
  func nodes(reaching operators: Set<String>) -> Set<String> {
    let functions = functions(reaching: operators)
    let first = nodes.lazy.filter { $0.invokes(operators, or: functions) }.map(\.name)
    return Set(first).reachable(through: adjacency(of: nodes) { node in (node.inputs, [node.name]) })
  }

  /// The nodes that are computed for some nodes, themselves among them.
  func nodes(upstreamOf names: [String]) -> [Node] {
    let reached = Set(names).reachable(through: adjacency(of: nodes) { node in ([node.name], node.inputs) })
    return nodes.filter { reached.contains($0.name) }
  }

  /// The functions that run one of some operators, or a function that does.
  func functions(reaching operators: Set<String>) -> Set<String> {
    let first = functions.lazy.filter { $0.value.nodes.contains { $0.invokes(operators, or: []) } }
    let callers = adjacency(of: functions) { function in
      (function.value.nodes.flatMap(\.calledNames), [function.key])
    }
    return Set(first.map(\.key)).reachable(through: callers)
  }

  /// Where a way leads to from each name, given the two ends of what each element joins.
  private func adjacency<Elements: Collection>(
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
  fileprivate func reachable(through links: [String: [String]]) -> Set<String> {
    var reached = self
    var waiting = Array(self)
    while let name = waiting.popLast() {
      for next in links[name] ?? [] where reached.insert(next).inserted { waiting.append(next) }
    }
    return reached
  }
}

extension GraphDefinition.Node {
  /// The nodes that have to be computed before it.
  fileprivate var inputs: [String] { dataInputs + controlInputs }

  /// What it runs by name: its operator, which may be a function, and those in its attributes.
  fileprivate var calledNames: [String] { [op] + calledFunctions }

  /// Whether the node is one of some operators or calls one of some functions.
  func invokes(_ operators: Set<String>, or functions: Set<String>) -> Bool {
    calledNames.contains { operators.contains($0) || functions.contains($0) }
  }
}
