import TensorIOJSON

/// The texts that a constraint allows, as a program over the bytes of their UTF-8.
///
/// Unlike the program of a pattern it has rules, which call each other: values of JSON are nested. Instructions are built from the
/// end of the text to its beginning, so that each knows what follows it.
package struct ByteGrammar: Sendable {
  /// A step of the program.
  enum Instruction: Sendable {
    /// Consumes a byte of a range.
    case byte(ClosedRange<UInt8>, then: Int32)
    /// Continues at either of two places.
    case split(Int32, Int32)
    /// Continues with a rule, and after its end at a place.
    case call(rule: Int32, then: Int32)
    /// Ends a rule, or the text.
    case end
    /// Allows nothing.
    case dead
  }

  /// A set of characters, and how they are written.
  private struct Characters: Hashable {
    let set: ScalarSet
    let isQuoted: Bool
  }

  /// The place that ends a rule.
  static let end: Int32 = 0
  /// The place that allows nothing.
  static let dead: Int32 = 1
  /// The maximum number of instructions: 4 MiB.
  private static let maxInstructions = 1 << 18

  private(set) var instructions: [Instruction] = [.end, .dead]
  /// For each instruction, one that allows the same next ``lookahead`` bytes.
  private(set) var lookalikes: [Int32] = [0, 1]
  /// The first instruction of each rule.
  private(set) var rules: [Int32] = []
  /// The first instruction.
  private(set) var start = dead
  /// The number of bytes of the longest token.
  private let lookahead: Int
  private var characterRules: [Characters: Int32] = [:]

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - lookahead: The number of bytes in which instructions have to differ to be told apart.
  ///   - build: Returns the first instruction.
  /// - Throws: The error of `build`.
  init(
    lookahead: Int, _ build: (inout ByteGrammar) throws(ConstraintError) -> Int32
  ) throws(ConstraintError) {
    self.lookahead = lookahead
    start = try build(&self)
  }

  /// Adds an instruction, and returns its place.
  mutating func add(_ instruction: Instruction) throws(ConstraintError) -> Int32 {
    guard instructions.count < Self.maxInstructions else {
      throw .tooComplex(message: "it has more than \(Self.maxInstructions) steps")
    }
    instructions.append(instruction)
    lookalikes.append(Int32(lookalikes.count))
    return Int32(instructions.count - 1)
  }

  /// Adds a place whose instruction is set later, for loops.
  mutating func reserve() throws(ConstraintError) -> Int32 { try add(.dead) }

  /// Sets the instruction of a reserved place to the choice of others.
  mutating func set(_ place: Int32, _ first: Int32, _ second: Int32 = dead) {
    instructions[Int(place)] = .split(first, second)
  }

  /// Adds a rule, whose first instruction is set later.
  mutating func reserveRule() -> Int32 { rule(Self.dead) }

  /// Sets the first instruction of a rule.
  mutating func setRule(_ rule: Int32, _ start: Int32) { rules[Int(rule)] = start }

  /// Adds a rule, and returns its number.
  mutating func rule(_ start: Int32) -> Int32 {
    rules.append(start)
    return Int32(rules.count - 1)
  }
}

// Parts of programs; each returns its first instruction.
extension ByteGrammar {
  /// Consumes bytes.
  mutating func literal(_ bytes: some Sequence<UInt8>, then: Int32) throws(ConstraintError) -> Int32
  {
    var next = then
    for byte in bytes.reversed() { next = try add(.byte(byte...byte, then: next)) }
    return next
  }

  /// Consumes ASCII text.
  mutating func literal(_ text: StaticString, then: Int32) throws(ConstraintError) -> Int32 {
    try literal("\(text)".utf8, then: then)
  }

  /// Continues at any of some places.
  mutating func any(of places: [Int32]) throws(ConstraintError) -> Int32 {
    var result = Self.dead
    for place in places.reversed() where place != Self.dead {
      result = result == Self.dead ? place : try add(.split(place, result))
    }
    return result
  }

  /// Repeats something that consumes at least a byte.
  mutating func repeated(
    min: Int, max: Int?, then: Int32,
    _ body: (inout ByteGrammar, Int32) throws(ConstraintError) -> Int32
  ) throws(ConstraintError) -> Int32 {
    var next = then
    if let max {
      next = try copies(Swift.max(0, max - min), before: next) {
        (grammar, next) throws(ConstraintError) in
        try grammar.any(of: [body(&grammar, next), then])
      }
    } else {
      next = try reserve()
      set(next, try body(&self, next), then)
    }
    return try copies(min, before: next, body)
  }

  /// Adds copies of something that consumes at least a byte.
  ///
  /// A place is like another one if so many copies follow both that no token reaches the last one.
  private mutating func copies(
    _ count: Int, before then: Int32,
    _ body: (inout ByteGrammar, Int32) throws(ConstraintError) -> Int32
  ) throws(ConstraintError) -> Int32 {
    var next = then
    var model = 0..<0
    for copy in 0..<count {
      let start = instructions.count
      next = try body(&self, next)
      if copy <= lookahead {
        model = start..<instructions.count
      } else if model.count == instructions.count - start {
        for (place, like) in zip(start..., model) { lookalikes[place] = Int32(like) }
      }
    }
    return next
  }

