extension ByteGrammar {
  /// Creates the program of the texts that a regular expression matches as a whole.
  package init(pattern: String, lookahead: Int) throws(ConstraintError) {
    try self.init(lookahead: lookahead) { (grammar) throws(ConstraintError) in
      try grammar.pattern(pattern, then: Self.end)
    }
  }

  /// Consumes a text that a pattern matches as a whole.
  mutating func pattern(
    _ pattern: String, isQuoted: Bool = false, then: Int32
  ) throws(ConstraintError) -> Int32 {
    let program = try Self.program(of: pattern)
    return try add(program, isQuoted: isQuoted, then: then, after: then)
  }

  /// Consumes the content of a JSON string in which a pattern is found.
  mutating func search(_ pattern: String, then: Int32) throws(ConstraintError) -> Int32 {
    let program = try Self.program(of: pattern)
    let rest = try repeated(min: 0, max: nil, then: then) {
      (grammar, next) throws(ConstraintError) in
      try grammar.character(of: .all, isQuoted: true, then: next)
    }
    // What is found begins at the beginning, or after characters.
    let whole = try add(program, isQuoted: true, then: rest, after: then)
    let later = try add(program, isQuoted: true, isAtBeginning: false, then: rest, after: then)
    let skipped = try repeated(min: 1, max: nil, then: later) {
      (grammar, next) throws(ConstraintError) in
      try grammar.character(of: .all, isQuoted: true, then: next)
    }
    return try any(of: [whole, skipped])
  }

  private static func program(of pattern: String) throws(ConstraintError) -> PatternProgram {
    do {
      return try PatternParser.program(of: pattern, dialect: .ecmaScript)
    } catch {
      guard case .invalidPattern(let message, let offset) = error.reason else {
        throw .invalidPattern(message: error.description, offset: 0)
      }
      throw .invalidPattern(message: message, offset: offset)
    }
  }

  /// A place of a pattern's program, and what is known there of the text around it.
  private struct Place: Hashable {
    let index: Int
    /// Whether nothing is before it.
    let isFirst: Bool
    /// Whether nothing may follow.
    let isLast: Bool
  }

  /// Adds the program of a pattern.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - isQuoted: Whether the text is the content of a JSON string.
  ///   - isAtBeginning: Whether nothing is before the match.
  ///   - then: What follows a match.
  ///   - end: What follows a match at the end of the text.
  /// - Returns: The first instruction.
  /// - Throws: ``ConstraintError`` if the program is too long.
  private mutating func add(
    _ program: PatternProgram, isQuoted: Bool, isAtBeginning: Bool = true, then: Int32,
    after end: Int32
  ) throws(ConstraintError) -> Int32 {
    var places: [Place: Int32] = [:]
    var pending: [Place] = []
    func place(
      _ place: Place, _ grammar: inout ByteGrammar
    ) throws(ConstraintError) -> Int32 {
      if let known = places[place] { return known }
      let reserved = try grammar.reserve()
      places[place] = reserved
      pending.append(place)
      return reserved
    }
    let start = try place(Place(index: 0, isFirst: isAtBeginning, isLast: false), &self)
    while let next = pending.popLast() {
      let reserved = try place(next, &self)
      func moved(_ index: Int, isLast: Bool = false) -> Place {
        Place(index: index, isFirst: next.isFirst, isLast: next.isLast || isLast)
      }
      switch program.instructions[next.index] {
      case .scalar(let scalars):
        guard !next.isLast else { continue }
        let following = try place(
          Place(index: next.index + 1, isFirst: false, isLast: false), &self)
        set(reserved, try character(of: scalars, isQuoted: isQuoted, then: following))
      case .split(let first, let second):
        set(reserved, try place(moved(first), &self), try place(moved(second), &self))
      case .jump(let target): set(reserved, try place(moved(target), &self))
      case .condition(let condition):
        guard condition.isAhead || next.isFirst else { continue }
        set(reserved, try place(moved(next.index + 1, isLast: condition.isAhead), &self))
      case .match: set(reserved, next.isLast ? end : then)
      }
    }
    return start
  }
}
