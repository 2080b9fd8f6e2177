/// Looks through one graph of a model.
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
    for (what, tensors) in [("input", graph.inputs), ("output", graph.outputs)] {
      for (index, tensor) in tensors.enumerated() {
        try require(
          containsTensor(tensor), .inputsAndOutputs, "\(what) \(index) is tensor \(tensor) of \(graph.tensors.count)")
      }
    }
  }

  private func requireValidOperands(_ index: Int) throws(ModelValidationError) {
    let entry = graph.operators[index]
    let (kinds, count) = (model.operatorCodes, graph.tensors.count)
    try require(
      kinds.indices.contains(entry.operatorCodeIndex), .operatorCodes,
      "operator \(index) is of kind \(entry.operatorCodeIndex) of \(kinds.count)")
    let kind = kinds[entry.operatorCodeIndex]
    for (place, tensor) in entry.inputs.enumerated() {
      guard tensor != -1 else {
        try require(
          kind.optionalInputs?.contains(place) ?? true, .operands,
          "operator \(index) (\(kind.name)) has no input \(place)")
        continue
      }
      try require(containsTensor(tensor), .operands, "operator \(index) reads tensor \(tensor) of \(count)")
    }
    for tensor in entry.outputs {
      try require(containsTensor(tensor), .operands, "operator \(index) writes tensor \(tensor) of \(count)")
    }
  }

  private func requireValidOptions(_ index: Int) throws(ModelValidationError) {
    let entry = graph.operators[index]
    let kind = model.operatorCodes[entry.operatorCodeIndex]
    let isUnderstood = entry.builtinOptions != nil && kind.requiredOptionsType == entry.builtinOptionsType
    try require(
      kind.requiredOptionsType == nil || isUnderstood, .options,
      "operator \(index) (\(kind.name)) has no options of its own")
    for divisor in kind.positiveOptions {
      let value = try entry.builtinOptions?.option(divisor.field, default: divisor.standard) ?? 0
      try require(
        value > 0, .options,
        "operator \(index) (\(kind.name)) has the \(divisor.name) \(value)")
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
        "operator \(index) computes with tensor \(tensor), which has no scale")
    }
  }
}

extension ParsedTensor {
  /// Whether its elements are bytes, and nothing says what they stand for.
  fileprivate var lacksScales: Bool {
    guard case .quantized = valueKind, type == .plain(byteCount: 1) else { return false }
    return quantization.map { $0.scales.isEmpty && $0.parameterTensors.isEmpty } ?? true
  }
}

// MARK: - What is written before what

extension SubgraphValidator {
  private func requireTopologicalOrder() throws(ModelValidationError) {
    var isWritten = graph.tensors.map { model.constantByteCount(of: $0) > 0 }
    for input in graph.inputs { isWritten[input] = true }
    for (index, entry) in graph.operators.enumerated() {
      for tensor in entry.inputs where tensor != -1 {
        try require(
          isWritten[tensor] || isReadableWithoutProducer(tensor), .executionOrder,
          "operator \(index) reads tensor \(tensor), which nothing has written")
      }
      for tensor in entry.outputs where !graph.tensors[tensor].isVariable {
        try require(
          !isWritten[tensor], .singleAssignment,
          "operator \(index) writes tensor \(tensor), which has its values already")
        isWritten[tensor] = true
      }
    }
    for (index, tensor) in graph.outputs.enumerated() {
      try require(
        isWritten[tensor] || isReadableWithoutProducer(tensor), .executionOrder,
        "output \(index) is tensor \(tensor), which nothing writes")
    }
  }

  /// Variables keep their values from run to run, and nothing has to be written to be empty.
  private func isReadableWithoutProducer(_ tensor: Int) -> Bool {
    graph.tensors[tensor].isVariable || graph.tensors[tensor].shape.contains(0)
  }
}
