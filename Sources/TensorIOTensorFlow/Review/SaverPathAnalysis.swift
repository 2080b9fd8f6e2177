/// Follows the names of files through a graph: a saver may read and write where it is told to, and
/// nowhere else.
struct SaverPathAnalysis {
  private static let fileOperators = GraphReview.writeOperators.union(GraphReview.readOperators)
  private static let callOperators: Set<String> = ["PartitionedCall", "StatefulPartitionedCall"]
  /// How deep functions may call each other on the way to a saver's operator.
  private static let maxCallDepth = 16
  /// How many nodes a name may come through.
  private static let maxPathNodes = 64

  private let graph: GraphDefinition
  private let functions: Set<String>
  /// The calls that were followed already.
  private var visitedCalls: Set<Call> = []
  /// The first node that goes astray.
  private(set) var escapingNode: GraphDefinition.Node?

  /// Follows the tensor that a saver takes the name of its files from.
  ///
  /// What the saver does not run is left over from another, and nobody runs it.
  init(_ graph: GraphDefinition, _ saver: MetaGraph.Saver) {
    self.graph = graph
    functions = graph.functions(reaching: Self.fileOperators)
    let nodes = graph.nodes(upstreamOf: [saver.saveTensor.nodeName, saver.restoreOperation.nodeName])
    escapingNode = escapingNode(in: nodes, given: [saver.filenameTensor.nodeName], depth: 0)
  }

  /// A function with those of its arguments that are the name of a saver's files.
  private struct Call: Hashable {
    let function: String
    let trustedArguments: Set<String>
  }

  private mutating func escapingNode(
    in nodes: [GraphDefinition.Node], given: Set<String>, depth: Int
  ) -> GraphDefinition.Node? {
    let scope = Scope(nodes, trusted: given)
    for node in nodes where node.invokes(Self.fileOperators, or: functions) {
      if let astray = escapingNode(at: node, in: scope, depth: depth) { return astray }
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
    guard depth < Self.maxCallDepth, let name = calledFunction(of: node), let function = graph.functions[name]
    else { return node }
    let given = zip(function.arguments, node.dataInputs).filter { scope.isCheckpointPath($0.1) }.map(\.0)
    let call = Call(function: name, trustedArguments: Set(given))
    guard visitedCalls.insert(call).inserted else { return nil }
    return escapingNode(in: function.nodes, given: call.trustedArguments, depth: depth + 1)
  }

  /// The function that a node calls with its own values; `nil` where that is not so simple.
  private func calledFunction(of node: GraphDefinition.Node) -> String? {
    if graph.functions[node.op] != nil { return node.op }
    return Self.callOperators.contains(node.op) && node.calledFunctions.count == 1
      ? node.calledFunctions[0] : nil
  }

  /// The nodes of a graph or function, and those of them that are the name of a saver's files.
  private struct Scope {
    private let nodes: [String: GraphDefinition.Node]
    private let trustedNames: Set<String>

    init(_ nodes: [GraphDefinition.Node], trusted: Set<String>) {
      self.nodes = Dictionary(nodes.map { ($0.name, $0) }) { first, _ in first }
      self.trustedNames = trusted
    }

    /// Whether a value is the name that was given, or one that begins with it.
    func isCheckpointPath(_ name: String, depth: Int = 0) -> Bool {
      if trustedNames.contains(name) { return true }
      guard depth < SaverPathAnalysis.maxPathNodes, let node = nodes[name] else { return false }
      let isFirst = { node.dataInputs.first.map { isCheckpointPath($0, depth: depth + 1) } ?? false }
      return switch node.op {
      case "Identity", "ShardedFilename", "ShardedFilespec": isFirst()
      case "StringJoin": isFirst() && node.dataInputs.dropFirst().allSatisfy { isSafeSuffix($0) }
      case "Pack" where depth == 0:
        !node.dataInputs.isEmpty && node.dataInputs.allSatisfy { isCheckpointPath($0, depth: 1) }
      default: false
      }
    }

    /// Whether a text that is added to a name stays below it: one constant, or one of two.
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
