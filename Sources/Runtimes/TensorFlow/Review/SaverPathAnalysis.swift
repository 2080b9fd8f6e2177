/// Verifies that a saver reads and writes only files at the path that it is given, by following
/// that path through the graph.
struct SaverPathAnalysis {
  private static let fileOperators = GraphReview.writeOperators.union(GraphReview.readOperators)
  /// The operators with one output that can be fed.
  private static let sourceOperators: Set<String> = [
    "Const", "Placeholder", "PlaceholderWithDefault",
  ]
  /// The maximum depth of function calls between the saver and a file operator.
  private static let maxCallDepth = 16
  /// The maximum number of nodes that a path passes through.
  private static let maxPathNodes = 64

  private let graph: GraphDefinition
  private let functions: Set<String>
  private var visitedCalls: Set<Call> = []
  /// The first node that uses another path, or `nil` if there is none.
  private(set) var escapingNode: GraphDefinition.Node?

  /// Analyzes the nodes that the saver runs.
  ///
  /// Other file operators are remains of other savers and never run.
  init(_ graph: GraphDefinition, _ saver: MetaGraph.Saver) {
    self.graph = graph
    functions = graph.functions(reaching: Self.fileOperators)
    let nodes = graph.nodes(upstreamOf: [
      saver.saveTensor.nodeName, saver.restoreOperation.nodeName,
    ])
    // Of a node with several outputs, only one is fed.
    let isFed = graph.nodes.contains {
      $0.name == saver.filenameTensor.nodeName && Self.sourceOperators.contains($0.op)
    }
    let trusted: Set<String> = isFed ? [saver.filenameTensor.nodeName] : []
    escapingNode = escapingNode(in: nodes, trusted: trusted, depth: 0)
  }

  /// A function call with the arguments that are the saver's path.
  private struct Call: Hashable {
    let function: String
    let trustedArguments: Set<String>
  }

  private mutating func escapingNode(
    in nodes: [GraphDefinition.Node], trusted: Set<String>, depth: Int
  ) -> GraphDefinition.Node? {
    let scope = Scope(nodes, trusted: trusted)
    for node in nodes where node.invokes(Self.fileOperators, or: functions) {
      if let escaping = escapingNode(at: node, in: scope, depth: depth) { return escaping }
    }
    return nil
  }

  private mutating func escapingNode(
    at node: GraphDefinition.Node, in scope: Scope, depth: Int
  ) -> GraphDefinition.Node? {
    if Self.fileOperators.contains(node.op) {
      let paths = node.dataInputs.prefix(node.op == "MergeV2Checkpoints" ? 2 : 1)
      return !paths.isEmpty && paths.allSatisfy { scope.isCheckpointPath($0) } ? nil : node
    }
    guard depth < Self.maxCallDepth, let (name, function) = graph.function(calledBy: node) else {
      return node
    }
    let trusted = zip(function.arguments, node.dataInputs)
      .filter { scope.isCheckpointPath($0.1) }.map(\.0)
    let call = Call(function: name, trustedArguments: Set(trusted))
    guard visitedCalls.insert(call).inserted else { return nil }
    return escapingNode(in: function.nodes, trusted: call.trustedArguments, depth: depth + 1)
  }

  /// The nodes of a graph or function, with the names of the values that are the saver's path.
  private struct Scope {
    private let nodes: [String: GraphDefinition.Node]
    private let trustedNames: Set<String>

    init(_ nodes: [GraphDefinition.Node], trusted: Set<String>) {
      self.nodes = nodes.byName
      self.trustedNames = trusted
    }

    /// Returns whether a value is the saver's path or begins with it.
    func isCheckpointPath(_ name: String, depth: Int = 0) -> Bool {
      if trustedNames.contains(name) { return true }
      guard depth < SaverPathAnalysis.maxPathNodes, let node = nodes[name] else { return false }
      let isFirst = {
        node.dataInputs.first.map { isCheckpointPath($0, depth: depth + 1) } ?? false
      }
      return switch node.op {
      case "Identity", "ShardedFilename", "ShardedFilespec": isFirst()
      case "StringJoin": isFirst() && node.dataInputs.dropFirst().allSatisfy { isSafeSuffix($0) }
      case "Pack" where depth == 0:
        !node.dataInputs.isEmpty && node.dataInputs.allSatisfy { isCheckpointPath($0, depth: 1) }
      default: false
      }
    }

    /// Returns whether a string that is appended to a path cannot leave its folder: a constant, or
    /// a choice between two constants.
    private func isSafeSuffix(_ name: String, depth: Int = 0) -> Bool {
      guard let node = nodes[name] else { return false }
      return switch node.op {
      case "Const": !node.containsParentPath
      case "Select", "SelectV2":
        depth == 0 && node.dataInputs.dropFirst().allSatisfy { isSafeSuffix($0, depth: 1) }
      default: false
      }
    }
  }
}
