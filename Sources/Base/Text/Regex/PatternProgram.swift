/// A compiled pattern: a nondeterministic automaton whose threads are tried in the order of Perl's alternatives.
struct PatternProgram: Sendable {
  /// A step of the automaton.
  enum Instruction: Sendable {
    /// Consumes a scalar of a set.
    case scalar(ScalarSet)
    /// Continues at two places; the first one is preferred.
    case split(Int, Int)
    /// Continues at a place.
    case jump(Int)
    /// Continues if a condition holds.
    case condition(Condition)
    /// Ends a match.
    case match
  }

  /// A condition on the scalar before or after a place; the ends of the text are in no set.
  struct Condition: Sendable {
    let set: ScalarSet
    /// Whether the scalar after the place is meant.
    let isAhead: Bool
    /// Whether the scalar must not be in the set.
    let isNegated: Bool
  }

  /// The maximum number of instructions.
  static let maxInstructions = 2_000

  var instructions: [Instruction] = []

  /// Whether the empty string may match.
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
      case .condition: pending.append(place + 1)
      case .match: return true
      }
    }
    return false
  }
}
