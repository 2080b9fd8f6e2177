package import TensorIOBundle
package import TensorIOCore

/// Embedding: a vector that is near to those of similar inputs.
package struct EmbeddingTask: ModelTask {
  package static let format = TaskFormat(
    "embedding", requiredOutputs: [.role(.embedding)],
    interface: TaskInterface(
      "embedding", .init("embedding", type: "Embedding", "The embedding of the input.")
    ).with { $0.replaces = { $0.role == .embedding } }
  ) {
    metric
    normalizes
    Field("threshold", .number, "The maximum distance of a match.").example("1.05")
  }

  static let metric = TaskSetting.choice(
    "metric", default: EmbeddingOptions().metric,
    "The distance of two embeddings: Euclidean, or one minus cosine similarity."
  ).example("\"cosine\"")
  static let normalizes = TaskSetting.flag(
    "normalize", default: EmbeddingOptions().normalizes,
    "Whether embeddings are normalized to unit length."
  ).example("false")

  /// The options for comparing embeddings.
  package var options: EmbeddingOptions
  /// The name of the output that is the embedding.
  package let output: String
  private let galleryMatcher: GalleryMatcher?

  package init(_ model: ModelInfo) throws(ModelError) {
    options = EmbeddingOptions(model.task)
    output = try model.output(.embedding)
    galleryMatcher = model.attached(GalleryMatcher.self)
  }

  /// Returns the embedding, scaled to unit length unless the bundle disables it.
  package func result(of output: ModelOutput) throws(ModelError) -> Embedding {
    let embedding = Embedding(try output.value(of: self.output))
    return options.normalizes ? embedding.normalized : embedding
  }

  package var replacedOutputs: Set<String> { [output] }

  package static func forms(for description: ModelDescription) -> [ResultForm] {
    [.pairs, .identities]
  }

  package func reading(as form: ResultForm) -> ResultReading? {
    .embeddings(options) { (output) throws(ModelError) in try result(of: output) }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let embedding = try result(of: output)
    return .value(
      key: "embedding", .numbers(Numbers(.floats(embedding.values))), replacing: self.output,
      result: try galleryMatcher.map { (matcher) throws(ModelError) in
        RecognitionResult(recognition: try matcher.recognize(embedding))
      })
  }
}
