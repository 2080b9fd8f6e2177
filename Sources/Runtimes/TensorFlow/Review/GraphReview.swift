import TensorIOBundle

/// The side effects of a graph, determined without running it.
struct GraphReview: Sendable {
  /// The operators outside the allow list, each with the first node that uses it.
  let disallowedOperators: [String: String]
  /// The nodes that write files when they run; only saving may run them.
  let nodesWritingFiles: Set<String>
  /// The nodes that read files when they run; only restoring may run them.
  let nodesReadingFiles: Set<String>

  /// The nodes that initialize tables from files when they run; only the initializer may run them.
  let nodesInitializingTables: Set<String>

  /// The operators that write variables.
  static let writeOperators: Set<String> = ["MergeV2Checkpoints", "Save", "SaveSlices", "SaveV2"]
  /// The operators that read variables.
  static let readOperators: Set<String> = ["Restore", "RestoreSlice", "RestoreV2"]

  static let allowedOperators = AllowedOperators.names.union(AllowedOperators.saverNames)
    .union(AllowedOperators.tableNames)

  /// The names of the functions, which could shadow registered operators.
  let functionNames: Set<String>
  /// A node that reads or writes files at a path other than the saver's or an asset's, or `nil`.
  let escapingNode: GraphDefinition.Node?

  /// Reviews a graph, its functions, and the graphs embedded in its attributes.
  init(_ graph: GraphDefinition, _ metaGraph: MetaGraph) {
    functionNames = Set(graph.functions.keys.lazy.filter { !$0.hasPrefix("__") })
    escapingNode =
      metaGraph.saver.flatMap { SaverPathAnalysis(graph, $0).escapingNode }
      ?? AssetPathAnalysis(graph, metaGraph).escapingNode
    disallowedOperators = Self.disallowedOperators(in: graph)
    nodesWritingFiles = graph.nodes(reaching: Self.writeOperators)
    nodesReadingFiles = graph.nodes(reaching: Self.readOperators)
    nodesInitializingTables = graph.nodes(reaching: AssetPathAnalysis.operators)
  }

  private static func disallowedOperators(in graph: GraphDefinition) -> [String: String] {
    var found: [String: String] = [:]
    for node in graph.allNodes {
      for name in [node.op] + node.calledFunctions
      where !name.isEmpty && graph.functions[name] == nil && !allowedOperators.contains(name) {
        found[name] = found[name] ?? node.name
      }
      for inner in node.embeddedGraphs {
        // An embedded graph has no saver and no assets, so that reading and writing files is not
        // allowed there.
        let fileOperators = writeOperators.union(readOperators).union(AssetPathAnalysis.operators)
        let fileNodes = inner.allNodes.filter { fileOperators.contains($0.op) }
        for inner in fileNodes { found[inner.op] = found[inner.op] ?? node.name }
        found.merge(disallowedOperators(in: inner)) { first, _ in first }
      }
    }
    return found
  }
}

extension GraphReview {
  /// Throws if the graph has operators outside the allow list.
  ///
  /// Operators that the runtime does not have, or can no longer run, are reported as missing.
  func requireAllowedOperators(available: () -> Set<String>) throws(ModelError) {
    if !functionNames.isEmpty {
      let shadowed = functionNames.intersection(available())
        .subtracting(Self.allowedOperators).sorted()
      if let first = shadowed.first {
        throw ModelError(.runtime, .untrustedOperators(shadowed, node: first))
      }
    }
    guard !disallowedOperators.isEmpty else { return }
    let missing = Set(disallowedOperators.keys).subtracting(available())
      .union(disallowedOperators.keys.filter(Self.isRemovedOperator))
    guard missing.isEmpty else { throw ModelError(.runtime, .missingOperators(missing.sorted())) }
    let operators = disallowedOperators.keys.sorted()
    let node = operators.first.flatMap { disallowedOperators[$0] } ?? ""
    throw ModelError(.runtime, .untrustedOperators(operators, node: node))
  }

  /// Returns whether TensorFlow registers an operator that it can no longer run.
  private static func isRemovedOperator(_ name: String) -> Bool {
    ["BoostedTrees", "IsBoostedTrees", "BatchFFT", "BatchIFFT"].contains { name.hasPrefix($0) }
  }

