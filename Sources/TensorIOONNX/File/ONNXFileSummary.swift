/// What a session has to know about the nodes of a file.
struct ONNXFileSummary: Sendable {
  /// The keys of the maps that outputs consist of, by the outputs' names.
  var mapKeys: [String: ONNXMapKeys] = [:]
  /// The outputs whose shapes the file does not declare.
  var unshapedOutputs: Set<String> = []
  /// The outputs that an operator without a graph of its own computes.
  var kernelOutputs: Set<String> = []

  init(_ file: ONNXFile) {
    unshapedOutputs = Set(file.graph.outputs.filter { !$0.hasShape }.map(\.name))
    let functions = Set(file.functions.map { "\($0.domain):\($0.name)" })
    let outputs = Set(file.graph.outputs.map(\.name))
    for node in file.graph.nodes where !outputs.isDisjoint(with: node.outputs) {
      if let keys = ONNXMapKeys(node), let output = node.outputs.first { mapKeys[output] = keys }
      let isFunction = functions.contains("\(node.domain):\(node.operatorType)")
      if !isFunction, node.attributes.allSatisfy(\.graphs.isEmpty) {
        kernelOutputs.formUnion(node.outputs)
      }
    }
  }
}

/// The keys of the maps that a ZipMap operator returns, which are the names of classes.
enum ONNXMapKeys: Sendable, Hashable {
  case strings([String])
  case integers([Int64])

  /// The keys of a node, or `nil` if it is not a ZipMap.
  init?(_ node: ONNXNode) {
    guard node.operatorType == "ZipMap" else { return nil }
    let strings = node.attribute("classlabels_strings")?.strings ?? []
    let integers = node.attribute("classlabels_int64s")?.integers ?? []
    guard strings.isEmpty != integers.isEmpty else { return nil }
    self = strings.isEmpty ? .integers(integers.map(Int64.init)) : .strings(strings)
  }

  var count: Int {
    switch self {
    case .strings(let keys): keys.count
    case .integers(let keys): keys.count
    }
  }

  /// The keys as text.
  var labels: [String] {
    switch self {
    case .strings(let keys): keys
    case .integers(let keys): keys.map { "\($0)" }
    }
  }
}
