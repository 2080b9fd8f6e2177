package import TensorIOBundle

extension Model {
  /// Runs a model with one numeric input and one numeric output on rows of numbers.
  ///
  /// Equals ``run(_:into:)`` for each row, in one session.
  ///
  /// - Parameters:
  ///   - input: The elements of all inputs.
  ///   - output: Receives the elements of all outputs.
  ///   - count: The number of rows.
  /// - Throws: A ``ModelError`` as ``run(_:into:)``; ``ModelError/item`` is the index of the row.
  package func run(
    rows input: Span<Float>, into output: inout MutableSpan<Float>, count: Int
  ) throws(ModelError) {
    guard let pipeline else {
      throw ModelError(
        .run, .unsupported("running a model without a runtime on arrays of numbers"))
    }
    try pipeline.run(rows: input, into: &output, count: count)
  }
}

extension Model {
  /// Whether ``run(rows:)`` runs the model: one whose inputs are numbers, whose outputs are numbers or
  /// strings, and which takes any number of items in one invocation.
  package var takesRows: Bool { pipeline?.takesRows ?? false }

  /// Runs the model on rows of numbers in one invocation.
  ///
  /// - Parameter input: The values of the inputs. The first dimension of each counts the rows, the same
  ///   number for all inputs.
  /// - Returns: The outputs for all rows, in which the first dimension counts the rows. The others are
  ///   those that the output of one item has as a ``Tensor``; strings have one dimension.
  /// - Throws: A ``ModelError`` if ``takesRows`` is false, a value does not fit the model, or the run
  ///   fails.
  package func run(rows input: ModelInput) throws(ModelError) -> ModelOutput {
    guard let pipeline, pipeline.takesRows, let batcher = pipeline.itemBatcher else {
      throw ModelError(.run, .unsupported("running the model on rows in one invocation"))
    }
    let values = try pipeline.encoder.values(in: input)
    return ModelOutput(
      layers: try pipeline.sessions.withSession { (session) throws(ModelError) in
        try batcher.run(rows: values, in: session)
      })
  }
}

extension InferencePipeline {
  /// Whether the model runs rows of numbers in one invocation, which provide the values of all inputs,
  /// and no run depends on the one before.
  fileprivate var takesRows: Bool {
    itemBatcher?.takesRows == true && !sessions.hasState && encoder.defaults.isEmpty
  }

  /// Runs the model on the calling thread, between the caller's arrays.
  func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    if let tensorRunner, tensorRunner.takesFloats(input.count, output.count) {
      return try tensorRunner.run(input, into: &output)
    }
    let encoder =
      try self.encoder.hasVariableShapes
      ? self.encoder.fitted(to: [.numbers(Numbers(.floats(input)))]) : self.encoder
    let numbers = try numbersOnly(encoder)
    let decoder = decoder.layers[0]
    do throws(ModelError) {
      try numbers.requireCount(input.count)
      try sessions.withSession { (session) throws(ModelError) in
        try resize(session, for: encoder)
        try session.fill(0) { (memory) throws(ModelError) in
          try numbers.encode(.floats(input), into: &memory)
        }
        try placeholders.encode(placeholders.defaults, into: session)
        try session.invoke()
        try session.read(0) { (memory, shape) throws(ModelError) in
          try decoder.decode(memory, shape: shape, into: &output)
        }
      }
    } catch {
      throw error.stage == .input ? error.at(layer: encoder.layers[0].name) : error
    }
  }

  /// Runs the model on rows of numbers in one session.
  fileprivate func run(
    rows input: Span<Float>, into output: inout MutableSpan<Float>, count: Int
  ) throws(ModelError) {
    guard count > 0, input.count % count == 0, output.count % count == 0 else {
      throw ModelError(
        .input,
        .invalidValue(
          "\(input.count, as: "input_count") and \(output.count, as: "output_count") numbers for \(count, as: "count") rows"
        ))
    }
    let (inputCount, outputCount) = (input.count / count, output.count / count)
    let encoder =
      try self.encoder.hasVariableShapes
      ? self.encoder.fitted(
        to: [.numbers(Numbers(.floats([Float](repeating: 0, count: inputCount))))]) : self.encoder
    let numbers = try numbersOnly(encoder)
    let decoder = decoder.layers[0]
    var item = 0
    var row = [Float](repeating: 0, count: outputCount)
    do throws(ModelError) {
      try numbers.requireCount(inputCount)
      try sessions.withSession { (session) throws(ModelError) in
        try resize(session, for: encoder)
        try placeholders.encode(placeholders.defaults, into: session)
        while item < count {
          if item > 0, sessions.resetsState { try session.abilities.resetState?() }
          let start = item * inputCount
          let values = [Float](capacity: inputCount) { values in
            for index in start..<start + inputCount { values.append(input[index]) }
          }
          try session.fill(0) { (memory) throws(ModelError) in
            try numbers.encode(.floats(values), into: &memory)
          }
          try session.invoke()
          try session.read(0) { (memory, shape) throws(ModelError) in
            try decoder.decode(memory, shape: shape, into: &row)
          }
          for index in 0..<outputCount { output[item * outputCount + index] = row[index] }
          item += 1
        }
      }
    } catch {
      let error = count > 1 ? error.at(item: item) : error
      throw error.stage == .input ? error.at(layer: encoder.layers[0].name) : error
    }
  }

  private func numbersOnly(_ encoder: InputEncoder) throws(ModelError) -> NumberEncoder {
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
        .output, .wrongType(expected: "numbers", actual: "values of another kind"),
        layer: decoder.layers[0].layer.name)
    }
    return numbers
  }
}
