import TensorIOSystem

/// Finds the slices of items that differ from the others.
struct SliceSearch {
  /// A slice to test.
  struct Candidate: Sendable {
    /// The attributes and their values.
    var conditions: [Condition]
    /// The indices of the items in ascending order.
    var items: [Int] = []

    /// The name of the slice.
    var name: String { conditions.map { "\($0.attribute)=\($0.value)" }.joined(separator: ",") }
  }

  /// A value of an attribute.
  struct Condition: Sendable, Hashable {
    let attribute: String
    let value: String
  }

  /// How a slice compares with other items.
  struct Comparison: Sendable {
    let value: Double
    let reference: Double
    let isWorse: Bool
    let probability: Double
  }

  /// The maximum number of values of an attribute; one with more is likely a name or a number.
  private static let maxValues = 50
  /// The minimum number of items of a slice that is tested.
  private static let minItems = 10
  /// The maximum number of slices that are reported.
  private static let maxFindings = 5

  /// The slices of one attribute, followed by those of two.
  let candidates: [Candidate]

  /// Creates the search over all attributes of items and all pairs of them.
  init(_ outcomes: [ItemOutcome]) {
    let names = Set(outcomes.flatMap(\.attributes.keys)).sorted().filter { name in
      let values = Set(outcomes.compactMap { $0.attributes[name] })
      return (2...Self.maxValues).contains(values.count)
    }
    var candidates = names.flatMap { Self.candidates(outcomes, by: [$0]) }
    for (index, first) in names.enumerated() {
      for second in names.dropFirst(index + 1) {
        candidates += Self.candidates(outcomes, by: [first, second])
      }
    }
    self.candidates = candidates.filter {
      $0.items.count >= Self.minItems && outcomes.count - $0.items.count >= Self.minItems
    }
  }

  /// Returns the slices of some attributes together, in the order of their values.
  static func candidates(_ outcomes: [ItemOutcome], by attributes: [String]) -> [Candidate] {
    var items: [[String]: [Int]] = [:]
    for (index, outcome) in outcomes.enumerated() {
      let values = attributes.compactMap { outcome.attributes[$0] }
      if values.count == attributes.count { items[values, default: []].append(index) }
    }
    return items.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { values, items in
      Candidate(
        conditions: zip(attributes, values).map { Condition(attribute: $0, value: $1) },
        items: items)
    }
  }

  /// Returns the slices that are worse by more than chance, the most certain first.
  ///
  /// A slice of two attributes also has to be worse than the rest of each of its slices of one attribute that is
  /// worse itself.
  ///
  /// - Parameter compare: Compares items of a slice with the rest of a list of items, all if `nil`.
  /// - Returns: The slices with their probabilities after allowing for the number of tests.
  func findings(
    _ compare: (_ items: [Int], _ all: [Int]?) -> Comparison?
  ) -> [(candidate: Candidate, comparison: Comparison, probability: Double)] {
    let tested = candidates.map { ($0, compare($0.items, nil)) }
    let probabilities = SignificanceTest.adjusted(
      tested.map { $1?.probability ?? 1 }, of: candidates.count)
    var worse: [(candidate: Candidate, comparison: Comparison, probability: Double)] = []
    for ((candidate, comparison), probability) in zip(tested, probabilities) {
      guard let comparison, comparison.isWorse, probability < SignificanceTest.level else {
        continue
      }
      let parents = worse.filter {
        $0.candidate.conditions.count < candidate.conditions.count
          && Set($0.candidate.conditions).isSubset(of: candidate.conditions)
      }
      let explains = parents.contains { parent in
        guard let inner = compare(candidate.items, parent.candidate.items) else { return true }
        return !inner.isWorse || inner.probability >= SignificanceTest.level
      }
      if !explains { worse.append((candidate, comparison, probability)) }
    }
    return Array(worse.sorted { $0.probability < $1.probability }.prefix(Self.maxFindings))
  }
}

// MARK: Slices of a result

extension EvaluationResult {
  /// Adds the metrics of the slices of attributes.
  ///
  /// - Parameter attributes: The attributes; several together divide the items by all of them.
  package mutating func addSlices(by attributes: [String]) {
    for candidate in SliceSearch.candidates(items.outcomes, by: attributes) { add(candidate) }
  }

  /// Adds the metrics of the slice with a name, such as `site=A`, unless it has no items.
  package mutating func addSlice(named name: String) {
    let attributes = name.split(separator: ",").compactMap { $0.split(separator: "=").first }
    for candidate in SliceSearch.candidates(items.outcomes, by: attributes.map(\.trimmed))
    where candidate.name == name { add(candidate) }
  }

  private mutating func add(_ candidate: SliceSearch.Candidate) {
    guard !slices.contains(where: { $0.name == candidate.name }) else { return }
    slices.append(result(of: candidate))
  }

  func result(of candidate: SliceSearch.Candidate) -> SliceResult {
    var table = items.selecting(candidate.items)
    table.resample()
    // Metrics of classes have brackets.
    let metrics = table.values.filter { !$0.name.hasSuffix("]") }
    return SliceResult(name: candidate.name, count: candidate.items.count, metrics: metrics)
  }

  /// Finds the slices of one or two attributes that are worse than the other items.
  package mutating func findWorstSlices() {
    let search = SliceSearch(items.outcomes)
    let outcomes = items.outcomes
    let areCorrect = outcomes.compactMap(\.isCorrect)
    let losses = outcomes.compactMap(\.loss)
    let measure: String
    let findings:
      [(candidate: SliceSearch.Candidate, comparison: SliceSearch.Comparison, probability: Double)]
    if areCorrect.count == outcomes.count {
      measure = SliceFinding.accuracy
      let total = areCorrect.count { $0 }
      findings = search.findings { items, all in
        let all = (
          successes: all.map { $0.count { areCorrect[$0] } } ?? total,
          count: all?.count ?? areCorrect.count
        )
        let inside = (successes: items.count { areCorrect[$0] }, count: items.count)
        let rest = (successes: all.successes - inside.successes, count: all.count - inside.count)
        guard let value = ratio(inside.successes, of: inside.count),
          let reference = ratio(rest.successes, of: rest.count)
        else { return nil }
        return SliceSearch.Comparison(
          value: value, reference: reference, isWorse: value < reference,
          probability: SignificanceTest.fisher(inside, rest))
      }
    } else if losses.count == outcomes.count {
      measure = SliceFinding.loss
      findings = search.findings { items, all in
        let inside = items.map { losses[$0] }
        let members = Set(items)
        let rest = (all ?? Array(losses.indices)).filter { !members.contains($0) }.map {
          losses[$0]
        }
        guard let value = inside.mean, let reference = rest.mean,
          let probability = SignificanceTest.welch(inside, rest)
        else { return nil }
        return SliceSearch.Comparison(
          value: value, reference: reference, isWorse: value > reference, probability: probability)
      }
    } else {
      return
    }
    worstSlices = SliceFindings(
      findings.map { candidate, comparison, probability in
        SliceFinding(
          slice: result(of: candidate), measure: measure, value: comparison.value,
          reference: comparison.reference, probability: probability)
      }, testedCount: search.candidates.count)
  }
}
