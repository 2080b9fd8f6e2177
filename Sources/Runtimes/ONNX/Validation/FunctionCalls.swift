/// The calls between the functions of a file, which the runtime replaces by the functions' nodes.
struct FunctionCalls {
  /// The maximum depth of calls.
  private static let maxDepth = 64
  /// The maximum number of nodes after all calls are replaced.
  private static let maxNodeCount = 10_000_000

  private struct Key: Hashable {
    let domain: String
    let name: String
    let overload: String
  }

  private let graph: ONNXGraph
  private let functions: [Key: ONNXFunction]
  /// The number of nodes of each function after its calls are replaced.
  private var nodeCounts: [Key: Int] = [:]

  init(_ file: ONNXFile) {
    graph = file.graph
    functions = Dictionary(
      file.functions.map { (Key(domain: $0.domain, name: $0.name, overload: $0.overload), $0) }
    ) { first, _ in first }
  }

  /// Throws if a function calls itself, or if the calls expand to too many nodes.
  func validate() throws(ONNXValidationError) {
    guard !functions.isEmpty else { return }
    var calls = self
    _ = try calls.nodeCount(of: graph.nodes, depth: 0)
    for function in functions.values { _ = try calls.nodeCount(of: function.nodes, depth: 0) }
  }

  private mutating func nodeCount(
    of nodes: [ONNXNode], depth: Int
  ) throws(ONNXValidationError) -> Int {
    try require(
      depth <= Self.maxDepth, .functionCalls,
      "functions call themselves, or are nested deeper than \(Self.maxDepth) calls")
    var count = 0
    for node in nodes {
      count += try nodeCount(of: node, depth: depth)
      try require(
        count <= Self.maxNodeCount, .functionCalls,
        "the functions expand to more than \(Self.maxNodeCount) nodes")
    }
    return count
  }

  private mutating func nodeCount(of node: ONNXNode, depth: Int) throws(ONNXValidationError) -> Int
  {
    var count = 1
    for graph in node.attributes.flatMap(\.graphs) {
      count += try nodeCount(of: graph.nodes, depth: depth)
    }
    let key = Key(domain: node.domain, name: node.operatorType, overload: node.overload)
    guard let function = functions[key] else { return count }
    if let known = nodeCounts[key] { return count + known }
    let expanded = try nodeCount(of: function.nodes, depth: depth + 1)
    nodeCounts[key] = expanded
    return count + expanded
  }
}
