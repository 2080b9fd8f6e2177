public import TensorIOBundle
import TensorIOCore

/// A feature vector.
///
/// Similar inputs have nearby vectors.
public struct Embedding: Sendable, Hashable {
  /// The components of the vector.
  public let values: [Float]

  /// Creates an embedding from its components.
  public init(_ values: [Float]) {
    self.values = values
  }

  /// The embedding scaled to unit length.
  ///
  /// A zero vector is unchanged.
  public var normalized: Embedding {
    let length = values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
    guard length > 0, length.isFinite else { return self }
    return Embedding(values.map { Float(Double($0) / length) })
  }

  /// Returns the distance to another embedding.
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

/// The measure of distance between embeddings.
public enum DistanceMetric: String, Sendable, Hashable, CaseIterable {
  /// The Euclidean distance.
  case euclidean
  /// One minus the cosine similarity: 0 for the same direction, 2 for opposite directions.
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

  /// Returns the cosine similarity, or 0 if a vector is zero.
  private static func cosine(_ left: [Float], _ right: [Float]) -> Double {
    let lengths = Self.product(left, left) * Self.product(right, right)
    return lengths > 0 ? product(left, right) / lengths.squareRoot() : 0
  }

  private static func product(_ left: [Float], _ right: [Float]) -> Double {
    zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) }
  }
}

/// Options for comparing embeddings.
public struct EmbeddingOptions: Sendable, Hashable {
  /// The distance metric.
  public var metric: DistanceMetric
  /// Whether embeddings are scaled to unit length.
  public var normalizes: Bool
  /// The maximum distance of a match; `nil` if unknown.
  public var maxDistance: Double?

  /// The least number of first values that are an embedding of their own; `nil` for all.
  package private(set) var minDimensions: Int?
  /// Whether clients can send token ids in place of texts.
  package private(set) var takesTokens = false

  /// Creates options.
  ///
  /// - Parameters:
  ///   - metric: The distance metric.
  ///   - normalizes: Whether embeddings are scaled to unit length.
  ///   - maxDistance: The maximum distance of a match; `nil` if unknown.
  public init(
    metric: DistanceMetric = .euclidean, normalizes: Bool = true, maxDistance: Double? = nil
  ) {
    (self.metric, self.normalizes, self.maxDistance) = (metric, normalizes, maxDistance)
  }

  /// Creates options from the settings of a bundle's task, with defaults for missing settings.
  package init(_ task: TaskDescription?) {
    metric = EmbeddingTask.metric.value(in: task)
    normalizes = EmbeddingTask.normalizes.value(in: task)
    maxDistance = task?.float("threshold").map(Double.init)
    minDimensions = EmbeddingTask.minDimensions(of: task)
    takesTokens = EmbeddingTask.takesTokens.value(in: task)
  }

  /// The result of comparing two embeddings.
  public struct Comparison: Sendable, Hashable {
    /// The distance between the embeddings.
    public let distance: Double
    /// Whether the distance is at most the maximum distance of a match; `nil` if that is unknown.
    public let isMatch: Bool?
  }

  /// Compares two embeddings.
  public func compare(
    _ one: Embedding, _ other: Embedding
  ) throws(ModelError) -> Comparison {
    let distance = try one.distance(to: other, by: metric)
    return Comparison(distance: distance, isMatch: maxDistance.map { distance <= $0 })
  }
}
