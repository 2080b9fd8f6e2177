/// What a session has to know about the nodes of a file.
struct ONNXFileSummary: Sendable {
  /// The keys of the maps that outputs consist of in the file, by the outputs' names;
  /// without maps that operators read.
  var zipMaps: [String: ONNXClassLabels] = [:]
  /// The outputs whose shapes the file does not declare.
  var unshapedOutputs: Set<String> = []
  /// The outputs that an operator without a graph of its own computes.
  var kernelOutputs: Set<String> = []

  /// The outputs of operators that extend a cache in place if it is given the memory for more tokens.
  var sharedCaches: Set<String> = []

  init(_ file: ONNXFile) {
    unshapedOutputs = Set(file.graph.outputs.filter { !$0.hasShape }.map(\.name))
    let functions = Set(file.functions.map { "\($0.domain):\($0.name)" })
    let outputs = Set(file.graph.outputs.map(\.name))
    for node in file.graph.nodes where !outputs.isDisjoint(with: node.outputs) {
      if let keys = ONNXClassLabels(zipMap: node), let output = node.outputs.first {
        zipMaps[output] = keys
      }
      // Keys and values, whose memory may be longer than the tokens in it.
      if node.operatorType == "GroupQueryAttention" {
        sharedCaches.formUnion(node.outputs.dropFirst().prefix(2))
      }
      let isFunction = functions.contains("\(node.domain):\(node.operatorType)")
      if !isFunction, node.attributes.allSatisfy(\.graphs.isEmpty) {
        kernelOutputs.formUnion(node.outputs)
      }
    }
    zipMaps = zipMaps.filter { map in
      !file.graph.nodes.contains { $0.inputs.contains(map.key) }
    }
  }
}
