/// What earlier runs have recorded: how often each key, since pictures may be equal.
struct RecordedItems {
  /// What an item came to.
  enum Outcome: Sendable { case answered, failed }

  private var outcomes: [String: [Outcome]] = [:]

  /// Whether nothing is recorded.
  var isEmpty: Bool { outcomes.isEmpty }

  /// Adds what came of an item.
  mutating func add(_ key: String, _ outcome: Outcome) {
    outcomes[key, default: []].append(outcome)
  }

  /// Takes one record of a key away: each stands for one item.
  mutating func claim(_ key: String) -> Outcome? {
    outcomes[key]?.popLast()
  }
}