  /// Consumes one of some words, or what else follows their letters.
  ///
  /// - Parameters:
  ///   - words: Words, in any order.
  ///   - ending: Returns what follows the letters so far, given the place for each next letter and whether they are a word.
  /// - Returns: The first instruction.
  /// - Throws: ``ConstraintError`` if the program is too long.
  mutating func words(
    _ words: [[UInt32]],
    ending: (inout ByteGrammar, [(UInt32, Int32)], Bool) throws(ConstraintError) -> Int32
  ) throws(ConstraintError) -> Int32 {
    // For each letter of the last word, the ends of other words that begin with those before it.
    var levels: [(next: [(UInt32, Int32)], isWord: Bool)] = [([], false)]
    var last: [UInt32] = []
    func close(_ grammar: inout ByteGrammar, to depth: Int) throws(ConstraintError) {
      while levels.count - 1 > depth {
        let level = levels.removeLast()
        let place = try ending(&grammar, level.next, level.isWord)
        levels[levels.count - 1].next.append((last[levels.count - 1], place))
      }
    }
    for word in words.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let shared = zip(word, last).prefix { $0 == $1 }.count
      try close(&self, to: shared)
      while levels.count <= word.count { levels.append(([], false)) }
      levels[word.count].isWord = true
      last = word
    }
    try close(&self, to: 0)
    return try ending(&self, levels[0].next, levels[0].isWord)
  }
}

// Characters.
extension ByteGrammar {
  /// Consumes a character of a set.
  ///
  /// - Parameters:
  ///   - set: The characters.
  ///   - isQuoted: Whether they are part of a JSON string, with escapes only where they are required.
  ///   - then: The place that follows.
  /// - Returns: The first instruction.
  /// - Throws: ``ConstraintError`` if the program is too long.
  mutating func character(
    of set: ScalarSet, isQuoted: Bool, then: Int32
  ) throws(ConstraintError) -> Int32 {
    if let scalar = set.single, (0x20..<0x80).contains(scalar),
      !isQuoted || !ScalarSet.escaped.contains(scalar)
    {
      return try add(.byte(UInt8(scalar)...UInt8(scalar), then: then))
    }
    let key = Characters(set: set, isQuoted: isQuoted)
    if let known = characterRules[key] { return try add(.call(rule: known, then: then)) }
    let plain = isQuoted ? set.intersection(ScalarSet.escaped.complement) : set
    var places = [try characters(plain)]
    if isQuoted {
      // NUL is allowed by JSON, and rejected by many of its parsers, such as that of this project.
      for scalar in UInt32(1)..<0x80
      where ScalarSet.escaped.contains(scalar) && set.contains(scalar) {
        let escape = JSONWriter.quoted(String(UnicodeScalar(UInt8(scalar)))).dropFirst().dropLast()
        places.append(try literal(escape, then: Self.end))
      }
    }
    let rule = rule(try any(of: places))
    characterRules[key] = rule
    return try add(.call(rule: rule, then: then))
  }

  /// Consumes the UTF-8 of a character of a set, and ends a rule.
  private mutating func characters(_ set: ScalarSet) throws(ConstraintError) -> Int32 {
    var sequences: [[ClosedRange<UInt8>]] = []
    for range in set.ranges {
      // Surrogates are no characters.
      let parts: [ClosedRange<UInt32>] = [
        0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
      ]
      for part in parts where part.overlaps(range) {
        let part = range.clamped(to: part)
        Self.split(part.lowerBound, part.upperBound, &sequences)
      }
    }
    return try tree(sequences[...], at: 0)
  }

  /// Divides the characters of a range, whose UTF-8 has equal lengths, into products of ranges of bytes.
  private static func split(
    _ first: UInt32, _ last: UInt32, _ sequences: inout [[ClosedRange<UInt8>]]
  ) {
    let length = UTF8Text.length(of: first)
    for trailing in stride(from: length - 1, to: 0, by: -1) {
      let mask: UInt32 = 1 << UInt32(6 * trailing) - 1
      guard first & ~mask != last & ~mask else { continue }
      if first & mask != 0 {
        split(first, first | mask, &sequences)
        split((first | mask) + 1, last, &sequences)
        return
      }
      if last & mask != mask {
        split(first, (last & ~mask) - 1, &sequences)
        split(last & ~mask, last, &sequences)
        return
      }
    }
    var (low, high): ([UInt8], [UInt8]) = ([], [])
    UTF8Text.append(first, to: &low)
    UTF8Text.append(last, to: &high)
    sequences.append(zip(low, high).map { $0...$1 })
  }

  /// Consumes one of sorted sequences of bytes, those with the same beginning together.
  private mutating func tree(
    _ sequences: ArraySlice<[ClosedRange<UInt8>]>, at depth: Int
  ) throws(ConstraintError) -> Int32 {
    guard let first = sequences.first, depth < first.count else {
      return sequences.isEmpty ? Self.dead : Self.end
    }
    var places: [Int32] = []
    var rest = sequences
    while let head = rest.first {
      let group = rest.prefix { $0[depth] == head[depth] }
      rest = rest.dropFirst(group.count)
      places.append(try add(.byte(head[depth], then: try tree(group, at: depth + 1))))
    }
    return try any(of: places)
  }
}

extension ScalarSet {
  /// The characters that strings of JSON contain only as escapes.
  static let escaped = ScalarSet([0x00...0x1F, 0x22...0x22, 0x5C...0x5C])
}

extension JSONWriter {
  /// Returns a string of JSON, in quotation marks.
  static func quoted(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.value(text)
    return Array(writer.string.utf8)
  }
}
