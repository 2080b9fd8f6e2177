package import TensorIOBundle

extension Model {
  /// Runs the model several times in a session of its own that records operators.
  ///
  /// - Returns: The operators of each run, without those of a first run that is not recorded.
  /// - Throws: A ``ModelError`` with the code `unsupported` if the runtime does not record operators.
  package func operatorEvents(
    of input: ModelInput, runs: Int
  ) throws(ModelError) -> [[OperatorEvent]] {
    let unsupported = ModelError(
      .run, .unsupported("profiling operators with this runtime or in a worker process"))
    guard let pipeline else { throw unsupported }
    let session = try pipeline.makeSession(profilingOperators: true)
    var untimed = Stopwatch.disabled
    _ = try pipeline.run(input, [:], in: session, &untimed)
    var events: [[OperatorEvent]] = []
    for _ in 0..<runs {
      try session.abilities.resetState?()
      _ = try pipeline.run(input, [:], in: session, &untimed)
      guard let operators = try session.abilities.operatorEvents?() else { throw unsupported }
      events.append(operators)
    }
    return events
  }
}
