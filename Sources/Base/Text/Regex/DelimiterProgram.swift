/// A compiled pattern: a nondeterministic automaton whose threads are tried in the order of Perl's alternatives.
struct DelimiterProgram: Sendable {
  /// A step of the automaton.
  enum Instruction: Sendable {
    /// Consumes a scalar of a set.
    case scalar(ScalarSet)
    /// Continues at two places; the first one is preferred.
    case split(Int, Int)
    /// Continues at a place.
    case jump(Int)
    /// Ends a match.
    case match
  }

  /// The maximum number of instructions.
  static let maxInstructions = 2_000

  var instructions: [Instruction] = []

  /// Whether the empty string matches.
  var matchesEmptyString: Bool {
    var seen = [Bool](repeating: false, count: instructions.count)
    var pending = [0]
    while let place = pending.popLast() {
      guard !seen[place] else { continue }
      seen[place] = true
      switch instructions[place] {
      case .scalar: break
      case .split(let first, let second): pending += [first, second]
      case .jump(let target): pending.append(target)
      case .match: return true
      }
    }
    return false
  }

  /// The set of a pattern that matches the longest run of a set, or one scalar of it; `nil` for other patterns.
  var run: (set: ScalarSet, isRepeated: Bool)? {
    guard case .scalar(let set)? = instructions.first else { return nil }
    if instructions.count == 2, case .match = instructions[1] { return (set, false) }
    if instructions.count == 3, case .split(0, 2) = instructions[1], case .match = instructions[2] {
      return (set, true)
    }
    return nil
  }
}
