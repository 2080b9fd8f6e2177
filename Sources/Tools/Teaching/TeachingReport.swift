import TensorIOBundle
public import TensorIOEvaluation

/// What was measured when classes were taught.
///
/// The accuracy is that of examples that were held out in turn. Examples that show the same scene, or are by the same
/// author, make it optimistic: evaluate the bundle on other data.
public struct TeachingReport: Sendable {
  /// The result of a class.
  public struct ClassResult: Sendable, Hashable {
    /// The label.
    public let label: String
    /// The number of examples.
    public let exampleCount: Int
    /// The number of examples with which the accuracy was measured: all, or those that no ``BackboneRefinement`` trained.
    public let measuredCount: Int
    /// The number of these examples that were recognized when they were held out.
    public let correctCount: Int
  }

  /// A fraction of examples with the interval that contains its true value with a probability of 95 %.
  public struct Fraction: Sendable, Hashable {
    /// The fraction.
    public let value: Double
    /// The interval; `nil` without examples.
    public let interval: ConfidenceInterval?

    init(_ successes: Int, of count: Int) {
      value = count == 0 ? .nan : Double(successes) / Double(count)
      interval = ConfidenceInterval(successes: successes, of: count)
    }
  }

  /// An example that is probably in the wrong class.
  public struct Suspect: Sendable, Hashable {
    /// The name of the example.
    public let name: String
    /// Its class.
    public let label: String
    /// The class that the other examples suggest.
    public let suggestion: String
    /// The probability of that class.
    public let probability: Double
  }

  /// The rejection of inputs that belong to none of the classes.
  public struct UnknownResult: Sendable, Hashable {
    /// The cosine distance to the nearest example beyond which an input is unknown.
    public let maxDistance: Double
    /// The fraction of examples that are farther from the other examples of their class.
    public let knownRate: Double
    /// The fraction that is rejected of the examples labeled as unknown or, without such, of each class when it is
    /// taken away.
    public let othersRate: Double
    /// Whether examples were labeled as unknown.
    public let isMeasuredOnOthers: Bool
  }

  /// The backbone: its identifier and version.
  public let backbone: String
  /// The layer with the embedding, of a backbone that did not return it; `nil` otherwise.
  public let layer: String?
  /// The paths of the data.
  public let data: [String]
  /// The classes, in the order of their scores.
  public let classes: [ClassResult]
  /// The accuracy on held-out examples.
  public let accuracy: Fraction
  /// The number of examples of each class (row) that were taken for each class (column) when they were held out.
  public let confusion: [[Int]]
  /// The number of parts of the examples, of which each was held out once.
  public let foldCount: Int
  /// The mean log loss of held-out examples, with the same total for all classes, before the calibration.
  public let logLoss: Double
  /// C of the logistic regression.
  public let regularization: Double
  /// The number by which scores are divided, so that probabilities are as sure as they are right.
  public let temperature: Double
  /// The rejection of unknown inputs; `nil` if each input belongs to a class.
  public let unknown: UnknownResult?
  /// The names of examples that were left out because another one has the same input, with the name of that one.
  public let duplicates: [[String]]
  /// The names of examples with the same input and different labels.
  public let conflicts: [[String]]
  /// The examples that are probably in the wrong class, most certain first.
  public let suspects: [Suspect]
  /// The examples that could not be used.
  public let skipped: [SkippedExample]
  /// The training of the backbone; `nil` if there was none.
  public let refinement: BackboneRefinement?
  /// How long the fit took.
  public let duration: Duration

  /// The number of examples.
  public var exampleCount: Int { classes.reduce(0) { $0 + $1.exampleCount } }
}

extension TeachingReport {
  init(
    _ teacher: Teacher, _ head: FittedHead, _ known: [TaughtExample], _ indices: [Int],
    duration: Duration
  ) {
    let bundle = teacher.backbone.bundle
    backbone = "\(bundle.id) (version \(bundle.version))"
    (layer, data) = (teacher.backbone.layer, teacher.dataPaths)
    let count = teacher.classes.count
    var confusion = [[Int]](repeating: [Int](repeating: 0, count: count), count: count)
    for example in head.measuredExamples {
      confusion[indices[example]][head.heldOut[example].highestIndex] += 1
    }
    classes = teacher.classes.enumerated().map { index, label in
      ClassResult(
        label: label, exampleCount: indices.count { $0 == index },
        measuredCount: confusion[index].reduce(0, +), correctCount: confusion[index][index])
    }
    accuracy = Fraction(
      confusion.indices.reduce(0) { $0 + confusion[$1][$1] }, of: head.measuredExamples.count)
    refinement = teacher.refinement
    self.confusion = confusion
    (foldCount, logLoss) = (head.foldCount, head.heldOutLoss)
    (regularization, temperature) = (head.regularization, head.temperature)
    let others = teacher.examples.filter { $0.label == Teacher.unknownLabel }
    unknown = teacher.options.unknownRate.flatMap(head.maxDistance).map {
      UnknownResult(head, maxDistance: $0, others: others.map(\.embedding))
    }
    duplicates = teacher.duplicates.map { [$0.name, $0.of] }
    conflicts = teacher.conflicts.map { [$0.name, $0.with] }
    suspects = Suspect.all(head.heldOut, indices, known.map(\.name), teacher.classes)
    (skipped, self.duration) = (teacher.skipped, duration)
  }

  /// The advice for data that allows no reliable classifier.
  public var warnings: [String] {
    var warnings: [String] = []
    let few = classes.filter { $0.exampleCount < Self.recommendedExampleCount }.map(\.label)
    if !few.isEmpty {
      warnings.append(
        "fewer than \(Self.recommendedExampleCount) examples of \(few.joined(separator: ", "))")
    }
    if accuracy.value == 1 {
      warnings.append(
        "all held-out examples are right; if several examples show the same scene, evaluate the bundle on others"
      )
    }
    return warnings
  }

  private static let recommendedExampleCount = 5
}

extension TeachingReport.UnknownResult {
  fileprivate init(_ head: FittedHead, maxDistance: Double, others: [[Float]]) {
    self.maxDistance = maxDistance
    let own = head.ownDistances.compactMap(\.self)
    knownRate = Self.fraction(of: own, beyond: maxDistance)
    isMeasuredOnOthers = !others.isEmpty
    othersRate = Self.fraction(
      of: others.isEmpty ? head.otherDistances : others.map(head.distance), beyond: maxDistance)
  }

  private static func fraction(of distances: [Double], beyond maxDistance: Double) -> Double {
    guard !distances.isEmpty else { return .nan }
    return Double(distances.count { $0 > maxDistance }) / Double(distances.count)
  }
}

extension TeachingReport.Suspect {
  /// Returns the examples for which another class is as probable as it is for its own examples on average (Northcutt,
  /// Jiang and Chuang, Confident Learning, 2021).
  fileprivate static func all(
    _ heldOut: [[Double]], _ indices: [Int], _ names: [String], _ classes: [String]
  ) -> [Self] {
    let means = classes.indices.map { label in
      let own = zip(indices, heldOut).filter { $0.0 == label }.map { $0.1[label] }
      return own.reduce(0, +) / Double(max(1, own.count))
    }
    let suspects = zip(indices, heldOut).enumerated().compactMap { index, item -> Self? in
      let best = item.1.highestIndex
      guard best != item.0, item.1[best] >= means[best] else { return nil }
      return Self(
        name: names[index], label: classes[item.0], suggestion: classes[best],
        probability: item.1[best])
    }
    return suspects.sorted { $0.probability > $1.probability }
  }
}
