/// A parser of patterns.
///
/// The language of all dialects: literals, `.`, sets such as `[^\w']`, `\d \D \w \W \s \S`, escapes of characters, groups,
/// alternatives, and the greedy repetitions `*`, `+` and `?`. Oniguruma adds counted, lazy and possessive repetitions, categories
/// such as `\p{Lu}`, sets in sets, `&&`, groups that ignore case, the beginnings and ends of lines and of the text, and
/// lookaround at one character; ECMAScript counted and lazy repetitions, categories, and the beginning and end of the text.
/// Everything else is rejected, and so is a pattern that finds empty strings.
struct PatternParser {
  private static let maxDepth = 50

  private typealias Code = [PatternProgram.Instruction]

  private let pattern: [UInt8]
  private let dialect: PatternDialect
  private var index = 0
  private var depth = 0
  private var ignoresCase = false

  /// Parses a pattern.
  static func program(
    of pattern: String, dialect: PatternDialect
  ) throws(TokenizerError) -> PatternProgram {
    var parser = PatternParser(pattern: Array(pattern.utf8), dialect: dialect)
    guard parser.pattern.count <= dialect.maxLength else {
      throw parser.error("it has more than \(dialect.maxLength) bytes")
    }
    var code = try parser.alternatives()
    guard parser.index == parser.pattern.count else { throw parser.error("unmatched ')'") }
    code.append(.match)
    let program = PatternProgram(instructions: code)
    guard dialect.isWhole || !program.matchesEmptyString else {
      throw TokenizerError(
        .invalidPattern(message: "the pattern matches the empty string", offset: 0))
    }
    return program
  }

  private init(pattern: [UInt8], dialect: PatternDialect) {
    (self.pattern, self.dialect) = (pattern, dialect)
  }

  private var isOniguruma: Bool { dialect == .oniguruma }

  /// Whether there are counted and lazy repetitions, categories, numbers of characters, and places.
  private var isRich: Bool { dialect != .re2 }

  private var next: UInt8? { index < pattern.count ? pattern[index] : nil }

  private func error(_ message: String) -> TokenizerError {
    TokenizerError(.invalidPattern(message: message, offset: min(index, pattern.count)))
  }

