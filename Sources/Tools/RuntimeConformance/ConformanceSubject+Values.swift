import TensorIOBundle
import TensorIOCore

// The checks of signatures, outputs and batches.

extension ConformanceSubject {
  func checkSignature() throws(ConformanceStop) {
    try require(
      signature.inputs.count == inputs.count && signature.outputs.count == outputs.count,
      "the signature has \(signature.inputs.count) inputs and \(signature.outputs.count) outputs, "
        + "the bundle \(inputs.count) and \(outputs.count)")
    for (layer, tensor) in zip(inputs + outputs, signature.inputs + signature.outputs) {
      try require(!tensor.name.isEmpty, "the tensor of '\(layer.name)' has no name")
      try require(
        tensor.shape.dimensions.allSatisfy { ($0 ?? 0) >= 0 },
        "the tensor '\(tensor.name)' has the shape \(tensor.shape)")
    }
    for sample in model.samples {
      for (layer, tensor) in zip(inputs, signature.inputs) {
        try checkType(of: input(layer.name, of: sample), tensor)
      }
      for (layer, tensor) in zip(outputs, signature.outputs) {
        if let output = sample.outputs[layer.name] { try checkType(of: output, tensor) }
      }
    }
  }

  private func checkType(of value: Tensor, _ tensor: TensorInfo) throws(ConformanceStop) {
    try require(
      value.elementType == tensor.elementType,
      "the tensor '\(tensor.name)' has the element type \(tensor.elementType), "
        + "the sample \(value.elementType)")
    try require(
      tensor.shape.isDynamic || tensor.shape.elementCount == value.count,
      "the tensor '\(tensor.name)' has the shape \(tensor.shape), the sample \(value.shape)")
  }

  func checkOutputs() throws(ConformanceStop) {
    let opened = try open()
    for _ in 0..<3 {
      for sample in model.samples { try run(opened, on: sample) }
    }
  }

  func checkElementTypes() throws(ConformanceStop) {
    let opened = try open()
    for sample in model.samples {
      let output = try attempt("running the model") { () throws(ModelError) in
        try opened.run(sample.inputs)
      }
      for (name, tensor) in try tensors(of: output) {
        guard let expected = sample.outputs[name] else { continue }
        try require(
          tensor.elementType == expected.elementType,
          "output '\(name)': expected \(expected.elementType), got \(tensor.elementType)")
        try require(
          tensor.shape.nonUnitDimensions == expected.shape.nonUnitDimensions,
          "output '\(name)': expected the shape \(expected.shape), got \(tensor.shape)")
      }
    }
  }

  func checkMemory() throws(ConformanceStop) {
    let session = try makeSession()
    // `fill` and `read` of the subject compare the sizes.
    for sample in model.samples {
      try reset(session)
      try run(session, on: sample)
    }
  }

  func checkInPlace() throws(ConformanceStop) {
    guard signature.outputs.allSatisfy({ $0.elementType != .string }) else {
      throw .notApplicable("strings are not read in place")
    }
    let opened = try open()
    for sample in model.samples {
      let outputs = try attempt("reading outputs in place") { () throws(ModelError) in
        try opened.run(sample.inputs.modelInput) { (outputs) throws(ModelError) in
          var tensors: [String: Tensor] = [:]
          for name in sample.outputs.keys {
            tensors[name] = try outputs.tensor(name)
          }
          return tensors
        }
      }
      try compare(outputs, with: sample.outputs)
    }
    let runs = try open()
    guard let first = model.samples.first, first.inputs.count == 1, first.outputs.count == 1,
      case .floats(let input) = first.inputs.values.first?.numbers?.elements,
      let expected = first.outputs.values.first, expected.elementType == .float32
    else { return }
    var numbers = [Float](repeating: .nan, count: expected.count)
    try attempt("running between arrays") { () throws(ModelError) in
      try runs.run(input, into: &numbers)
    }
    try compare([outputs[0].name: Tensor(numbers)], with: first.outputs)
  }

  func checkBatch() throws(ConformanceStop) {
    let opened = try open()
    let items = model.samples + model.samples
    let all = try attempt("running a batch") { () throws(ModelError) in
      try opened.run(batch: items.map(\.inputs))
    }
    try require(
      all.count == items.count, "a batch of \(items.count) items has \(all.count) outputs")
    for (output, item) in zip(all, items) {
      try compare(tensors(of: output), with: item.outputs)
    }
  }

  func checkFreeBatch() throws(ConformanceStop) {
    let session = try makeSession()
    guard signature.inputs.allSatisfy({ $0.shape.hasDynamicBatch && !$0.shape.hasVariableLength }),
      signature.outputs.allSatisfy({ $0.shape.hasDynamicBatch && !$0.shape.hasVariableLength }),
      let sample = model.samples.first, session.abilities.resetState == nil, isNumeric
    else { throw .notApplicable("the first dimension is not free") }
    for count in [1, 3, 2, 1] {
      let shapes = try shapes(of: sample).map { [count] + $0.dropFirst() }
      try attempt("resizing to \(count) items") { () throws(ModelError) in
        try session.resize(shapes)
      }
      for (index, layer) in inputs.enumerated() {
        let item = try input(layer.name, of: sample)
        try attempt("filling \(count) items") { () throws(ModelError) in
          try session.fill(index, with: item.repeated(count))
        }
      }
      try invoke(session)
      let outputs = try read(session)
      for (name, expected) in sample.outputs {
        let expected = try attempt("repeating the output '\(name)'") { () throws(ModelError) in
          try expected.repeated(count)
        }
        try compare(outputs, with: [name: expected])
      }
    }
  }
}
