public import TensorIOBundle

/// How much the inputs and results of a model differ from a reference.
///
/// The differences are measured without labels, so they show that data has changed, not that the model is worse.
public struct DriftReport: Sendable, Hashable {
  /// How much a number differs.
  public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Not more than chance, or than matters.
    case none
    /// A population stability index of at least 0.1, or embeddings that differ by more than chance.
    case some
    /// A population stability index of at least 0.25, or a squared discrepancy of embeddings of at least 0.05.
    case much

    /// Returns whether a level is less than another.
    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .none: 0
      case .some: 1
      case .much: 2
      }
    }
  }

  /// The difference of a number, or of the embeddings.
  public struct Row: Sendable, Hashable {
    /// The name of the number.
    public let name: String
    /// Whether the number is of an `input` or of an `output`.
    public let source: String
    /// The population stability index; `nil` for embeddings.
    public package(set) var stability: Double?
    /// The largest difference of the distribution functions; `nil` for classes and embeddings.
    ///
    /// It is a lower bound if the reference is a histogram.
    public package(set) var distance: Double?
    /// The probability of such a distance if there is no difference.
    public package(set) var probability: Double?
    /// The squared maximum mean discrepancy of embeddings; `nil` for numbers.
    public package(set) var discrepancy: Double?
    /// The fraction of items without a value.
    public package(set) var missing = 0.0
    /// The fraction of items without a value in the reference.
    public package(set) var referenceMissing = 0.0
    /// Whether the index is no larger than that of one in 20 samples of the same distribution.
    public package(set) var isChance = false
    /// How much the number differs.
    public package(set) var level = Level.none
  }

  /// The index from which on a difference is one.
  public static let someDrift = 0.1
  /// The index from which on a difference is large.
  public static let muchDrift = 0.25
  /// The squared discrepancy of embeddings from which on a difference is large.
  private static let muchDiscrepancy = 0.05

  /// The number of items of the reference.
  public let referenceCount: Int
  /// The number of items that are compared with it.
  public let count: Int
  /// The differences, the largest first.
  public let rows: [Row]

  /// The largest difference.
  public var level: Level { rows.lazy.map(\.level).max() ?? .none }

  /// Returns the numbers whose index is above a threshold, and embeddings with much drift.
  ///
  /// Indices that chance explains are not above it.
  public func alerts(above threshold: Double) -> [Row] {
    rows.filter { row in
      row.stability.map { $0 > threshold && !row.isChance } ?? (row.level == .much)
    }
  }

  /// Compares items with a reference.
  ///
  /// - Throws: A `ModelError` if the reference is that of another model.
  public init(_ sample: DriftSample, against reference: DriftReference) throws(ModelError) {
    try self.init(sample, reference) { _ in nil }
  }

  /// Compares items with others, whose numbers need not be put into bins.
  ///
  /// - Throws: A `ModelError` if the items are those of another model.
  public init(_ sample: DriftSample, against other: DriftSample) throws(ModelError) {
    let columns = Dictionary(
      zip(other.features.map(\.name), other.columns)
    ) { first, _ in first }
    try self.init(sample, DriftReference(other)) { columns[$0] }
  }

  private init(
    _ sample: DriftSample, _ reference: DriftReference, values: (String) -> [Double]?
  ) throws(ModelError) {
    let positions = Dictionary(
      sample.features.enumerated().map { ($1.name, $0) }
    ) { first, _ in first }
    var rows: [Row] = []
    for distribution in reference.distributions {
      guard let position = positions[distribution.name] else { continue }
      rows.append(
        Row(distribution, sample.columns[position], against: values(distribution.name)))
    }
    rows += [Row(sample.vectors, against: reference.vectors)].compactMap(\.self)
    guard !rows.isEmpty else {
      throw ModelError(
        .bundle, .unmetRequirement("comparing distributions requires those of the same model"))
    }
    (referenceCount, count) = (reference.count, sample.count)
    self.rows = rows.enumerated().sorted { left, right in
      let (a, b) = (left.element.order, right.element.order)
      return a == b ? left.offset < right.offset : a > b
    }.map(\.element)
  }
}

extension DriftReport.Row {
  /// Compares the values of items with a histogram and, if they are known, with the values that it is of.
  fileprivate init(
    _ reference: DriftReference.Distribution, _ column: [Double], against others: [Double]?
  ) {
    (name, source) = (reference.name, reference.source.rawValue)
    let values = column.filter(\.isFinite)
    let counts = DriftStatistic.counts(of: values, reference.edges)
    update(with: counts, missing: column.count - values.count, of: reference, simulating: true)
    guard !reference.isClass else { return }
    let result =
      others.map { DriftStatistic.kolmogorovSmirnov($0.filter(\.isFinite), values) }
      ?? DriftStatistic.kolmogorovSmirnov(counts: reference.counts, counts)
    (distance, probability) = (result?.distance, result?.probability)
  }

  /// Compares a histogram of many items with that of a reference, for a server that keeps no values.
  package init(
    _ reference: DriftReference.Distribution, counts: [Int], missing: Int
  ) {
    (name, source) = (reference.name, reference.source.rawValue)
    update(with: counts, missing: missing, of: reference, simulating: false)
  }

  /// Sets the index and the level.
  private mutating func update(
    with counts: [Int], missing: Int, of reference: DriftReference.Distribution,
    simulating simulates: Bool
  ) {
    let present = (reference.counts.reduce(0, +), counts.reduce(0, +))
    func fraction(_ part: Int, _ rest: Int) -> Double {
      part + rest > 0 ? Double(part) / Double(part + rest) : 0
    }
    referenceMissing = fraction(reference.missing, present.0)
    self.missing = fraction(missing, present.1)
    // Missing values are a bin of their own.
    let hasMissing = reference.missing > 0 || missing > 0
    let expected = reference.counts + (hasMissing ? [reference.missing] : [])
    let actual = counts + (hasMissing ? [missing] : [])
    let index = DriftStatistic.populationStability(expected, actual)
    stability = index
    guard index >= DriftReport.someDrift else { return }
    isChance =
      index
      <= DriftStatistic.stabilityOfChance(
        expected, count: present.1 + missing, simulating: simulates)
    guard !isChance else { return }
    level = index >= DriftReport.muchDrift ? .much : .some
  }

  /// Compares embeddings; `nil` if there are too few.
  fileprivate init?(_ vectors: [[Float]], against reference: [[Float]]) {
    guard let result = MeanDiscrepancy(reference, vectors) else { return nil }
    (name, source) = ("embeddings", DriftFeatures.Source.output.rawValue)
    (discrepancy, probability) = (result.value, result.probability)
    isChance = result.probability >= SignificanceTest.level
    guard !isChance else { return }
    level = result.value >= DriftReport.muchDiscrepancy ? .much : .some
  }

  /// The order of rows: by level, then by index.
  fileprivate var order: Double {
    let index =
      stability ?? (discrepancy ?? 0) * DriftReport.muchDrift / DriftReport.muchDiscrepancy
    return switch level {
    case .none: isChance ? min(index, DriftReport.someDrift) : index
    case .some: 1000 + index
    case .much: 1_000_000 + index
    }
  }
}
