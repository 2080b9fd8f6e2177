extension ParsedModel {
  /// Requires that all data stored outside of tables is within the file.
  func requireDataInBounds() throws(ModelValidationError) {
    for (index, buffer) in buffers.enumerated() {
      try requireInBounds(buffer.byteRange, "buffer \(index)")
    }
    for graph in subgraphs {
      for (index, entry) in graph.operators.enumerated() {
        try requireInBounds(entry.largeCustomOptionsRange, "options of operator \(index)")
      }
    }
  }

  private func requireInBounds(
    _ range: Range<UInt64>?, _ subject: String
  ) throws(ModelValidationError) {
    guard let range else { return }
    try require(
      range.upperBound <= UInt64(bytes.count), .dataBounds, "\(subject): data outside the file")
  }

  func requireValidMetadata() throws(ModelValidationError) {
    for (index, entry) in metadata.enumerated() {
      try require(entry.isNamed, .metadata, "metadata entry \(index) has no name")
    }
    for buffer in metadata.map(\.bufferIndex) + metadataBuffers {
      let exists = buffers.indices.contains(buffer) && buffers[buffer].byteRange != nil
      try require(exists, .metadata, "the metadata buffer \(buffer) is missing or empty")
    }
  }

  func requireValidSignatures() throws(ModelValidationError) {
    // Sets are built once per subgraph, because any number of signatures may share one.
    let tensors = subgraphs.map { (inputs: Set($0.inputs), outputs: Set($0.outputs)) }
    for (index, signature) in signatures.enumerated() {
      try require(
        tensors.indices.contains(signature.subgraphIndex), .signatures,
        "signature \(index) refers to subgraph \(signature.subgraphIndex), but there are"
          + " \(subgraphs.count)")
      try require(signature.hasTensorNames, .names, "signature \(index) has an unnamed tensor")
      let known = tensors[signature.subgraphIndex]
      let unknown =
        signature.inputs.first { !known.inputs.contains($0) }
        ?? signature.outputs.first { !known.outputs.contains($0) }
      try require(
        unknown == nil, .signatures,
        "signature \(index) lists tensor \(unknown ?? 0), which is not an input or output of its"
          + " subgraph")
    }
  }

  /// Requires names for all inputs and outputs, because LiteRT crashes on a null name.
  func requireTensorNames() throws(ModelValidationError) {
    for graph in callableSubgraphs.map({ subgraphs[$0] }) {
      for tensor in graph.inputs + graph.outputs {
        try require(
          graph.tensors[tensor].isNamed, .names,
          "tensor \(tensor) is an input or output but has no valid name")
      }
    }
  }
}

// MARK: - Subgraph calls

extension ParsedModel {
  /// The maximum depth of subgraph calls.
  static let maxCallDepth = 32

  /// Requires that no subgraph calls itself, directly or indirectly.
  func requireAcyclicSubgraphCalls() throws(ModelValidationError) {
    var callees: [[Int]] = []
    for graph in subgraphs {
      callees.append(try graph.callees(operatorCodes, of: subgraphs.count))
    }
    // A subgraph terminates if all subgraphs that it calls do.
    var terminates = callees.map { $0.isEmpty }
    for _ in 0..<Self.maxCallDepth {
      let next = callees.map { $0.allSatisfy { terminates[$0] } }
      guard next != terminates else { break }
      terminates = next
    }
    let recursive = terminates.firstIndex(of: false)
    try require(
      recursive == nil, .subgraphCalls,
      "subgraph \(recursive ?? 0) calls itself, or calls are nested deeper than \(Self.maxCallDepth)"
    )
  }
}

extension ParsedSubgraph {
  /// Returns the indices of the subgraphs that the operators call, and requires that they exist.
  fileprivate func callees(
    _ codes: [OperatorTraits], of count: Int
  ) throws(ModelValidationError) -> [Int] {
    var callees: Set<Int> = []
    for (index, entry) in operators.enumerated() {
      for callee in try entry.calledSubgraphs(codes[entry.operatorCodeIndex]) {
        try require(
          (0..<count).contains(callee), .subgraphCalls,
          "operator \(index) calls subgraph \(callee), but there are \(count)")
        callees.insert(callee)
      }
    }
    return callees.sorted()
  }
}

/// Constant data of tensors.
extension ParsedModel {
  /// Returns the byte count of a tensor's data; buffer 0 means that there is none.
  func constantByteCount(of tensor: ParsedTensor) -> UInt64 {
    guard tensor.bufferIndex > 0, buffers.indices.contains(tensor.bufferIndex) else { return 0 }
    return buffers[tensor.bufferIndex].byteCount
  }

  /// Returns the integers of a small constant such as a shape, or `nil` for any other tensor.
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

// MARK: - Strings

extension ParsedModel {
  /// Returns the number of strings that a constant declares.
  func stringCount(of tensor: ParsedTensor) -> Int {
    constantOffset(of: tensor).flatMap { bytes.integer(Int32.self, at: $0) }.map(Int.init) ?? 0
  }

  /// Requires that the strings of constants are within their buffers.
  func requireValidStrings() throws(ModelValidationError) {
    let tensors = subgraphs.flatMap(\.tensors).filter {
      $0.type == .string && constantByteCount(of: $0) > 0
    }
    var remainingBytes = bytes.count
    for buffer in Set(tensors.map(\.bufferIndex)).sorted() {
      guard let byteRange = buffers[buffer].byteRange else { continue }
      let range = Int(clamping: byteRange.lowerBound)..<Int(clamping: byteRange.upperBound)
      remainingBytes -= range.count
      try require(
        remainingBytes >= 0, .traversalBudget, "buffers of strings share too many of the same bytes"
      )
      try require(
        hasValidStrings(in: range), .strings, "buffer \(buffer) has strings outside the buffer")
    }
  }

  private func hasValidStrings(in range: Range<Int>) -> Bool {
    guard let count = bytes.integer(Int32.self, at: range.lowerBound), count >= 0,
      Int(count) <= range.count / 4 - 2
    else { return false }
    var last = 4 * (Int(count) + 2)
    for index in 1...Int(count) + 1 {
      let next = Int(bytes.integer(Int32.self, at: range.lowerBound + 4 * index) ?? -1)
      guard (last...range.count).contains(next) else { return false }
      last = next
    }
    return true
  }
}
