/// A deterministic automaton of a grammar, whose states are found when a text first reaches them.
///
/// A state is a set of places in the grammar, each with the places to return to from the rules around it. The automaton never
/// enters a state from which no text leads to the end.
struct ByteAutomaton: Sendable {
  /// A place, and what follows the rule it is in.
  private struct Configuration: Hashable, Comparable {
    let place: Int32
    /// The index of a frame.
    let frame: Int32

    static func < (first: Self, second: Self) -> Bool {
      (first.place, first.frame) < (second.place, second.frame)
    }
  }

  /// A place to return to.
  private struct Frame: Hashable {
    let place: Int32
    /// The frame of the rule that it is in.
    let outer: Int32
  }

  /// The state from which no text leads to the end.
  static let dead: Int32 = 0
  private static let unknown: Int32 = -1
  /// The maximum number of rules that are in each other: that of nested values which ``JSONDocument`` reads.
  private static let maxDepth = 63
  /// The maximum number of places of a state.
  private static let maxConfigurations = 4_096
  /// The maximum number of states, and of their places and of frames; half of each is free before a step.
  private static let (maxStates, maxTotal) = (1 << 15, 1 << 21)
  /// The maximum number of places that are visited in a step.
  private static let maxVisits = 1 << 20

  private let grammar: ByteGrammar
  /// The number of rules in each other that is needed from a place to the end of its rule; ``unreachable`` if there is no end.
  private let depths: [UInt8]
  private static let unreachable = UInt8.max
  /// The class of each byte, and a byte of each class.
  private let (classes, samples): ([UInt8], [UInt8])

  private var frames: [Frame] = []
  private var frameDepths: [Int] = []
  private var frameIDs: [Frame: Int32] = [:]
  private var states: [[Configuration]: Int32] = [:]
  private var configurations: [[Configuration]] = []
  private var configurationCount = 0
  /// The next state for each state and class.
  private var transitions: [Int32] = []
  private var visits = 0

  /// The state of the text so far.
  private(set) var state = dead

  /// Creates an automaton at the beginning of a text.
  ///
  /// - Parameters:
  ///   - grammar: The texts.
  ///   - usableBytes: For each byte, whether texts can contain it.
  /// - Throws: ``ConstraintError`` if there is no text.
  init(_ grammar: ByteGrammar, usableBytes: [Bool]) throws(ConstraintError) {
    self.grammar = grammar
    depths = Self.depths(of: grammar, usableBytes)
    var isBoundary = [Bool](repeating: false, count: 257)
    for case .byte(let range, _) in grammar.instructions {
      isBoundary[Int(range.lowerBound)] = true
      isBoundary[Int(range.upperBound) + 1] = true
    }
    var (classes, samples): ([UInt8], [UInt8]) = ([], [0])
    for byte in UInt8.min...UInt8.max {
      if byte > 0, isBoundary[Int(byte)] { samples.append(byte) }
      classes.append(UInt8(samples.count - 1))
    }
    (self.classes, self.samples) = (classes, samples)
    reset()
    try restart()
    guard state != Self.dead else { throw .unsatisfiable }
  }

  /// Returns to the beginning of a text.
  mutating func restart() throws(ConstraintError) {
    visits = 0
    var places: [Configuration] = []
    var seen: Set<Configuration> = []
    try visit(Configuration(place: grammar.start, frame: 0), &seen, &places)
    state = try intern(places)
  }

  /// Whether the text can end.
  var isAccepting: Bool { configurations[Int(state)].first?.place == ByteGrammar.end }

  /// Whether the text has to end.
  var isComplete: Bool { isAccepting && configurations[Int(state)].count == 1 }

  /// Returns the state after a byte.
  @inline(__always)
  mutating func state(after state: Int32, _ byte: UInt8) throws(ConstraintError) -> Int32 {
    let known = transitions[Int(state) * samples.count + Int(classes[Int(byte)])]
    return known == Self.unknown ? try addTransition(from: state, byte) : known
  }

  /// Adds a byte to the text, which may be in state ``dead`` then.
  mutating func append(_ byte: UInt8) throws(ConstraintError) {
    visits = 0
    state = try self.state(after: state, byte)
  }

  /// Returns a state that allows the same tokens as the present one, for which they may be known already.
  mutating func lookalike() throws(ConstraintError) -> Int32 {
    var places: Set<Configuration> = []
    for configuration in configurations[Int(state)] {
      places.insert(
        Configuration(
          place: grammar.lookalikes[Int(configuration.place)],
          frame: lookalike(ofFrame: configuration.frame)))
    }
    return try intern(Array(places))
  }

  private mutating func lookalike(ofFrame frame: Int32) -> Int32 {
    var places: [Int32] = []
    var next = frame
    while next != 0 {
      places.append(grammar.lookalikes[Int(frames[Int(next)].place)])
      next = frames[Int(next)].outer
    }
    var result: Int32 = 0
    for place in places.reversed() { result = push(Frame(place: place, outer: result)) }
    return result
  }

  /// Prepares for the bytes of a step; returns whether states were forgotten, and numbers have another meaning.
  mutating func beginStep() throws(ConstraintError) -> Bool {
    visits = 0
    let isFull =
      configurations.count > Self.maxStates / 2 || configurationCount > Self.maxTotal / 2
      || frames.count > Self.maxTotal / 2
    guard isFull else { return false }
    let paths = configurations[Int(state)].map { configuration in
      var path: [Int32] = []
      var frame = configuration.frame
      while frame != 0 {
        path.append(frames[Int(frame)].place)
        frame = frames[Int(frame)].outer
      }
      return (configuration.place, path)
    }
    reset()
    var kept: [Configuration] = []
    for (place, path) in paths {
      var frame: Int32 = 0
      for place in path.reversed() { frame = push(Frame(place: place, outer: frame)) }
      kept.append(Configuration(place: place, frame: frame))
    }
    state = try intern(kept)
    return true
  }
}

