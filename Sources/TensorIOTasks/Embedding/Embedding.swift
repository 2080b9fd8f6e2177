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
