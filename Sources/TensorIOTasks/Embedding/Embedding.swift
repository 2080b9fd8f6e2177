public import TensorIOBundle
public import TensorIOCore

/// Numbers that are near one another for things that are alike.
public struct Embedding: Sendable, Hashable {
  /// The numbers.
  public let values: [Float]

  /// Numbers that a model gave.
  public init(_ values: [Float]) {
    self.values = values
  }

  /// The same direction with a length of one; zeros, which have no direction, stay zeros.
  public var normalized: Embedding {
    let length = values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
    guard length > 0, length.isFinite else { return self }
    return Embedding(values.map { Float(Double($0) / length) })
  }

  /// How far two are apart.
  public func distance(
    to other: Embedding, by metric: DistanceMetric = .euclidean
  ) throws(ModelError) -> Double {
    guard values.count == other.values.count else {
      throw ModelError(
        .input, .wrongCount(expected: values.count, actual: other.values.count))
    }
    return metric.distance(values, other.values)
  }
}

/// How it is measured what two embeddings have in common.
public enum DistanceMetric: String, Sendable, Hashable, CaseIterable {
  /// The length of the way from one to the other.
  case euclidean
  /// One minus the cosine of the angle between them: 0 in the same direction, 2 in opposite ones.
  case cosine

  func distance(_ left: [Float], _ right: [Float]) -> Double {
    switch self {
    case .euclidean:
      zip(left, right).reduce(0) { sum, pair in
        let difference = Double(pair.0) - Double(pair.1)
        return sum + difference * difference
      }.squareRoot()
    case .cosine: 1 - Self.cosine(left, right)
    }
  }

  /// 0 where one of both has no direction.
  private static func cosine(_ left: [Float], _ right: [Float]) -> Double {
    let lengths = Self.product(left, left) * Self.product(right, right)
    return lengths > 0 ? product(left, right) / lengths.squareRoot() : 0
  }

  private static func product(_ left: [Float], _ right: [Float]) -> Double {
    zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) }
  }
}

/// Reads what makes things alike out of a model's outputs.
///
///     let reader = try EmbeddingDecoder(model)
///     let (one, other) = (try reader.read(model.run(face)), try reader.read(model.run(photo)))
///     print(try reader.options.compare(one, other).isSame ?? false)
public struct EmbeddingDecoder: Sendable {
  /// How embeddings are compared.
  public var options: EmbeddingOptions
  /// The output that is the embedding.
  public let output: String

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    options = EmbeddingOptions(model.bundle.description.task)
    guard let name = model.outputs.outputName(for: .embedding) else {
      throw ModelError(
        .bundle, .unsupported("embedding without an output that has the role embedding"),
        file: model.bundle.path)
    }
    output = name
  }

  /// The embedding, with a length of one unless the bundle wants it as it comes.
  public func decode(_ output: ModelOutput) throws(ModelError) -> Embedding {
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
    metric = task?.enumValue("metric") ?? .euclidean
    normalizes = task?.bool("normalize") ?? true
    threshold = task?.float("threshold").map(Double.init)
  }

  /// What came of comparing two embeddings.
  public struct Comparison: Sendable, Hashable {
    /// How far they are apart.
    public let distance: Double
    /// Whether they are of the same; `nil` where no threshold says.
    public let isMatch: Bool?
  }

  /// Compares two embeddings.
  public func compare(
    _ one: Embedding, _ other: Embedding
  ) throws(ModelError) -> Comparison {
    let distance = try one.distance(to: other, by: metric)
    return Comparison(distance: distance, isMatch: threshold.map { distance <= $0 })
  }
}
