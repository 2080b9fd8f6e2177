internal import TensorIOCore

/// Looks through a model before the runtime sees it.
///
/// The runtime verifies where the parts of a file lie, but takes their numbers for granted. Here
/// they are looked at: only tables, never what lies in constants, so that it costs next to nothing.
enum ModelCheck {
  /// Refuses what would take the process down, or all its memory.
  static func check(_ bytes: ModelBytes) throws(ModelError) {
    do throws(ModelProblem) {
      try examine(bytes)
    } catch {
      throw ModelError(.runtime, .modelRefused(problem: error.text))
    }
  }

  /// The same, with the rule that a model breaks.
  static func examine(_ bytes: ModelBytes) throws(ModelProblem) {
    let model = try ModelOutline(bytes)
    try model.requireData()
    try model.requireMetadata()
    for (index, graph) in model.graphs.enumerated() {
      do throws(ModelProblem) {
        try GraphCheck(graph, of: model).check()
      } catch {
        guard model.graphs.count > 1 else { throw error }
        throw ModelProblem(error.rule, "in graph \(index), \(error.text)")
      }
    }
    try model.requireTexts()
    try model.requireFiniteCalls()
    try model.requireSignatures()
    try model.requireNames()
    try model.requireComputedOutputs()
  }
}
