public import TensorIOBundle
public import TensorIOCore

extension Teacher {
  /// The results of a classifier on the examples of a teacher.
  public struct Metrics: Sendable, Hashable {
    /// The mean log loss.
    public let loss: Double
    /// The fraction of the examples whose class has the highest score.
    public let accuracy: Double
    /// The number of examples, without those of ``Teacher/unknownLabel``.
    public let exampleCount: Int
  }

  /// The names of the weights, in their order: a row of numbers for each class, and a bias for each.
  package static let weightNames = ["head/weights", "head/bias"]

  /// The ``train(proximity:)`` of a client whose round has no other one.
  ///
  /// With 0.0003 to 0.03, the average of clients with different classes came within 0.6 points of the accuracy of a
  /// classifier of all examples, in ten rounds; without it, it did not converge.
  public static let defaultProximity = 0.003

  /// Returns the weights of the classifier, which are zeros before ``train(proximity:)`` and ``setWeights(_:)``.
  ///
  /// The teacher of a taught bundle has the weights of its classifier.
  ///
  /// - Returns: `head/weights` with a row for each of ``classes``, and `head/bias`.
  /// - Throws: `ModelError` if there are no classes, or if the model does not declare the length of an embedding and there is
  ///   no example.
  public func weights() throws(ModelError) -> [String: Tensor] {
    let regression = try presentRegression()
    return [
      Self.weightNames[0]: Tensor(
        regression.weights.values.map(Float.init),
        shape: [classes.count, regression.weights.columns]),
      Self.weightNames[1]: Tensor(regression.bias.map(Float.init), shape: [classes.count]),
    ]
  }

  /// Assigns the weights of the classifier, such as the mean of those of several clients.
  ///
  /// Nothing is assigned unless both values fit.
  ///
  /// - Parameter values: Values with the names, types and shapes of ``weights()``.
  /// - Throws: `ModelError/weightNames` if a name is missing or unknown, `ModelError/wrongShape`, `ModelError/wrongType`, or
  ///   `ModelError/invalidValue` for a number that is not finite.
  public mutating func setWeights(_ values: [String: Tensor]) throws(ModelError) {
    let expected = try weights()
    let missing = Self.weightNames.filter { values[$0] == nil }
    let unexpected = values.keys.filter { expected[$0] == nil }.sorted()
    guard missing.isEmpty, unexpected.isEmpty else {
      throw ModelError(.input, .weightNames(missing: missing, unexpected: unexpected))
    }
    var numbers: [[Double]] = []
    for name in Self.weightNames {
      guard let value = values[name], let like = expected[name] else { continue }
      guard value.elementType == like.elementType else {
        throw ModelError(
          .input, .wrongType(expected: "\(like.elementType)", actual: "\(value.elementType)"),
          layer: name)
      }
      guard value.shape == like.shape else {
        throw ModelError(
          .input, .wrongShape(expected: "\(like.shape)", actual: "\(value.shape)"), layer: name)
      }
      let array = try value.array(of: Float.self)
      guard array.allSatisfy(\.isFinite) else {
        throw ModelError(.input, .invalidValue("a number is not finite"), layer: name)
      }
      numbers.append(array.map(Double.init))
    }
    let columns = expected[Self.weightNames[0]]?.shape.last ?? 0
    head = WeightedClasses(
      labels: classes,
      regression: LogisticRegression(
        weights: Matrix(columns: columns, values: numbers[0]), bias: numbers[1]))
  }

  /// Fits the classifier to the examples, near its present weights.
  ///
  /// The weights minimize the loss of ``fit()`` plus a term that grows with their distance from the present ones, as
  /// FedProx does (Li and others, Federated Optimization in Heterogeneous Networks, 2020). So a client without examples of
  /// some classes does not forget them, and the mean of the clients' weights converges to a classifier of all examples.
  /// A temperature and a distance of unknown inputs are determined by ``calibrate()``.
  ///
  /// - Parameter proximity: µ: the weight of half the squared distance, in comparison with the mean loss of an example.
  /// - Returns: The results of the new weights on the examples.
  /// - Throws: `ModelError` if there are no examples or fewer than two classes.
  @discardableResult
  public mutating func train(
    proximity: Double = Self.defaultProximity
  ) throws(ModelError) -> Metrics {
    guard proximity >= 0, proximity.isFinite else {
      throw ModelError(.input, .invalidValue("the proximity must be a number of at least 0"))
    }
    let (embeddings, indices) = try knownExamples()
    let regression = LogisticRegression(
      embeddings, indices, count: classes.count,
      regularization: options.regularization ?? FittedHead.defaultRegularization,
      from: try presentRegression(), proximity: proximity)
    head = WeightedClasses(labels: classes, regression: regression)
    return Self.metrics(regression, embeddings, indices)
  }

