extension Model {
  /// Runs a model of one numeric input and one numeric output on numbers in the caller's memory.
  ///
  /// Nothing is allocated on the way, so that a loop over a small model costs little more than
  /// the model:
  ///
  ///     var price: [Float] = [0]
  ///     for house in houses { try model.run(house, into: &price) }
  ///
  /// Quantization applies as in ``run(_:)-(ModelInput)``; labels are left aside.
  public func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    guard let pipeline else {
      throw ModelError(
        .run, .unsupported("running a model that no runtime runs between arrays of numbers"))
    }
    try pipeline.run(input, into: &output)
  }
}

extension Pipeline {
  /// One run in the calling thread, between arrays of the caller's.
  fileprivate func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    let numbers = try numbersOnly()
    let decoder = decoder.layers[0]
    do throws(ModelError) {
      try numbers.check(count: input.count)
      try sessions.withSession { (session) throws(ModelError) in
        try shapeForOneItem(session)
        try session.fill(0) { (memory) throws(ModelError) in
          try numbers.encode(.floats(input), into: &memory)
        }
        try placeholders.encode(placeholders.standard, into: session)
        try session.invoke()
        try session.read(0) { (memory, shape) throws(ModelError) in
          try decoder.decode(memory, shape: shape, into: &output)
        }
      }
    } catch {
      throw error.stage == .input ? error.at(layer: encoder.layers[0].name) : error
    }
  }

  private func numbersOnly() throws(ModelError) -> NumberEncoder {
    guard encoder.layers.count == 1, case .numbers(let numbers) = encoder.layers[0].kind else {
      throw ModelError(
        .input, .wrongType(expected: "values for \(encoder.layers.count) inputs", actual: "numbers")
      )
    }
    guard decoder.layers.count == 1 else {
      throw ModelError(
        .output, .wrongType(expected: "one array", actual: "\(decoder.layers.count) outputs"))
    }
    guard decoder.layers[0].isNumeric else {
      throw ModelError(
        .output, .wrongType(expected: "numbers", actual: "other values"),
        layer: decoder.layers[0].layer.name)
    }
    return numbers
  }
}
