/// The items recorded by earlier runs, counted per key because equal inputs share a key.
package struct RecordedItems {
  /// The outcome of an item.
  package enum Outcome: Sendable { case succeeded, failed }

  private var outcomes: [String: [Outcome]] = [:]

  package init(
    outcomes: [String: [Outcome]] = [:]
  ) {
    self.outcomes = outcomes
  }

  /// Whether no item is recorded.
  package var isEmpty: Bool { outcomes.isEmpty }

  /// Adds the outcome of an item.
  package mutating func add(_ key: String, _ outcome: Outcome) {
    outcomes[key, default: []].append(outcome)
  }

  /// Removes and returns one outcome recorded under `key`; each outcome is that of one item.
  package mutating func claim(_ key: String) -> Outcome? {
    outcomes[key]?.popLast()
  }
}
