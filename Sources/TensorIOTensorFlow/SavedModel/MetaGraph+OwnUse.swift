internal import TensorIOCore

extension MetaGraph {
  /// The use that a graph's own signature makes of it.
  func ownUse() throws(ModelError) -> ModelUse {
    guard let signature = signatures(for: .predict).first(where: { !$0.outputs.isEmpty }) else {
      throw ModelError(
        .runtime, .modelRefused(problem: "it has no signature that says what goes in and comes out")
      )
    }
    let description = ModelDescription(
      inputs: signature.inputs.map { $0.layer(in: graphNames) },
      outputs: signature.outputs.map { $0.layer(in: graphNames) })
    return ModelUse(description, mode: .predict)
  }

  /// The names that the signatures know of the graph's own.
  private var graphNames: Set<String> {
    Set(signatures.flatMap { $0.inputs + $0.outputs }.map(\.tensor.nodeName))
  }
}

extension MetaGraph.Entry {
  /// A layer for the tensor, by its key; by its own name where the key means another tensor.
  fileprivate func layer(in graphNames: Set<String>) -> Layer {
    let isOther = graphNames.contains(key) && tensor != key && tensor != key + ":0"
    let shape = TensorShape([])
    return Layer(name: isOther ? tensor : key, kind: .array(NumericLayer(shape: shape)))
  }
}
