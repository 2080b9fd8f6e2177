internal import CTensorFlow
internal import TensorIOCore

/// What one run of a graph is asked for.
struct GraphRun {
  /// Values in the place of what their operations would give.
  var feeds: [(place: LoadedGraph.Place, tensor: OwnedTensor)] = []
  /// The values that are wanted.
  var fetches: [LoadedGraph.Place] = []
  /// Operations that are run for what they do.
  var targets: [LoadedGraph.Place] = []
}

extension LoadedGraph {
  /// Runs the graph and gives what was asked for, in order.
  func run(
    _ run: GraphRun, at stage: ModelError.Stage = .run
  ) throws(ModelError) -> [OwnedTensor] {
    guard !run.fetches.isEmpty || !run.targets.isEmpty else { return [] }
    let inputs = unsafe run.feeds.map { unsafe $0.place.output }
    let values: [OpaquePointer?] = unsafe run.feeds.map { unsafe $0.tensor.handle }
    let outputs = unsafe run.fetches.map { unsafe $0.output }
    var results = unsafe [OpaquePointer?](repeating: nil, count: outputs.count)
    let targets: [OpaquePointer?] = unsafe run.targets.map { unsafe $0.operation }
    try unsafe library.checked("TF_SessionRun", at: stage) { status in
      unsafe library.functions.pointee.TF_SessionRun(
        session, nil, inputs, values, Int32(inputs.count), outputs, &results,
        Int32(outputs.count), targets, Int32(targets.count), nil, status)
    }
    // The tensors whose values are handed over live until here.
    return try withExtendedLifetime(run) { () throws(ModelError) in try unsafe owned(results) }
  }

  private func owned(_ results: [OpaquePointer?]) throws(ModelError) -> [OwnedTensor] {
    let tensors = unsafe results.compactMap {
      unsafe $0.map { unsafe OwnedTensor($0, of: library) }
    }
    guard unsafe tensors.count == results.count else {
      throw ModelError(.run, .failed("TensorFlow gave too few values"))
    }
    return tensors
  }
}