// States.
extension ByteAutomaton {
  /// Forgets all states but the dead one, and all frames but the outermost.
  private mutating func reset() {
    frames = [Frame(place: ByteGrammar.end, outer: 0)]
    frameDepths = [0]
    frameIDs = [:]
    states = [[]: Self.dead]
    configurations = [[]]
    configurationCount = 0
    transitions = [Int32](repeating: Self.dead, count: samples.count)
  }

  private mutating func push(_ frame: Frame) -> Int32 {
    if let known = frameIDs[frame] { return known }
    frames.append(frame)
    frameDepths.append(frameDepths[Int(frame.outer)] + 1)
    frameIDs[frame] = Int32(frames.count - 1)
    return Int32(frames.count - 1)
  }

  private mutating func intern(_ places: [Configuration]) throws(ConstraintError) -> Int32 {
    let places = places.sorted()
    if let known = states[places] { return known }
    configurationCount += places.count
    guard configurations.count < Self.maxStates, configurationCount < Self.maxTotal,
      frames.count < Self.maxTotal
    else { throw .tooComplex(message: "too many states can follow") }
    let state = Int32(configurations.count)
    states[places] = state
    configurations.append(places)
    transitions += repeatElement(Self.unknown, count: samples.count)
    return state
  }

  private mutating func addTransition(
    from state: Int32, _ byte: UInt8
  ) throws(ConstraintError) -> Int32 {
    var places: [Configuration] = []
    var seen: Set<Configuration> = []
    for configuration in configurations[Int(state)] {
      guard case .byte(let range, let next) = grammar.instructions[Int(configuration.place)],
        range.contains(byte)
      else { continue }
      try visit(Configuration(place: next, frame: configuration.frame), &seen, &places)
    }
    let next = try intern(places)
    transitions[Int(state) * samples.count + Int(classes[Int(byte)])] = next
    return next
  }

  /// Adds the places that consume a byte or end the text and that are reached from a place without a byte.
  private mutating func visit(
    _ start: Configuration, _ seen: inout Set<Configuration>, _ found: inout [Configuration]
  ) throws(ConstraintError) {
    var pending = [start]
    while let next = pending.popLast() {
      let (place, frame) = (next.place, next.frame)
      let depth = depths[Int(place)]
      guard depth != Self.unreachable, frameDepths[Int(frame)] + Int(depth) <= Self.maxDepth,
        seen.insert(next).inserted
      else { continue }
      visits += 1
      guard visits <= Self.maxVisits, found.count < Self.maxConfigurations else {
        throw .tooComplex(message: "too many of its parts apply to the same text")
      }
      switch grammar.instructions[Int(place)] {
      case .byte: found.append(next)
      case .split(let first, let second):
        pending.append(Configuration(place: first, frame: frame))
        pending.append(Configuration(place: second, frame: frame))
      case .call(let rule, ByteGrammar.end):
        pending.append(Configuration(place: grammar.rules[Int(rule)], frame: frame))
      case .call(let rule, let then):
        let inner = push(Frame(place: then, outer: frame))
        pending.append(Configuration(place: grammar.rules[Int(rule)], frame: inner))
      case .end:
        if frame == 0 {
          found.append(next)
        } else {
          let outer = frames[Int(frame)]
          pending.append(Configuration(place: outer.place, frame: outer.outer))
        }
      case .dead: break
      }
    }
  }
}

// Ends.
extension ByteAutomaton {
  /// Returns the number of rules in each other that is needed from each place to the end of its rule.
  ///
  /// The places are found in order of this number, beginning with the end.
  private static func depths(of grammar: ByteGrammar, _ usableBytes: [Bool]) -> [UInt8] {
    let count = grammar.instructions.count
    // The places from which each place, or the beginning of each rule, is reached.
    var sources: [[Int32]] = Array(repeating: [], count: count)
    for (place, instruction) in grammar.instructions.enumerated() {
      let place = Int32(place)
      switch instruction {
      case .byte(let range, let then):
        if range.contains(where: { usableBytes[Int($0)] }) { sources[Int(then)].append(place) }
      case .split(let first, let second):
        sources[Int(first)].append(place)
        sources[Int(second)].append(place)
      case .call(let rule, let then):
        sources[Int(then)].append(place)
        sources[Int(grammar.rules[Int(rule)])].append(place)
      case .end, .dead: break
      }
    }
    var depths = [UInt8](repeating: unreachable, count: count)
    var found: [[Int32]] = Array(repeating: [], count: maxDepth + 1)
    found[0] = [ByteGrammar.end]
    for depth in 0...maxDepth {
      while let place = found[depth].popLast() {
        guard depths[Int(place)] == unreachable else { continue }
        depths[Int(place)] = UInt8(depth)
        for source in sources[Int(place)] where depths[Int(source)] == unreachable {
          guard case .call(let rule, let then) = grammar.instructions[Int(source)] else {
            found[depth].append(source)
            continue
          }
          let inner = depths[Int(grammar.rules[Int(rule)])]
          guard inner != unreachable, depths[Int(then)] != unreachable else { continue }
          let needed = then == ByteGrammar.end ? Int(inner) : max(Int(inner) + 1, depth)
          if needed <= maxDepth { found[needed].append(source) }
        }
      }
    }
    return depths
  }
}
