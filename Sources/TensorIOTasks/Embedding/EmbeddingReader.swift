public import TensorIOCore

/// Reads what makes things alike out of a model's outputs.
///
///     let reader = try EmbeddingReader(model)
///     let (one, other) = (try reader.read(model.run(face)), try reader.read(model.run(photo)))
///     print(try reader.options.compare(one, other).isSame ?? false)
public struct EmbeddingReader: Sendable {
  /// How embeddings are compared.
  public var options: EmbeddingOptions
  /// The output that is the embedding.
  public let output: String

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    options = EmbeddingOptions(model.bundle.description.task)
    guard let name = model.outputs.name(of: .embedding) else {
      throw ModelError(
        .bundle, .unsupported("embedding without an output that has the role embedding"),
        file: model.bundle.path)
    }
    output = name
  }

  /// The embedding, with a length of one unless the bundle wants it as it comes.
  public func read(_ output: ModelOutput) throws(ModelError) -> Embedding {
    let embedding = Embedding(try output.value(of: self.output))
    return options.normalizes ? embedding.normalized : embedding
  }
}

/// How embeddings are compared.
public struct EmbeddingOptions: Sendable, Hashable {
  /// How it is measured what two have in common.
  public var metric: DistanceMetric
  /// Whether they are brought to a length of one.
  public var normalizes: Bool
  /// The distance up to which two are of the same; `nil` where nobody says.
  public var threshold: Double?

  /// What a bundle's task says, and the usual for what it leaves out.
  public init(_ task: ModelTask? = nil) {
    metric = task?.choice("metric") ?? .euclidean
    normalizes = task?.flag("normalize") ?? true
    threshold = task?.number("threshold").map(Double.init)
  }

  /// What came of comparing two embeddings.
  public struct Comparison: Sendable, Hashable {
    /// How far they are apart.
    public let distance: Double
    /// Whether they are of the same; `nil` where no threshold says.
    public let isSame: Bool?
  }

  /// Compares two embeddings.
  public func compare(
    _ one: Embedding, _ other: Embedding
  ) throws(ModelError) -> Comparison {
    let distance = try one.distance(to: other, by: metric)
    return Comparison(distance: distance, isSame: threshold.map { distance <= $0 })
  }
}
