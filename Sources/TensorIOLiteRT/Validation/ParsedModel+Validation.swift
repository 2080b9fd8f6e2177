extension ParsedModel {
  /// All bytes that lie outside of tables are within the file.
  func requireDataInBounds() throws(ModelValidationError) {
    for (index, buffer) in buffers.enumerated() {
      try requireInBounds(buffer.byteRange, "buffer \(index)")
    }
    for graph in subgraphs {
      for (index, entry) in graph.operators.enumerated() {
        try requireInBounds(entry.largeCustomOptionsRange, "the options of operator \(index)")
      }
    }
  }

  private func requireInBounds(_ place: Range<UInt64>?, _ what: String) throws(ModelValidationError) {
    guard let place else { return }
    try require(place.upperBound <= UInt64(bytes.count), .dataBounds, "\(what) lies outside the file")
  }

  func requireValidMetadata() throws(ModelValidationError) {
    for (index, entry) in metadata.enumerated() {
      try require(entry.isNamed, .metadata, "metadata \(index) has no name")
    }
    for buffer in metadata.map(\.bufferIndex) + metadataBuffers {
      let isThere = buffers.indices.contains(buffer) && buffers[buffer].byteRange != nil
      try require(isThere, .metadata, "its metadata is in buffer \(buffer), which is not there")
    }
  }

  func requireValidSignatures() throws(ModelValidationError) {
    // Once for each graph: any number of signatures may be about the same one.
    let ends = subgraphs.map { (inputs: Set($0.inputs), outputs: Set($0.outputs)) }
    for (index, signature) in signatures.enumerated() {
      try require(
        ends.indices.contains(signature.subgraphIndex), .signatures,
        "signature \(index) is about graph \(signature.subgraphIndex) of \(subgraphs.count)")
      try require(signature.hasTensorNames, .names, "signature \(index) has a tensor without a name")
      let known = ends[signature.subgraphIndex]
      let stranger =
        signature.inputs.first { !known.inputs.contains($0) }
        ?? signature.outputs.first { !known.outputs.contains($0) }
      try require(
        stranger == nil, .signatures,
        "signature \(index) is about tensor \(stranger ?? 0), which its graph does not show")
    }
  }

  /// The runtime makes texts of the names of what callers see, and those of nothing kill it.
  func requireTensorNames() throws(ModelValidationError) {
    for graph in callableSubgraphs.map({ subgraphs[$0] }) {
      for tensor in graph.inputs + graph.outputs {
        try require(
          graph.tensors[tensor].isNamed, .names,
          "tensor \(tensor), an input or output, has no name that can be read")
      }
    }
  }
}

// MARK: - Graphs that run graphs

extension ParsedModel {
  /// How many graphs may each run the next.
  static let maxCallDepth = 32

  /// No graph runs itself, however indirectly.
  func requireAcyclicSubgraphCalls() throws(ModelValidationError) {
    var callees: [[Int]] = []
    for graph in subgraphs {
      callees.append(try graph.callees(operatorCodes, of: subgraphs.count))
    }
    // What runs only graphs that are known to end, ends.
    var ends = callees.map(\.isEmpty)
    for _ in 0..<Self.maxCallDepth {
      let next = callees.map { $0.allSatisfy { ends[$0] } }
      guard next != ends else { break }
      ends = next
    }
    let endless = ends.firstIndex(of: false)
    try require(endless == nil, .subgraphCalls, "graph \(endless ?? 0) runs itself, or too many in a row")
  }
}

extension ParsedSubgraph {
  /// The graphs that operators of this one run, each of which there is.
  fileprivate func callees(
    _ kinds: [OperatorTraits], of count: Int
  ) throws(ModelValidationError) -> [Int] {
    var callees: Set<Int> = []
    for (index, entry) in operators.enumerated() {
      for callee in try entry.calledSubgraphs(kinds[entry.operatorCodeIndex]) {
        try require(
          (0..<count).contains(callee), .subgraphCalls, "operator \(index) runs graph \(callee) of \(count)"
        )
        callees.insert(callee)
      }
    }
    return callees.sorted()
  }
}

/// The values that tensors have in the file.
extension ParsedModel {
  /// How many bytes of values a tensor has; the first buffer stands for none.
  func constantByteCount(of tensor: ParsedTensor) -> UInt64 {
    guard tensor.bufferIndex > 0, buffers.indices.contains(tensor.bufferIndex) else { return 0 }
    return buffers[tensor.bufferIndex].byteCount
  }

  /// The few whole numbers that a tensor holds, such as a shape; `nil` when it is no such tensor.
  func constantIntegers(of tensor: ParsedTensor) -> [Int]? {
    guard case .int32 = tensor.valueKind, let count = tensor.shape.elementCount,
      count <= TensorValidator.maxRank,
      constantByteCount(of: tensor) == UInt64(4 * count), let start = constantOffset(of: tensor)
    else { return nil }
    return (0..<count).compactMap { bytes.integer(Int32.self, at: start + 4 * $0).map(Int.init) }
  }

  private func constantOffset(of tensor: ParsedTensor) -> Int? {
    buffers[tensor.bufferIndex].byteRange.flatMap { Int(exactly: $0.lowerBound) }
  }
}

// MARK: - Texts

extension ParsedModel {
  /// How many texts a constant says that it has.
  func stringCount(of tensor: ParsedTensor) -> Int {
    constantOffset(of: tensor).flatMap { bytes.integer(Int32.self, at: $0) }.map(Int.init) ?? 0
  }

  /// Each text of a constant lies within it.
  func requireValidStrings() throws(ModelValidationError) {
    let tensors = subgraphs.flatMap(\.tensors).filter { $0.type == .string && constantByteCount(of: $0) > 0 }
    var steps = bytes.count
    for buffer in Set(tensors.map(\.bufferIndex)).sorted() {
      guard let place = buffers[buffer].byteRange else { continue }
      let texts = Int(clamping: place.lowerBound)..<Int(clamping: place.upperBound)
      steps -= texts.count
      try require(steps >= 0, .traversalBudget, "it uses the same bytes again and again")
      try require(
        hasValidStrings(in: texts), .strings, "buffer \(buffer) refers to texts that are not there")
    }
  }

  private func hasValidStrings(in place: Range<Int>) -> Bool {
    guard let count = bytes.integer(Int32.self, at: place.lowerBound), count >= 0,
      Int(count) <= place.count / 4 - 2
    else { return false }
    var last = 4 * (Int(count) + 2)
    for index in 1...Int(count) + 1 {
      let next = Int(bytes.integer(Int32.self, at: place.lowerBound + 4 * index) ?? -1)
      guard (last...place.count).contains(next) else { return false }
      last = next
    }
    return true
  }
}