  private mutating func takes(_ text: String) -> Bool {
    guard pattern[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  // Places in code are relative to its beginning until it is joined with other code.

  private mutating func alternatives() throws(TokenizerError) -> Code {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maxDepth else { throw error("groups are nested too deeply") }
    var branches = [try sequence()]
    while takes("|") { branches.append(try sequence()) }
    var code = branches.removeLast()
    for branch in branches.reversed() {
      let end = branch.count + 2 + code.count
      code =
        [.split(1, branch.count + 2)] + Self.moved(branch, by: 1) + [.jump(end)]
        + Self.moved(code, by: branch.count + 2)
      try check(code.count)
    }
    return code
  }

  private func check(_ count: Int) throws(TokenizerError) {
    guard count < PatternProgram.maxInstructions else {
      throw error("the pattern is too complex")
    }
  }

  private mutating func sequence() throws(TokenizerError) -> Code {
    var code: Code = []
    while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      code += Self.moved(try repeated(), by: code.count)
      try check(code.count)
    }
    return code
  }

  /// How often something is repeated, and which number is preferred.
  private struct Repetition {
    var min = 0
    var max: Int?
    var isLazy = false
    var isPossessive = false
    /// Whether the repetition is a number in braces, which is no possessive one if `+` follows.
    var isCounted = false
  }

  private mutating func repeated() throws(TokenizerError) -> Code {
    var code = try atom()
    var last: Repetition?
    while let next = next, "*+?{".utf8.contains(next) {
      guard last?.isCounted ?? true else {
        throw error("a repetition of a repetition is not supported")
      }
      let start = index
      let repetition = try repetition(next)
      last = repetition
      let isEmpty = PatternProgram(instructions: code + [.match]).matchesEmptyString
      guard !isEmpty || repetition.max == 1 || dialect.isWhole else {
        index = start
        throw error("a repetition of what matches the empty string is not supported")
      }
      code = try self.code(of: repetition, of: code)
    }
    return code
  }

  /// Parses a repetition, which begins with a sign.
  private mutating func repetition(_ sign: UInt8) throws(TokenizerError) -> Repetition {
    var repetition = Repetition()
    if sign == UInt8(ascii: "{") {
      guard isRich else { throw error("counted repetitions are not supported") }
      (repetition.min, repetition.max) = try interval()
      repetition.isCounted = true
      guard next != UInt8(ascii: "?") else {
        throw error("lazy counted repetitions are not supported")
      }
      return repetition
    }
    index += 1
    if sign == UInt8(ascii: "+") { repetition.min = 1 }
    if sign == UInt8(ascii: "?") { repetition.max = 1 }
    if isRich { repetition.isLazy = takes("?") }
    if isOniguruma { repetition.isPossessive = !repetition.isLazy && takes("+") }
    return repetition
  }

  /// Parses the numbers of a counted repetition.
  private mutating func interval() throws(TokenizerError) -> (Int, Int?) {
    let start = index
    index += 1
    let min = number()
    var max = min
    if takes(",") { max = number() }
    let isOpen = max == nil && min != nil
    guard takes("}"), min != nil || isOniguruma, min != nil || max != nil,
      isOpen || min ?? 0 <= max ?? 0, max != 0
    else {
      index = start
      throw error("'{' begins no counted repetition; write '\\{' for the character")
    }
    return (min ?? 0, max)
  }

  private mutating func number() -> Int? {
    var number: Int?
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), 10_000)
      index += 1
    }
    return number
  }

  private func code(of repetition: Repetition, of body: Code) throws(TokenizerError) -> Code {
    try check(max(repetition.min, repetition.max ?? 1) * (body.count + 2))
    // A possessive repetition ends only where its character does not follow.
    var end: Code = []
    if repetition.isPossessive {
      guard body.count == 1, case .scalar(let set) = body[0] else {
        throw error("a possessive repetition of more than a character is not supported")
      }
      end = [.condition(.init(set: set, isAhead: true, isNegated: true))]
    }
    func split(_ inside: Int, _ outside: Int) -> PatternProgram.Instruction {
      repetition.isLazy ? .split(outside, inside) : .split(inside, outside)
    }
    var code: Code = []
    for _ in 0..<repetition.min { code += Self.moved(body, by: code.count) }
    guard let max = repetition.max else {
      if repetition.min > 0 {
        // The last copy is repeated.
        code.append(split(code.count - body.count, code.count + 1))
      } else {
        code = [split(1, body.count + 2)] + Self.moved(body, by: 1) + [.jump(0)]
      }
      return code + end
    }
    let missing = max - repetition.min
    if repetition.isPossessive {
      // At most one, as counted repetitions are not possessive.
      return [.split(1, body.count + 2)] + Self.moved(body, by: 1) + [
        .jump(body.count + 2 + end.count)
      ]
        + end
    }
    let last = code.count + missing * (body.count + 1)
    for _ in 0..<missing {
      code.append(split(code.count + 1, last))
      code += Self.moved(body, by: code.count)
    }
    return code
  }

  private mutating func atom() throws(TokenizerError) -> Code {
    if takes("(") { return try group() }
    if takes("[") { return [.scalar(try set())] }
    if takes(".") { return [.scalar(dialect.isWhole ? .notLineTerminator : .notLineFeed)] }
    if dialect.isWhole, takes("^") { return [condition(.all, isAhead: false)] }
    if dialect.isWhole, takes("$") { return [condition(.all, isAhead: true)] }
    if isOniguruma, takes("^") { return [condition(.notLineFeed, isAhead: false)] }
    if isOniguruma, takes("$") { return [condition(.notLineFeed, isAhead: true)] }
    if isOniguruma, takes("\\A") { return [condition(.all, isAhead: false)] }
    if isOniguruma, takes("\\z") { return [condition(.all, isAhead: true)] }
    if takes("\\") { return [.scalar(try caseless(try escape()))] }
    if let byte = next, "*+?{}]^$".utf8.contains(byte) {
      let character = String(UnicodeScalar(byte))
      throw error(
        "'\(character)' is not supported here; write '\\\(character)' for the character")
    }
    return [.scalar(try caseless(ScalarSet(single(try literal()))))]
  }

  /// Returns the condition that a scalar is not in a set, or that there is none.
  private func condition(_ set: ScalarSet, isAhead: Bool) -> PatternProgram.Instruction {
    .condition(.init(set: set, isAhead: isAhead, isNegated: true))
  }

  /// Parses a group after its opening parenthesis.
  private mutating func group() throws(TokenizerError) -> Code {
    let ignoredCase = ignoresCase
    defer { ignoresCase = ignoredCase }
    if isOniguruma {
      for (sign, isAhead, isNegated) in [
        ("?=", true, false), ("?!", true, true), ("?<=", false, false), ("?<!", false, true),
      ] where pattern[index...].starts(with: sign.utf8) {
        index += sign.utf8.count
        let code = try alternatives()
        guard code.count == 1, case .scalar(let set) = code[0] else {
          throw error("lookaround at more than a character is not supported")
        }
        guard takes(")") else { throw error("')' is missing") }
        return [.condition(.init(set: set, isAhead: isAhead, isNegated: isNegated))]
      }
    }
    if isOniguruma, takes("?i:") {
      ignoresCase = true
    } else if isOniguruma, takes("?-i:") {
      ignoresCase = false
    } else if takes("?"), !takes(":") {
      throw error(
        isOniguruma
          ? "this kind of group is not supported" : "only groups '(…)' and '(?:…)' are supported")
    }
    let code = try alternatives()
    guard takes(")") else { throw error("')' is missing") }
    return code
  }

  /// Returns a set, with the other case of its letters where case is ignored.
  private func caseless(_ set: ScalarSet) throws(TokenizerError) -> ScalarSet {
    guard ignoresCase else { return set }
    for range in set.ranges where range.upperBound >= 0x80 {
      let isCaseless =
        range.count < 0x100
        && range.compactMap(Unicode.Scalar.init).allSatisfy {
          $0.value < 0x80 || !$0.properties.isCased
        }
      guard isCaseless else {
        throw error("letters outside ASCII are not supported where case is ignored")
      }
    }
    var added: [ClosedRange<UInt32>] = []
    for value in UInt32(0)..<0x80 where set.contains(value) {
      let letter = value | 0x20
      guard (0x61...0x7A).contains(letter) else { continue }
      added += [letter...letter, letter - 0x20...letter - 0x20]
      if letter == 0x6B { added.append(0x212A...0x212A) }  // the sign of Kelvin
      if letter == 0x73 { added.append(0x17F...0x17F) }  // the long s
    }
    return set.union(ScalarSet(added))
  }

  /// Parses a character that stands for itself.
  private mutating func literal() throws(TokenizerError) -> UInt32 {
    let value = takeScalar()
    // One character such as `ß` may match two letters where case is ignored.
    if ignoresCase, index >= 2,
      ["ss", "st", "ff", "fi", "fl"].contains(
        String(decoding: pattern[index - 2..<index], as: UTF8.self).lowercased())
    {
      throw error("the letters of a ligature are not supported where case is ignored")
    }
    return value
  }

  private func single(_ value: UInt32) -> [ClosedRange<UInt32>] { [value...value] }

  private mutating func takeScalar() -> UInt32 {
    let (value, length) = UTF8Text.scalar(at: index, in: pattern.span)
    index += length
    return value
  }

  /// Parses a set after its opening bracket.
  private mutating func set() throws(TokenizerError) -> ScalarSet {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maxDepth else { throw error("sets are nested too deeply") }
    let isComplement = takes("^")
    var set = ScalarSet([])
    // The sets before each `&&`.
    var others: ScalarSet?
    var isFirst = true
    while isFirst || next != UInt8(ascii: "]") {
      guard let byte = next else { throw error("']' is missing") }
      if dialect.isWhole, byte == UInt8(ascii: "]") {
        throw error("an empty set is not supported; write '\\]' for the character")
      }
      isFirst = false
      if byte == UInt8(ascii: "["), index + 1 < pattern.count,
        (isOniguruma ? ":" : ":.=").utf8.contains(pattern[index + 1])
      {
        throw error("named sets are not supported")
      }
      if isOniguruma, takes("[") {
        set = set.union(try self.set())
        continue
      }
      if isOniguruma, takes("&&") {
        others = others?.intersection(set) ?? set
        set = ScalarSet([])
        continue
      }
      let first = takes("\\") ? try escape() : ScalarSet(single(takeScalar()))
      guard next == UInt8(ascii: "-"), index + 1 < pattern.count,
        pattern[index + 1] != UInt8(ascii: "]")
      else {
        set = set.union(first)
        continue
      }
      index += 1
      let last = takes("\\") ? try escape() : ScalarSet(single(takeScalar()))
      guard let start = first.single, let end = last.single, start <= end else {
        throw error("the range is invalid")
      }
      set = set.union(ScalarSet([start...end]))
    }
    index += 1
    if let others { set = others.intersection(set) }
    set = try caseless(set)
    return isComplement ? set.complement : set
  }

  /// Parses an escape after its backslash.
  private mutating func escape() throws(TokenizerError) -> ScalarSet {
    guard let byte = next else { throw error("the pattern ends with a backslash") }
    index += 1
    switch Character(UnicodeScalar(byte)) {
    case "d": return isOniguruma ? .decimalNumbers : .digits
    case "D": return (isOniguruma ? ScalarSet.decimalNumbers : .digits).complement
    case "w": return isOniguruma ? .wordCharacters : .word
    case "W": return (isOniguruma ? ScalarSet.wordCharacters : .word).complement
    case "s": return space
    case "S": return space.complement
    case "p" where isRich, "P" where isRich: return try property()
    case "x" where isRich, "u" where isRich: return try code()
    case "t": return ScalarSet(single(0x09))
    case "n": return ScalarSet(single(0x0A))
    case "v": return ScalarSet(single(0x0B))
    case "f": return ScalarSet(single(0x0C))
    case "r": return ScalarSet(single(0x0D))
    default:
      guard byte < 0x80, !ScalarSet.word.contains(UInt32(byte)) || byte == UInt8(ascii: "_") else {
        index -= 1
        throw error("the escape '\\\(String(UnicodeScalar(byte)))' is not supported")
      }
      return ScalarSet(single(UInt32(byte)))
    }
  }

  /// `\s` of the dialect.
  private var space: ScalarSet {
    switch dialect {
    case .re2: .space
    case .oniguruma: .whiteSpace
    case .ecmaScript: .scriptSpace
    }
  }

  /// Parses the name of a property after its letter.
  private mutating func property() throws(TokenizerError) -> ScalarSet {
    var isComplement = pattern[index - 1] == UInt8(ascii: "P")
    guard takes("{") else { throw error("'{' is missing") }
    if takes("^") { isComplement.toggle() }
    let start = index
    while index < pattern.count, pattern[index] != UInt8(ascii: "}") { index += 1 }
    let name = String(decoding: pattern[start..<index], as: UTF8.self)
    guard takes("}"), let set = ScalarCategories.set(named: name) else {
      index = start
      throw error("the property '\(name)' is not supported")
    }
    return isComplement ? set.complement : set
  }

  /// Parses the number of a scalar after its letter.
  private mutating func code() throws(TokenizerError) -> ScalarSet {
    let isShort = pattern[index - 1] == UInt8(ascii: "x")
    let isBraced = isShort && takes("{")
    let start = index
    let maxDigits = isBraced ? 6 : isShort ? 2 : 4
    while index < pattern.count, index - start < maxDigits,
      Character(UnicodeScalar(pattern[index])).isHexDigit
    {
      index += 1
    }
    let digits = String(decoding: pattern[start..<index], as: UTF8.self)
    guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil,
      isBraced ? takes("}") : digits.utf8.count == maxDigits, isBraced || !isShort || value < 0x80
    else { throw error("the number of the character is invalid") }
    return ScalarSet(single(value))
  }

  private static func moved(_ code: Code, by distance: Int) -> Code {
    code.map { instruction in
      switch instruction {
      case .split(let first, let second): .split(first + distance, second + distance)
      case .jump(let target): .jump(target + distance)
      case .scalar, .condition, .match: instruction
      }
    }
  }
}
