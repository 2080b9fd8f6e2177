package import TensorIOBundle
package import TensorIOCore

/// Embedding: a vector that is near to those of similar inputs.
package struct EmbeddingTask: TaskHandler {
  package static let format = TaskFormat(
    "embedding",
    settings: [
      "metric": .choice(["euclidean", "cosine"]), "normalize": .boolean, "threshold": .number,
    ],
    requiredOutputs: [.role(.embedding)])

  private let decoder: EmbeddingDecoder

  package init(_ context: TaskContext) throws(ModelError) {
    decoder = try EmbeddingDecoder(context.source)
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let values = try decoder.decode(output).values
    return .value(key: "embedding", .numbers(Numbers(.floats(values))), replacing: decoder.output)
  }
}
