package import TensorIOBundle
package import TensorIOCore

/// Embedding: a vector that is near to those of similar inputs.
package struct EmbeddingTask: TaskHandler {
  package static let format = TaskFormat("embedding", requiredOutputs: [.role(.embedding)]) {
    Field(
      "metric", .choice(of: ["euclidean", "cosine"]), otherwise: "`\"euclidean\"`",
      "The distance of two embeddings: Euclidean, or one minus cosine similarity."
    ).example("\"cosine\"")
    Field(
      "normalize", .boolean, otherwise: "`true`",
      "Whether embeddings are normalized to unit length."
    ).example("false")
    Field("threshold", .number, "The maximum distance of a match.").example("1.05")
  }

  private let decoder: EmbeddingDecoder
  private let galleryMatcher: GalleryMatcher?

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try EmbeddingDecoder(source)
    galleryMatcher = source.attached(GalleryMatcher.self)
  }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let embedding = try decoder.decode(output)
    return .value(
      key: "embedding", .numbers(Numbers(.floats(embedding.values))), replacing: decoder.output,
      result: try galleryMatcher.map { (matcher) throws(ModelError) in
        RecognitionResult(recognition: try matcher.recognize(embedding))
      })
  }
}
