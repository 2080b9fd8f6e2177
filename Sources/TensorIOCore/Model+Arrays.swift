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
    let encoder = try numbersOnly()
    let decoder = decoder.layers[0]
    try encoder.check(count: input.count)
    try sessions.withSession { (session) throws(ModelError) in
      try shapeForOneItem(session)
      try session.fill(0) { (memory) throws(ModelError) in
        try encoder.encode(.floats(input), into: &memory)
      }
      try session.invoke()
      try session.read(0) { (memory, shape) throws(ModelError) in
        try decoder.decode(memory, shape: shape, into: &output)
      }
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
    return numbers
  }
}
