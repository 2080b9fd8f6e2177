extension ResourceVariables {
  /// Throws if an initial value is computed, so that no other value can be stored in its place.
  func requireConstantInitialValues(in model: ParsedModel) throws(ModelValidationError) {
    for variable in variables {
      try require(
        variable.constantRange(in: model) != nil, .variables,
        "the initial value of the variable '\(variable.name)' is not a constant, so that a trained"
          + " value cannot replace it")
    }
    let operators = initializerOperators(of: model)
    let other = operators.map(model.name).first {
      !["VAR_HANDLE", "ASSIGN_VARIABLE"].contains($0)
    }
    try require(
      other == nil, .variables,
      "the initialization of the variables uses the operator \(other ?? "")")
    try require(
      operators.count == 2 * variables.count, .variables,
      "the initialization assigns a variable several times")
  }

  /// Returns the model with other initial values, in the order of the variables.
  func model(
    _ model: ParsedModel, initializedTo values: [[UInt8]]
  ) throws(ModelValidationError) -> [UInt8] {
    guard let ranges = exclusiveRanges(in: model) else {
      var subgraphs = try VariableSubgraphs(model, self)
      return try subgraphs.initialized(to: values)
    }
    var bytes = model.bytes.copy(of: 0..<model.bytes.count)
    for (range, value) in zip(ranges, values) { bytes.replaceSubrange(range, with: value) }
    return bytes
  }

  private func initializerOperators(of model: ParsedModel) -> [ParsedOperator] {
    Set(variables.map(\.initializer)).sorted().flatMap { model.subgraphs[$0].operators }
  }

  /// Returns the ranges of the initial values in the file, or `nil` if one of them is used for
  /// anything else as well.
  private func exclusiveRanges(in model: ParsedModel) -> [Range<Int>]? {
    var uses: [Int: Int] = [:]
    for tensor in model.subgraphs.lazy.flatMap(\.tensors) {
      uses[tensor.bufferIndex, default: 0] += 1
    }
    for buffer in model.metadata.map(\.bufferIndex) + model.metadataBuffers {
      uses[buffer, default: 0] += 1
    }
    let tensors = variables.map { [$0.initializer, $0.initialValue] }
    let ranges = variables.compactMap { $0.constantRange(in: model) }
    guard Set(tensors).count == tensors.count, ranges.count == variables.count,
      variables.allSatisfy({ uses[$0.tensor.bufferIndex] == 1 }), !ranges.overlap
    else { return nil }
    return ranges
  }
}

extension ResourceVariables.Variable {
  /// The range of the initial value in the file; `nil` if it is not a constant of numbers.
  fileprivate func constantRange(in model: ParsedModel) -> Range<Int>? {
    guard model.constantByteCount(of: tensor) > 0, case .plain(let byteCount) = tensor.type,
      let count = tensor.shape.elementCount,
      let range = model.buffers[tensor.bufferIndex].byteRange,
      range.upperBound - range.lowerBound == UInt64(byteCount * count)
    else { return nil }
    return Int(range.lowerBound)..<Int(range.upperBound)
  }
}

extension [Range<Int>] {
  /// Whether two of the ranges have a common element.
  fileprivate var overlap: Bool {
    let sorted = sorted { $0.lowerBound < $1.lowerBound }
    return zip(sorted, sorted.dropFirst()).contains { $0.overlaps($1) }
  }
}
