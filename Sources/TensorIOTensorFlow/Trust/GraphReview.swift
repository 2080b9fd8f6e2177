/// What a graph would do besides computing, found without running it.
struct GraphReview: Sendable {
  /// The operators that are on no list, each with the name of the first node that has it.
  let unlisted: [String: String]
  /// The nodes whose computation writes files: only saving may run them.
  let writing: Set<String>
  /// The nodes whose computation reads files: only restoring may run them.
  let reading: Set<String>

  /// The operators by which savers write variables.
  static let writers: Set<String> = ["MergeV2Checkpoints", "Save", "SaveSlices", "SaveV2"]
  /// The operators by which savers read variables.
  static let readers: Set<String> = ["Restore", "RestoreSlice", "RestoreV2"]

  static let listed = AllowedOperators.names.union(AllowedOperators.saver)

  /// The names of the functions, behind which an operator could hide.
  let functionNames: Set<String>
  /// A node that saves or restores somewhere else than where it is told to.
  let astray: GraphNodes.Node?

  /// Reviews a graph, its functions, and the graphs in its texts.
  init(_ graph: GraphNodes, saver: MetaGraph.Saver?) {
    functionNames = Set(graph.functions.keys.lazy.filter { !$0.hasPrefix("__") })
    astray = saver.flatMap { SaverPaths(graph, $0).astray }
    unlisted = Self.unlisted(in: graph)
    writing = graph.nodes(reaching: Self.writers)
    reading = graph.nodes(reaching: Self.readers)
  }

  private static func unlisted(in graph: GraphNodes) -> [String: String] {
    var found: [String: String] = [:]
    for node in graph.allNodes {
      for name in [node.operation] + node.functions
      where !name.isEmpty && graph.functions[name] == nil && !listed.contains(name) {
        found[name] = found[name] ?? node.name
      }
      for inner in node.graphs {
        // No saver is found in a text, so what a saver may do is refused there.
        let harmful = inner.allNodes.filter { writers.union(readers).contains($0.operation) }
        for inner in harmful { found[inner.operation] = found[inner.operation] ?? node.name }
        found.merge(unlisted(in: inner)) { first, _ in first }
      }
    }
    return found
  }
}

extension GraphNodes {
  /// The nodes of the graph and of all its functions.
  var allNodes: [Node] { nodes + functions.values.flatMap(\.nodes) }

  /// The names of the nodes that run one of some operators, or wait for a node that does.
  fileprivate func nodes(reaching operators: Set<String>) -> Set<String> {
    let functions = functions(reaching: operators)
    let isOne = { (node: Node) in node.runs(operators, or: functions) }
    var reached = Set(nodes.lazy.filter(isOne).map(\.name))
    guard !reached.isEmpty else { return [] }
    let followers = followers
    var waiting = Array(reached)
    while let name = waiting.popLast() {
      for next in followers[name] ?? [] where reached.insert(next).inserted {
        waiting.append(next)
      }
    }
    return reached
  }

  /// The nodes that are computed for some nodes, themselves among them.
  func nodes(below names: [String]) -> [Node] {
    let known = Dictionary(nodes.map { ($0.name, $0) }) { first, _ in first }
    var reached = Set(names)
    var waiting = names
    while let name = waiting.popLast() {
      guard let node = known[name] else { continue }
      for next in node.values + node.controls where reached.insert(next).inserted {
        waiting.append(next)
      }
    }
    return nodes.filter { reached.contains($0.name) }
  }

  /// The nodes that take something from a node.
  private var followers: [String: [String]] {
    var followers: [String: [String]] = [:]
    for node in nodes {
      for input in node.values + node.controls {
        followers[input, default: []].append(node.name)
      }
    }
    return followers
  }

  /// The functions that run one of some operators, or a function that does.
  func functions(reaching operators: Set<String>) -> Set<String> {
    var reached: Set<String> = []
    var isGrowing = true
    while isGrowing {
      let more = functions.filter { name, body in
        !reached.contains(name) && body.nodes.contains { $0.runs(operators, or: reached) }
      }
      reached.formUnion(more.keys)
      isGrowing = !more.isEmpty
    }
    return reached
  }
}

extension GraphNodes.Node {
  /// Whether the node is one of some operators or calls one of some functions.
  func runs(_ operators: Set<String>, or called: Set<String>) -> Bool {
    operators.contains(operation) || called.contains(operation)
      || functions.contains { called.contains($0) || operators.contains($0) }
  }
}
