/// Follows the names of files through a graph: a saver may read and write where it is told to, and
/// nowhere else.
struct SaverPaths {
  private static let operators = GraphReview.writers.union(GraphReview.readers)
  private static let calls: Set<String> = ["PartitionedCall", "StatefulPartitionedCall"]
  /// How deep functions may call each other on the way to a saver's operator.
  private static let deepest = 16
  /// How many nodes a name may come through.
  private static let longest = 64

  private let graph: GraphNodes
  private let functions: Set<String>
  /// The calls that were followed already.
  private var followed: Set<Call> = []
  /// The first node that goes astray.
  private(set) var astray: GraphNodes.Node?

  /// Follows the tensor that a saver takes the name of its files from.
  ///
  /// What the saver does not run is left over from another, and nobody runs it.
  init(_ graph: GraphNodes, _ saver: MetaGraph.Saver) {
    self.graph = graph
    functions = graph.functions(reaching: Self.operators)
    let nodes = graph.nodes(below: [saver.saveTensor.nodeName, saver.restoreOperation.nodeName])
    astray = astray(in: nodes, given: [saver.fileNameTensor.nodeName], depth: 0)
  }

  /// A function with those of its arguments that are the name of a saver's files.
  private struct Call: Hashable {
    let function: String
    let given: Set<String>
  }

  private mutating func astray(
    in nodes: [GraphNodes.Node], given: Set<String>, depth: Int
  ) -> GraphNodes.Node? {
    let scope = Scope(nodes, given: given)
    for node in nodes where node.runs(Self.operators, or: functions) {
      if let astray = astray(at: node, in: scope, depth: depth) { return astray }
    }
    return nil
  }

  private mutating func astray(
    at node: GraphNodes.Node, in scope: Scope, depth: Int
  ) -> GraphNodes.Node? {
    if Self.operators.contains(node.operation) {
      let paths = node.values.prefix(node.operation == "MergeV2Checkpoints" ? 2 : 1)
      return !paths.isEmpty && paths.allSatisfy { scope.isGiven($0) } ? nil : node
    }
    guard depth < Self.deepest, let name = called(by: node), let function = graph.functions[name]
    else { return node }
    let given = zip(function.arguments, node.values).filter { scope.isGiven($0.1) }.map(\.0)
    let call = Call(function: name, given: Set(given))
    guard followed.insert(call).inserted else { return nil }
    return astray(in: function.nodes, given: call.given, depth: depth + 1)
  }

  /// The function that a node calls with its own values; `nil` where that is not so simple.
  private func called(by node: GraphNodes.Node) -> String? {
    if graph.functions[node.operation] != nil { return node.operation }
    return Self.calls.contains(node.operation) && node.functions.count == 1
      ? node.functions[0] : nil
  }

  /// The nodes of a graph or function, and those of them that are the name of a saver's files.
  private struct Scope {
    private let nodes: [String: GraphNodes.Node]
    private let given: Set<String>

    init(_ nodes: [GraphNodes.Node], given: Set<String>) {
      self.nodes = Dictionary(nodes.map { ($0.name, $0) }) { first, _ in first }
      self.given = given
    }

    /// Whether a value is the name that was given, or one that begins with it.
    func isGiven(_ name: String, depth: Int = 0) -> Bool {
      if given.contains(name) { return true }
      guard depth < SaverPaths.longest, let node = nodes[name] else { return false }
      let isFirst = { node.values.first.map { isGiven($0, depth: depth + 1) } ?? false }
      return switch node.operation {
      case "Identity", "ShardedFilename", "ShardedFilespec": isFirst()
      case "StringJoin": isFirst() && node.values.dropFirst().allSatisfy { isEnding($0) }
      case "Pack" where depth == 0:
        !node.values.isEmpty && node.values.allSatisfy { isGiven($0, depth: 1) }
      default: false
      }
    }

    /// Whether a text that is added to a name stays below it: one constant, or one of two.
    private func isEnding(_ name: String, depth: Int = 0) -> Bool {
      guard let node = nodes[name] else { return false }
      return switch node.operation {
      case "Const": !node.leadsUpwards
      case "Select", "SelectV2":
        depth == 0 && node.values.dropFirst().allSatisfy { isEnding($0, depth: 1) }
      default: false
      }
    }
  }
}
