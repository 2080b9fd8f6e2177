extension ModelOutline {
  /// All bytes that lie outside of tables are within the file.
  func requireData() throws(ModelProblem) {
    for (index, buffer) in buffers.enumerated() {
      try requireInside(buffer.place, "buffer \(index)")
    }
    for graph in graphs {
      for (index, entry) in graph.operators.enumerated() {
        try requireInside(entry.distantOptions, "the options of operator \(index)")
      }
    }
  }

  private func requireInside(_ place: Range<UInt64>?, _ what: String) throws(ModelProblem) {
    guard let place else { return }
    try require(place.upperBound <= UInt64(bytes.count), .data, "\(what) lies outside the file")
  }

  func requireMetadata() throws(ModelProblem) {
    for (index, entry) in metadata.enumerated() {
      try require(entry.isNamed, .metadata, "metadata \(index) has no name")
    }
    for buffer in metadata.map(\.buffer) + metadataBuffers {
      let isThere = buffers.indices.contains(buffer) && buffers[buffer].place != nil
      try require(isThere, .metadata, "its metadata is in buffer \(buffer), which is not there")
    }
  }

  func requireSignatures() throws(ModelProblem) {
    // Once for each graph: any number of signatures may be about the same one.
    let ends = graphs.map { (inputs: Set($0.inputs), outputs: Set($0.outputs)) }
    for (index, signature) in signatures.enumerated() {
      try require(
        ends.indices.contains(signature.graph), .signatures,
        "signature \(index) is about graph \(signature.graph) of \(graphs.count)")
      try require(signature.isNamed, .names, "signature \(index) has a tensor without a name")
      let known = ends[signature.graph]
      let stranger =
        signature.inputs.first { !known.inputs.contains($0) }
        ?? signature.outputs.first { !known.outputs.contains($0) }
      try require(
        stranger == nil, .signatures,
        "signature \(index) is about tensor \(stranger ?? 0), which its graph does not show")
    }
  }

  /// The runtime makes texts of the names of what callers see, and those of nothing kill it.
  func requireNames() throws(ModelProblem) {
    for graph in exposed.map({ graphs[$0] }) {
      for tensor in graph.inputs + graph.outputs {
        try require(
          graph.tensors[tensor].isNamed, .names,
          "tensor \(tensor), an input or output, has no name that can be read")
      }
    }
  }
}

// MARK: - Graphs that run graphs

extension ModelOutline {
  /// How many graphs may each run the next.
  static let deepestCall = 32

  /// No graph runs itself, however indirectly.
  func requireFiniteCalls() throws(ModelProblem) {
    var callees: [[Int]] = []
    for graph in graphs {
      callees.append(try graph.callees(kinds, of: graphs.count))
    }
    // What runs only graphs that are known to end, ends.
    var ends = callees.map(\.isEmpty)
    for _ in 0..<Self.deepestCall {
      let next = callees.map { $0.allSatisfy { ends[$0] } }
      guard next != ends else { break }
      ends = next
    }
    let endless = ends.firstIndex(of: false)
    try require(endless == nil, .calls, "graph \(endless ?? 0) runs itself, or too many in a row")
  }
}

extension GraphOutline {
  /// The graphs that operators of this one run, each of which there is.
  fileprivate func callees(
    _ kinds: [OperatorKind], of count: Int
  ) throws(ModelProblem) -> [Int] {
    var callees: Set<Int> = []
    for (index, entry) in operators.enumerated() {
      for callee in try entry.callees(kinds[entry.kind]) {
        try require(
          (0..<count).contains(callee), .calls, "operator \(index) runs graph \(callee) of \(count)"
        )
        callees.insert(callee)
      }
    }
    return callees.sorted()
  }
}
