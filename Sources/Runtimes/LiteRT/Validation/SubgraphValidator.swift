/// Validates one subgraph of a model.
struct SubgraphValidator {
  let graph: ParsedSubgraph
  let model: ParsedModel

  init(_ graph: ParsedSubgraph, of model: ParsedModel) {
    self.graph = graph
    self.model = model
  }

  func validate() throws(ModelValidationError) {
    for (index, tensor) in graph.tensors.enumerated() {
      try TensorValidator(tensor, index, in: self).validate()
    }
    try requireValidInputsAndOutputs()
    for index in graph.operators.indices {
      try requireValidOperands(index)
      try requireValidOptions(index)
      try requireQuantizationScales(index)
    }
    try requireTopologicalOrder()
  }

  func containsTensor(_ tensor: Int) -> Bool { graph.tensors.indices.contains(tensor) }

  private func requireValidInputsAndOutputs() throws(ModelValidationError) {
    for (side, tensors) in [("input", graph.inputs), ("output", graph.outputs)] {
      for (index, tensor) in tensors.enumerated() {
        try require(
          containsTensor(tensor), .inputsAndOutputs,
          "\(side) \(index) refers to tensor \(tensor), but there are \(graph.tensors.count)")
      }
    }
  }

  private func requireValidOperands(_ index: Int) throws(ModelValidationError) {
    let entry = graph.operators[index]
    let (codes, count) = (model.operatorCodes, graph.tensors.count)
    try require(
      codes.indices.contains(entry.operatorCodeIndex), .operatorCodes,
      "operator \(index) refers to operator code \(entry.operatorCodeIndex), but there are"
        + " \(codes.count)")
    let traits = codes[entry.operatorCodeIndex]
    for (position, tensor) in entry.inputs.enumerated() {
      guard tensor != -1 else {
        try require(
          traits.optionalInputs?.contains(position) ?? true, .operands,
          "operator \(index) (\(traits.name)) lacks its input \(position)")
        continue
      }
      try require(
        containsTensor(tensor), .operands,
        "operator \(index) reads tensor \(tensor), but there are \(count)")
    }
    for tensor in entry.outputs + (entry.intermediates?.tensors ?? [])
    where !containsTensor(tensor) {
      throw ModelValidationError(
        .operands, "operator \(index) writes tensor \(tensor), but there are \(count)")
    }
  }

  private func requireValidOptions(_ index: Int) throws(ModelValidationError) {
    let entry = graph.operators[index]
    let traits = model.operatorCodes[entry.operatorCodeIndex]
    let hasRequiredOptions =
      entry.builtinOptions != nil && traits.requiredOptionsType == entry.builtinOptionsType
    try require(
      traits.requiredOptionsType == nil || hasRequiredOptions, .options,
      "operator \(index) (\(traits.name)) lacks its options")
    for option in traits.positiveOptions {
      let value = try entry.builtinOptions?.option(option.field, default: option.defaultValue) ?? 0
      try require(
        value > 0, .options,
        "operator \(index) (\(traits.name)) has \(option.name) \(value), expected at least 1")
    }
  }
}

extension SubgraphValidator {
  private func requireQuantizationScales(_ index: Int) throws(ModelValidationError) {
    let entry = graph.operators[index]
    guard model.operatorCodes[entry.operatorCodeIndex].requiresScales else { return }
    for tensor in entry.inputs + entry.outputs where tensor != -1 {
      try require(
        !graph.tensors[tensor].lacksScales, .quantization,
        "operator \(index) requires a scale for tensor \(tensor)")
    }
  }
}

extension ParsedTensor {
  /// Whether the tensor has an 8-bit type but no quantization scales.
  fileprivate var lacksScales: Bool {
    guard case .quantized = valueKind, type == .plain(byteCount: 1) else { return false }
    return quantization.map { $0.scales.isEmpty && $0.parameterTensors.isEmpty } ?? true
  }
}

// MARK: - Execution order

extension SubgraphValidator {
  private func requireTopologicalOrder() throws(ModelValidationError) {
    var isWritten = graph.tensors.map { model.constantByteCount(of: $0) > 0 }
    for input in graph.inputs { isWritten[input] = true }
    for (index, entry) in graph.operators.enumerated() {
      for tensor in entry.inputs where tensor != -1 {
        try require(
          isWritten[tensor] || isReadableWithoutProducer(tensor), .executionOrder,
          "operator \(index) reads tensor \(tensor) before it is written")
      }
      for tensor in entry.outputs where !graph.tensors[tensor].isVariable {
        try require(
          !isWritten[tensor], .singleAssignment,
          "operator \(index) writes tensor \(tensor), which already has a value")
        isWritten[tensor] = true
      }
    }
    for (index, tensor) in graph.outputs.enumerated() {
      try require(
        isWritten[tensor] || isReadableWithoutProducer(tensor), .executionOrder,
        "output \(index) is tensor \(tensor), which is never written")
    }
  }

  /// Returns whether a tensor may be read although no operator writes it: variables keep their
  /// values between runs, and empty tensors have none.
  private func isReadableWithoutProducer(_ tensor: Int) -> Bool {
    graph.tensors[tensor].isVariable || graph.tensors[tensor].shape.contains(0)
  }
}
