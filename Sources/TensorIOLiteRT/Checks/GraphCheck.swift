/// Looks through one graph of a model.
struct GraphCheck {
  let graph: GraphOutline
  let model: ModelOutline

  init(_ graph: GraphOutline, of model: ModelOutline) {
    self.graph = graph
    self.model = model
  }

  func check() throws(ModelProblem) {
    for (index, tensor) in graph.tensors.enumerated() {
      try TensorCheck(tensor, index, in: self).check()
    }
    try requireEnds()
    for index in graph.operators.indices {
      try requireOperands(index)
      try requireOptions(index)
      try requireScales(index)
    }
    try requireOrder()
  }

  func has(_ tensor: Int) -> Bool { graph.tensors.indices.contains(tensor) }

  private func requireEnds() throws(ModelProblem) {
    for (what, tensors) in [("input", graph.inputs), ("output", graph.outputs)] {
      for (index, tensor) in tensors.enumerated() {
        try require(
          has(tensor), .ends, "\(what) \(index) is tensor \(tensor) of \(graph.tensors.count)")
      }
    }
  }

  private func requireOperands(_ index: Int) throws(ModelProblem) {
    let entry = graph.operators[index]
    let (kinds, count) = (model.kinds, graph.tensors.count)
    try require(
      kinds.indices.contains(entry.kind), .kinds,
      "operator \(index) is of kind \(entry.kind) of \(kinds.count)")
    let kind = kinds[entry.kind]
    for (place, tensor) in entry.inputs.enumerated() {
      guard tensor != -1 else {
        try require(
          kind.optionalInputs?.contains(place) ?? true, .operands,
          "operator \(index) (\(kind.name)) has no input \(place)")
        continue
      }
      try require(has(tensor), .operands, "operator \(index) reads tensor \(tensor) of \(count)")
    }
    for tensor in entry.outputs {
      try require(has(tensor), .operands, "operator \(index) writes tensor \(tensor) of \(count)")
    }
  }

  private func requireOptions(_ index: Int) throws(ModelProblem) {
    let entry = graph.operators[index]
    let kind = model.kinds[entry.kind]
    let isUnderstood = entry.options != nil && kind.optionsForm == entry.optionsForm
    try require(
      kind.optionsForm == nil || isUnderstood, .options,
      "operator \(index) (\(kind.name)) has no options of its own")
    for divisor in kind.divisors {
      let value = try entry.options?.option(divisor.field, orElse: divisor.standard) ?? 0
      try require(
        value > 0, .options,
        "operator \(index) (\(kind.name)) has the \(divisor.name) \(value)")
    }
  }
}

extension GraphCheck {
  private func requireScales(_ index: Int) throws(ModelProblem) {
    let entry = graph.operators[index]
    guard model.kinds[entry.kind].needsScales else { return }
    for tensor in entry.inputs + entry.outputs where tensor != -1 {
      try require(
        !graph.tensors[tensor].lacksScales, .quantization,
        "operator \(index) computes with tensor \(tensor), which has no scale")
    }
  }
}

extension TensorOutline {
  /// Whether its elements are bytes, and nothing says what they stand for.
  fileprivate var lacksScales: Bool {
    guard case .quantized = values, type == .plain(byteCount: 1) else { return false }
    return quantization.map { $0.scales.isEmpty && $0.tensors.isEmpty } ?? true
  }
}

// MARK: - What is written before what

extension GraphCheck {
  private func requireOrder() throws(ModelProblem) {
    var isWritten = graph.tensors.map { model.valueBytes(of: $0) > 0 }
    for input in graph.inputs { isWritten[input] = true }
    for (index, entry) in graph.operators.enumerated() {
      for tensor in entry.inputs where tensor != -1 {
        try require(
          isWritten[tensor] || needsNoWriter(tensor), .order,
          "operator \(index) reads tensor \(tensor), which nothing has written")
      }
      for tensor in entry.outputs where !graph.tensors[tensor].isVariable {
        try require(
          !isWritten[tensor], .writing,
          "operator \(index) writes tensor \(tensor), which has its values already")
        isWritten[tensor] = true
      }
    }
    for (index, tensor) in graph.outputs.enumerated() {
      try require(
        isWritten[tensor] || needsNoWriter(tensor), .order,
        "output \(index) is tensor \(tensor), which nothing writes")
    }
  }

  /// Variables keep their values from run to run, and nothing has to be written to be empty.
  private func needsNoWriter(_ tensor: Int) -> Bool {
    graph.tensors[tensor].isVariable || graph.tensors[tensor].shape.contains(0)
  }
}