  /// Throws if loading the graph would do more than read the variables.
  func requireSafeLoading(_ graph: MetaGraph) throws(ModelError) {
    if let escapingNode {
      throw ModelError(.runtime, .untrustedOperators([escapingNode.op], node: escapingNode.name))
    }
    let restore = graph.saver?.restoreOperation.nodeName
    for name in [restore, graph.saver?.saveTensor.nodeName].compactMap(\.self) {
      try require(name, isNotIn: nodesInitializingTables, Self.tableOperator)
    }
    for name in graph.initializers.map(\.nodeName) + [restore].compactMap(\.self) {
      try require(name, isNotIn: nodesWritingFiles, "SaveV2")
      if name != restore { try require(name, isNotIn: nodesReadingFiles, "RestoreV2") }
    }
  }

  /// Throws if running a node would read or write files.
  func requireSafeRun(_ node: String) throws(ModelError) {
    try require(node, isNotIn: nodesWritingFiles, "SaveV2")
    try require(node, isNotIn: nodesReadingFiles, "RestoreV2")
    try require(node, isNotIn: nodesInitializingTables, Self.tableOperator)
  }

  /// The operator to name in errors about tables that are initialized from files.
  private static let tableOperator = "InitializeTableFromTextFileV2"

  private func require(
    _ node: String, isNotIn nodes: Set<String>, _ operation: String
  ) throws(ModelError) {
    guard nodes.contains(node) else { return }
    throw ModelError(.runtime, .untrustedOperators([operation], node: node))
  }
}

extension GraphDefinition {
  /// The nodes of the graph and of all functions.
  var allNodes: [Node] { nodes + functions.values.flatMap(\.nodes) }

  /// Returns the names of the nodes that run one of the operators or depend on a node that does.
  func nodes(reaching operators: Set<String>) -> Set<String> {
    let functions = functions(reaching: operators)
    let direct = nodes.lazy.filter { $0.invokes(operators, or: functions) }.map(\.name)
    let dependents = adjacency(of: nodes) { node in (node.inputs, [node.name]) }
    return Set(direct).reachable(through: dependents)
  }

  /// Returns the nodes that run when the given nodes run, including them.
  func nodes(upstreamOf names: [String]) -> [Node] {
    let dependencies = adjacency(of: nodes) { node in ([node.name], node.inputs) }
    let reached = Set(names).reachable(through: dependencies)
    return nodes.filter { reached.contains($0.name) }
  }

  /// Returns the functions that run one of the operators or call a function that does.
  func functions(reaching operators: Set<String>) -> Set<String> {
    let direct = functions.lazy.filter { $0.value.nodes.contains { $0.invokes(operators, or: []) } }
    let callers = adjacency(of: functions) { function in
      (function.value.nodes.flatMap(\.calledNames), [function.key])
    }
    return Set(direct.map(\.key)).reachable(through: callers)
  }

  /// Returns the adjacency lists of a directed graph whose edges are given by its elements.
  private func adjacency<Elements: Collection>(
    of elements: Elements, _ edges: (Elements.Element) -> (from: [String], to: [String])
  ) -> [String: [String]] {
    var successors: [String: [String]] = [:]
    for element in elements {
      let (from, to) = edges(element)
      for name in from { successors[name, default: []] += to }
    }
    return successors
  }
}

extension Set<String> {
  /// Returns the names that are reachable from these, including them.
  fileprivate func reachable(through successors: [String: [String]]) -> Set<String> {
    var reached = self
    var pending = Array(self)
    while let name = pending.popLast() {
      for next in successors[name] ?? [] where reached.insert(next).inserted {
        pending.append(next)
      }
    }
    return reached
  }
}

extension GraphDefinition.Node {
  /// The nodes that run before this one.
  fileprivate var inputs: [String] { dataInputs + controlInputs }

  /// The names that the node invokes: its operator, which may be a function, and the functions in
  /// its attributes.
  fileprivate var calledNames: [String] { [op] + calledFunctions }

  /// Returns whether the node invokes one of the operators or functions.
  func invokes(_ operators: Set<String>, or functions: Set<String>) -> Bool {
    calledNames.contains { operators.contains($0) || functions.contains($0) }
  }
}