  /// Evaluates the present weights on the examples.
  ///
  /// - Returns: The results.
  /// - Throws: `ModelError` if there are no examples or fewer than two classes.
  public func evaluate() throws(ModelError) -> Metrics {
    let (embeddings, indices) = try knownExamples()
    return Self.metrics(try presentRegression(), embeddings, indices)
  }

  /// Writes a bundle with the classifier of the present weights, such as the result of a federation.
  ///
  /// The bundle contains the embeddings of this teacher's own examples only. It has no class of unknown inputs unless
  /// ``calibrate()`` has determined their distance.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: `ModelError/alreadyExists` if `path` exists and `overwriting` is false, and
  ///   `ModelError/unwritable` if the bundle cannot be written.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    try requireTwoClasses()
    let regression = try presentRegression()
    let bundle = backbone.bundle
    let tensor = backbone.layer.map { ", at its layer `\($0)`" } ?? ""
    let card = """
      A classifier of \(classes.count) classes whose weights were given, such as the mean of those of several clients. The \
      backbone is \(bundle.id) (version \(bundle.version))\(tensor); its weights are unchanged.

      \(calibration.map { "\($0.text) " } ?? "")The bundle contains the embeddings of \(examples.count) examples.
      """
    var unknown: ClassifierHead.Unknown?
    if let distance = calibration?.maxDistance {
      unknown = .init(
        examples: try knownExamples().embeddings.values.map(Float.init),
        maxDistance: Float(distance))
    }
    let layers = ClassifierHead(
      dimensions: regression.weights.columns, weights: regression.weights.values.map(Float.init),
      bias: regression.bias.map(Float.init), unknown: unknown)
    try TaughtBundle(
      backbone: backbone, record: record(of: regression), layers: layers, card: card
    ).write(to: path, overwriting: overwriting)
  }

  /// The embeddings of the examples of classes at unit length, with the indices of the classes; there is at least one.
  func knownExamples() throws(ModelError) -> (embeddings: Matrix, indices: [Int]) {
    try requireTwoClasses()
    let known = examples.filter { $0.label != Self.unknownLabel }
    guard !known.isEmpty else {
      throw ModelError(.input, .unmetRequirement("at least one example is required; there is none"))
    }
    let embeddings = Matrix(
      columns: known[0].embedding.count,
      values: known.flatMap { $0.embedding.map(Double.init) })
    return (embeddings.normalized, known.map { classes.firstIndex(of: $0.label) ?? 0 })
  }

  /// Returns the weights of the present classes: those of classes without weights are zeros.
  func presentRegression() throws(ModelError) -> LogisticRegression {
    let length =
      examples.first?.embedding.count ?? head?.regression.weights.columns
      ?? backbone.embeddingLength
    guard let length, !classes.isEmpty else {
      throw ModelError(
        .input,
        .unmetRequirement(
          classes.isEmpty
            ? "the classes have to be given before their weights"
            : "the model does not declare the length of its embedding; add an example first"))
    }
    var regression = LogisticRegression(weights: Matrix(columns: length), bias: [])
    for label in classes {
      let index = head?.labels.firstIndex(of: label)
      let known = head?.regression
      regression.weights.append(
        index.flatMap { row in known.map { Array($0.weights[row]) } }
          ?? [Double](repeating: 0, count: length))
      regression.bias.append(index.flatMap { known?.bias[$0] } ?? 0)
    }
    return regression
  }

  /// Returns the results of weights on examples at unit length.
  static func metrics(
    _ regression: LogisticRegression, _ examples: Matrix, _ classes: [Int]
  ) -> Metrics {
    var (loss, correctCount) = (0.0, 0)
    for (row, label) in classes.enumerated() {
      let scores = regression.scores(examples, row)
      loss += scores.logarithmOfExponentialSum - scores[label]
      if scores.highestIndex == label { correctCount += 1 }
    }
    let count = Double(classes.count)
    return Metrics(
      loss: loss / count, accuracy: Double(correctCount) / count, exampleCount: classes.count)
  }
}
