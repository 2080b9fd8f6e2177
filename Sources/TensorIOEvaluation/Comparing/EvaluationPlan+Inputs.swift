package import TensorIOCore
internal import TensorIOData

extension EvaluationPlan {
  /// How many examples there are.
  package var count: Int { data.items.count }

  /// What an example is called.
  package func name(at index: Int) -> String { data.items.name(at: index) }

  /// What goes into the model of an example, without the right answers.
  package func input(at index: Int, of layers: [Layer]) throws(ModelError) -> ModelInput {
    try data.example(at: index).input.only(Set(layers.map(\.name)))
  }
}
