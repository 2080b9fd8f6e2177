/// The deterministic form of a pattern, which finds the match that begins at a place with a table lookup per scalar.
///
/// A state is a list of places of the pattern's program in order of preference. Its transition for a scalar first applies the
/// conditions, which may depend on that scalar, so a match is found when the scalar after it is read.
struct PatternAutomaton: Sendable {
  /// The maximum number of states, and of visits of instructions to find them: a pattern that needs more is simulated.
  private static let (maxStates, maxVisits) = (1_000, 1 << 17)
  /// The state without places.
  private static let dead = 0

  private let partition: ScalarPartition
  /// For each state and class: the next state, doubled, plus 1 if a match ends before the scalar.
  private let transitions: [UInt16]
  /// The first state for each class of the scalar before the place.
  private let firstStates: [Int]
  /// Whether matches depend on the scalar before them.
  private let readsPrevious: Bool

  /// Creates the automaton of a program, or returns `nil` if it is too large.
  init?(_ program: PatternProgram) {
    guard var builder = Builder(program) else { return nil }
    partition = builder.partition
    readsPrevious = builder.readsPrevious
    firstStates = (0..<builder.classCount).map { builder.state(of: [0], after: $0) }
    guard builder.addTransitions() else { return nil }
    transitions = builder.transitions
  }

  /// Returns the end of the match at an offset, or `nil` if there is none, and the end of the bytes that were read.
  func match(at offset: Int, in text: Span<UInt8>) -> (end: Int?, readEnd: Int) {
    let classCount = partition.count + 1
    var state = firstStates[0]
    if readsPrevious {
      let previous = UTF8Text.scalar(before: offset, in: text)
      state = firstStates[previous.map(partition.index(of:)) ?? partition.count]
    }
    let transitions = transitions.span
    var end: Int?
    var index = offset
    while true {
      var (place, length) = (partition.count, 0)
      if index < text.count {
        let (scalar, scalarLength) = UTF8Text.scalar(at: index, in: text)
        (place, length) = (partition.index(of: scalar), scalarLength)
      }
      let transition = Int(transitions[state * classCount + place])
      if transition & 1 != 0 { end = index }
      state = transition >> 1
      guard state != Self.dead else { return (end, index) }
      index += length
    }
  }

  private struct Builder {
    private let program: PatternProgram
    let partition: ScalarPartition
    let readsPrevious: Bool
    /// For each instruction with a set: whether it contains the scalars of each class, and not the ends of the text.
    private let members: [[Bool]]
    private var states: [[Int]: Int] = [:]
    /// The class of the scalar before each state, and its places.
    private var keys: [[Int]] = []
    private(set) var transitions: [UInt16] = []
    private var visits = 0

    /// The number of classes and of the ends of the text, which count as one more.
    var classCount: Int { partition.count + 1 }

    init?(_ program: PatternProgram) {
      self.program = program
      var readsPrevious = false
      let sets = program.instructions.map { instruction -> ScalarSet? in
        switch instruction {
        case .scalar(let set): return set
        case .condition(let condition):
          if !condition.isAhead { readsPrevious = true }
          return condition.set
        case .split, .jump, .match: return nil
        }
      }
      self.readsPrevious = readsPrevious
      guard let partition = ScalarPartition(sets.compactMap(\.self)) else { return nil }
      self.partition = partition
      members = sets.map { set in
        guard let set else { return [] }
        return partition.samples.map(set.contains) + [false]
      }
      _ = state(of: [], after: 0)
    }

    /// Returns the number of a state.
    mutating func state(of places: [Int], after previous: Int) -> Int {
      let key = [readsPrevious && !places.isEmpty ? previous : 0] + places
      if let state = states[key] { return state }
      states[key] = keys.count
      keys.append(key)
      return keys.count - 1
    }

    /// Adds the transitions of all states; returns whether they are few enough.
    mutating func addTransitions() -> Bool {
      var state = 0
      while state < keys.count {
        for next in 0..<classCount {
          let (places, isMatch) = closure(keys[state].dropFirst(), keys[state][0], next)
          let consumed = places.filter { members[$0][next] }.map { $0 + 1 }
          let target = self.state(of: consumed, after: next)
          guard keys.count <= maxStates, visits <= maxVisits else { return false }
          transitions.append(UInt16(target << 1 | (isMatch ? 1 : 0)))
        }
        state += 1
      }
      return true
    }

    /// Returns the instructions that consume a scalar, in order of preference up to a match, and whether there is one.
    private mutating func closure(
      _ places: ArraySlice<Int>, _ previous: Int, _ next: Int
    ) -> (places: [Int], isMatch: Bool) {
      var seen: Set<Int> = []
      var found: [Int] = []
      var pending = Array(places.reversed())
      while let place = pending.popLast() {
        guard seen.insert(place).inserted else { continue }
        visits += 1
        switch program.instructions[place] {
        case .split(let first, let second): pending += [second, first]
        case .jump(let target): pending.append(target)
        case .condition(let condition):
          let isMember = members[place][condition.isAhead ? next : previous]
          if isMember != condition.isNegated { pending.append(place + 1) }
        case .scalar: found.append(place)
        case .match: return (found, true)
        }
      }
      return (found, false)
    }
  }
}
