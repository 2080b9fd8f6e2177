internal import TensorIOCore

/// A graph in which tensors are found by the names that people use: those of the graph, and the
/// keys of its signatures.
struct NamedGraph: Sendable {
  let graph: LoadedGraph
  /// The signatures whose keys count, those of the mode first.
  let signatures: [MetaGraph.Signature]

  /// On which side of the graph a tensor is looked for.
  enum Side: String {
    case inputs, outputs, placeholders
  }

  /// The tensor of a name: of the graph, else of a signature's key.
  func tensor(_ name: String, _ side: Side) -> LoadedGraph.Place? {
    graph.tensor(named: name) ?? entry(name, side).flatMap { graph.tensor(named: $0.tensor) }
  }

  /// The operation of a name.
  func operation(_ name: String) -> LoadedGraph.Place? {
    graph.operation(named: name)
      ?? tensor(name, .outputs)
  }

  private func entry(_ key: String, _ side: Side) -> MetaGraph.Entry? {
    signatures.lazy.compactMap { signature in
      signature.entries(side).first { $0.key == key }
    }.first
  }

  /// What is wrong with a name for which there is nothing.
  func problem(_ name: String, path: String, wanted: String) -> Problem {
    let keys = signatures.flatMap { $0.inputs + $0.outputs }.map(\.key)
    let nearest = Spelling.nearest(to: name, among: keys + graph.operationNames)
    return Problem(
      .error, .unknownTensor, path: path,
      expected: "the name of one in the graph, or a signature's key",
      found: name, message: "the model has no \(wanted) '\(name)'",
      suggestion: nearest.map { "did you mean '\($0)'?" } ?? "`tensorio inspect` lists the names")
  }
}

extension MetaGraph.Signature {
  /// What is listed on one side.
  func entries(_ side: NamedGraph.Side) -> [MetaGraph.Entry] {
    side == .outputs ? outputs : inputs
  }
}

extension LoadedGraph {
  /// The name of a value as people write it: that of its operation, with the index of any but its
  /// first.
  func name(of place: Place) -> String {
    operationName(of: place) + (place.index == 0 ? "" : ":\(place.index)")
  }
}
