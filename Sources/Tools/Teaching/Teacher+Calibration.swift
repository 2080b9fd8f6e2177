public import TensorIOBundle
import TensorIOCore

extension Teacher {
  /// What examples determine for weights that were not fitted to them.
  public struct Calibration: Sendable, Hashable {
    /// The number by which the weights were divided, so that probabilities are as sure as they are right.
    public let temperature: Double
    /// The cosine distance to the nearest example beyond which an input is unknown; `nil` if each belongs to a class.
    public let maxDistance: Double?
    /// The results of the divided weights on the examples.
    public let metrics: Metrics
  }

  /// Determines the temperature of the weights, and the distance beyond which an input is unknown, from the examples.
  ///
  /// The examples have to be others than those that the weights were fitted to, such as those that the server of a
  /// federation holds out: probabilities of examples that were learned are too sure. The weights are divided by the
  /// temperature. ``export(to:overwriting:)`` then writes a bundle that rejects unknown inputs, unless
  /// ``Options/unknownRate`` is `nil`, and that contains the embeddings of these examples. ``train(proximity:)``,
  /// ``setWeights(_:)`` and any change of the examples discard the distance.
  ///
  /// - Returns: The temperature, the distance, and the results.
  /// - Throws: `ModelError` if there are fewer than two classes, or a class has fewer than two examples.
  @discardableResult
  public mutating func calibrate() throws(ModelError) -> Calibration {
    try checkExamples()
    let (embeddings, indices) = try knownExamples()
    var regression = try presentRegression()
    let scores = indices.indices.map { regression.scores(embeddings, $0) }
    let temperature = FittedHead.temperature(scores, indices)
    regression.weights = Matrix(
      columns: regression.weights.columns,
      values: regression.weights.values.map { $0 / temperature })
    regression.bias = regression.bias.map { $0 / temperature }
    head = WeightedClasses(labels: classes, regression: regression)
    let distances = FittedHead.distances(embeddings, indices).own
    let found = Calibration(
      temperature: temperature,
      maxDistance: options.unknownRate.flatMap { FittedHead.quantile(of: distances, beyond: $0) },
      metrics: Self.metrics(regression, embeddings, indices))
    calibration = found
    return found
  }
}

extension Teacher.Calibration {
  /// The calibration as a sentence for the card of a bundle.
  var text: String {
    let right = (metrics.accuracy * 1000).rounded() / 10
    let rule = maxDistance.map {
      ", and inputs beyond a distance of \(($0 * 10_000).rounded() / 10_000) to all of them are unknown"
    }
    return """
      On \(metrics.exampleCount) examples that calibrated the probabilities, \(right) % are right\(rule ?? "").
      """
  }
}
