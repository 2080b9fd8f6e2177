/// What earlier runs have recorded: how often each key, since pictures may be equal.
package struct RecordedItems {
  /// What an item came to.
  package enum Outcome: Sendable { case succeeded, failed }

  private var outcomes: [String: [Outcome]] = [:]

  package init(
    outcomes: [String: [Outcome]] = [:]
  ) {
    self.outcomes = outcomes
  }

  /// Whether nothing is recorded.
  package var isEmpty: Bool { outcomes.isEmpty }

  /// Adds what came of an item.
  package mutating func add(_ key: String, _ outcome: Outcome) {
    outcomes[key, default: []].append(outcome)
  }

  /// Takes one record of a key away: each stands for one item.
  package mutating func claim(_ key: String) -> Outcome? {
    outcomes[key]?.popLast()
  }
}
