internal import TensorIOCore

extension GraphReview {
  /// Throws when the graph has operators that are on no list.
  ///
  /// What the runtime does not have, or knows by name alone, is not dangerous but gone, and told so.
  func requireListed(known: () -> Set<String>) throws(ModelError) {
    if !functionNames.isEmpty {
      let hidden = functionNames.intersection(known()).subtracting(Self.listed).sorted()
      if let first = hidden.first {
        throw ModelError(.runtime, .untrustedOperators(hidden, node: first))
      }
    }
    guard !unlisted.isEmpty else { return }
    let gone = Set(unlisted.keys).subtracting(known()).union(unlisted.keys.filter(Self.isRetired))
    guard gone.isEmpty else { throw ModelError(.runtime, .missingOperators(gone.sorted())) }
    let operators = unlisted.keys.sorted()
    let node = operators.first.flatMap { unlisted[$0] } ?? ""
    throw ModelError(.runtime, .untrustedOperators(operators, node: node))
  }

  /// Whether TensorFlow still knows an operator's name, and can no longer run it.
  private static func isRetired(_ name: String) -> Bool {
    ["BoostedTrees", "IsBoostedTrees", "BatchFFT", "BatchIFFT"].contains { name.hasPrefix($0) }
  }

  /// Throws when what a loader runs by itself does more than to read variables.
  func requireHarmlessLoading(_ graph: MetaGraph) throws(ModelError) {
    if let astray {
      throw ModelError(.runtime, .untrustedOperators([astray.operation], node: astray.name))
    }
    let restore = graph.saver?.restoreOperation.nodeName
    for name in graph.initializers.map(\.nodeName) + [restore].compactMap(\.self) {
      try require(name, isNotIn: writing, "SaveV2")
      if name != restore { try require(name, isNotIn: reading, "RestoreV2") }
    }
  }

  /// Throws when computing a node reads or writes files.
  func requireHarmlessRun(_ node: String) throws(ModelError) {
    try require(node, isNotIn: writing, "SaveV2")
    try require(node, isNotIn: reading, "RestoreV2")
  }

  private func require(
    _ node: String, isNotIn nodes: Set<String>, _ operation: String
  ) throws(ModelError) {
    guard nodes.contains(node) else { return }
    throw ModelError(.runtime, .untrustedOperators([operation], node: node))
  }
}
