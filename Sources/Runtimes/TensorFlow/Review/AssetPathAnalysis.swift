/// Verifies that tables are initialized only from files of the model's assets, by following their
/// paths through the initializer.
///
/// A loader feeds the path of each asset to a tensor while it runs the initializer, and only then.
/// TensorFlow 2 stores the path in a variable, which the initializer reads afterward.
struct AssetPathAnalysis {
  /// The operators that initialize a table from a file.
  static let operators = AllowedOperators.tableNames
  /// The position of the path among the inputs of these operators.
  private static let pathInput = 1
  /// The operators with one output that can be fed.
  private static let sourceOperators: Set<String> = ["Const", "Placeholder"]
  /// The maximum depth of function calls between the initializer and a table.
  private static let maxCallDepth = 16
  /// The maximum number of nodes that a path passes through.
  private static let maxPathNodes = 64

  private let graph: GraphDefinition
  /// The functions that initialize a table from a file.
  private let functions: Set<String>
  /// The nodes that the initializer runs, by name.
  private let initializer: [String: GraphDefinition.Node]
  /// The nodes that a loader feeds the paths of assets to.
  private let assetNodes: Set<String>
  private var visitedCalls: Set<Call> = []
  /// The first node that uses another path, or `nil` if there is none.
  private(set) var escapingNode: GraphDefinition.Node?

  /// Analyzes all nodes that initialize a table from a file, which only the initializer may run.
  init(_ graph: GraphDefinition, _ metaGraph: MetaGraph) {
    self.graph = graph
    functions = graph.functions(reaching: Self.operators)
    let nodes = graph.nodes(upstreamOf: metaGraph.initializers.map(\.nodeName))
    initializer = nodes.byName
    let fed = metaGraph.assets.map(\.pathNode)
    let sources = fed.contains(nil) ? [] : Set(fed.compactMap(\.self))
    assetNodes = Set(
      nodes.filter { sources.contains($0.name) && Self.sourceOperators.contains($0.op) }
        .map(\.name))
    escapingNode =
      graph.nodes.first {
        $0.invokes(Self.operators, or: functions) && initializer[$0.name] == nil
      } ?? escapingNode(in: nodes, Scope(nodes: initializer, paths: assetNodes, isMain: true))
      ?? unvisitedNode
  }

  /// A function call with the arguments that are paths of assets.
  private struct Call: Hashable {
    let function: String
    let paths: Set<String>
  }

  /// The nodes of the graph or of a function, with the names of the values that are paths of assets.
  private struct Scope {
    let nodes: [String: GraphDefinition.Node]
    let paths: Set<String>
    let isMain: Bool
  }

  /// A node in a function that the initializer does not call.
  private var unvisitedNode: GraphDefinition.Node? {
    functions.subtracting(visitedCalls.map(\.function)).sorted().lazy.compactMap { name in
      graph.functions[name]?.nodes.first { $0.invokes(Self.operators, or: functions) }
    }.first
  }

  private mutating func escapingNode(
    in nodes: [GraphDefinition.Node], _ scope: Scope, depth: Int = 0
  ) -> GraphDefinition.Node? {
    for node in nodes where node.invokes(Self.operators, or: functions) {
      if let escaping = escapingNode(at: node, scope, depth: depth) { return escaping }
    }
    return nil
  }

  private mutating func escapingNode(
    at node: GraphDefinition.Node, _ scope: Scope, depth: Int
  ) -> GraphDefinition.Node? {
    if Self.operators.contains(node.op) {
      let inputs = node.dataInputs
      return inputs.count > Self.pathInput && isAssetPath(inputs[Self.pathInput], scope)
        ? nil : node
    }
    guard depth < Self.maxCallDepth, let (name, function) = graph.function(calledBy: node) else {
      return node
    }
    let paths = zip(function.arguments, node.dataInputs).filter { isAssetPath($0.1, scope) }
    let call = Call(function: name, paths: Set(paths.map(\.0)))
    guard visitedCalls.insert(call).inserted else { return nil }
    let scope = Scope(nodes: function.nodes.byName, paths: call.paths, isMain: false)
    return escapingNode(in: function.nodes, scope, depth: depth + 1)
  }

  private func isAssetPath(_ name: String, _ scope: Scope, depth: Int = 0) -> Bool {
    if scope.paths.contains(name) { return true }
    guard depth < Self.maxPathNodes, let node = scope.nodes[name] else { return false }
    return switch node.op {
    case "Identity":
      node.dataInputs.first.map { isAssetPath($0, scope, depth: depth + 1) } ?? false
    case "ReadVariableOp": scope.isMain && readsAssetPath(node)
    default: false
    }
  }
}

/// Paths that are stored in variables.
extension AssetPathAnalysis {
  /// The operators of an initializer that stores paths in variables: none of them can write a
  /// variable whose handle it does not receive, and no other value is written.
  private static let knownOperators: Set<String> = operators.union([
    "Const", "HashTable", "HashTableV2", "Identity", "InitializeTable", "InitializeTableV2",
    "LookupTableImport", "LookupTableImportV2", "MutableHashTable", "MutableHashTableV2", "NoOp",
    "PartitionedCall", "Placeholder", "ReadVariableOp", "StatefulPartitionedCall",
  ])

  /// Returns whether a node reads a variable after the path of an asset was assigned to it.
  ///
  /// Variables with the same name share their value, so that the initializer must not assign
  /// anything else to any variable.
  private func readsAssetPath(_ node: GraphDefinition.Node) -> Bool {
    guard let handle = node.dataInputs.first, assignsPathsOnly else { return false }
    return node.controlInputs.contains { name in
      initializer[name].map { assignsPath($0) && $0.dataInputs.first == handle } ?? false
    }
  }

  private var assignsPathsOnly: Bool {
    var pending: [String] = []
    for node in initializer.values {
      guard node.op == "VarHandleOp" || assignsPath(node) || isKnown(node) else { return false }
      pending += calledFunctions(of: node)
    }
    var visited: Set<String> = []
    while let name = pending.popLast() {
      guard visited.insert(name).inserted, let function = graph.functions[name] else { continue }
      for node in function.nodes {
        guard isKnown(node) else { return false }
        pending += calledFunctions(of: node)
      }
    }
    return true
  }

  private func assignsPath(_ node: GraphDefinition.Node) -> Bool {
    node.op == "AssignVariableOp" && node.dataInputs.count == 2
      && initializer[node.dataInputs[0]]?.op == "VarHandleOp"
      && assetNodes.contains(node.dataInputs[1])
  }

  private func isKnown(_ node: GraphDefinition.Node) -> Bool {
    Self.knownOperators.contains(node.op) || graph.functions[node.op] != nil
  }

  private func calledFunctions(of node: GraphDefinition.Node) -> [String] {
    [node.op] + node.calledFunctions
  }
}
