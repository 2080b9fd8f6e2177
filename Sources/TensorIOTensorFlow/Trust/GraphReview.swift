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
