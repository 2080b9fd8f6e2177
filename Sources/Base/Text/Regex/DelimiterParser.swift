/// A parser of delimiter patterns.
///
/// The language is a subset of RE2's: literals, `.`, sets such as `[^\w']`, `\d \D \w \W \s \S` (of ASCII), escapes of
/// characters, groups, alternatives, and the greedy repetitions `*`, `+` and `?`. Everything else is rejected, and so
/// is a pattern that matches the empty string.
struct DelimiterParser {
  private static let maxDepth = 50
  /// The maximum length of a pattern in bytes.
  private static let maxLength = 1_000

  private typealias Code = [DelimiterProgram.Instruction]

  private let pattern: [UInt8]
  private var index = 0
  private var depth = 0

  /// Parses a pattern.
  static func program(of pattern: String) throws(TokenizerError) -> DelimiterProgram {
    var parser = DelimiterParser(pattern: Array(pattern.utf8))
    guard parser.pattern.count <= maxLength else {
      throw parser.error("it has more than \(maxLength) bytes")
    }
    var code = try parser.alternatives()
    guard parser.index == parser.pattern.count else { throw parser.error("unmatched ')'") }
    code.append(.match)
    let program = DelimiterProgram(instructions: code)
    guard !program.matchesEmptyString else {
      throw TokenizerError(
        .invalidPattern(message: "the pattern matches the empty string", offset: 0))
    }
    return program
  }

  private init(pattern: [UInt8]) { self.pattern = pattern }

  private var next: UInt8? { index < pattern.count ? pattern[index] : nil }

  private func error(_ message: String) -> TokenizerError {
    TokenizerError(.invalidPattern(message: message, offset: min(index, pattern.count)))
  }

  private mutating func takes(_ byte: Character) -> Bool {
    guard let next, next == byte.asciiValue else { return false }
    index += 1
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
      try check(code)
    }
    return code
  }

  private func check(_ code: Code) throws(TokenizerError) {
    guard code.count < DelimiterProgram.maxInstructions else {
      throw error("the pattern is too complex")
    }
  }

  private mutating func sequence() throws(TokenizerError) -> Code {
    var code: Code = []
    while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
      code += Self.moved(try repeated(), by: code.count)
      try check(code)
    }
    return code
  }

  private mutating func repeated() throws(TokenizerError) -> Code {
    var code = try atom()
    guard let sign = next, "*+?{".utf8.contains(sign) else { return code }
    guard sign != UInt8(ascii: "{") else { throw error("counted repetitions are not supported") }
    let body = code
    let isEmpty = DelimiterProgram(instructions: body + [.match]).matchesEmptyString
    guard !isEmpty || sign == UInt8(ascii: "?") else {
      throw error("a repetition of what matches the empty string is not supported")
    }
    index += 1
    switch sign {
    case UInt8(ascii: "+"): code.append(.split(0, body.count + 1))
    case UInt8(ascii: "?"): code = [.split(1, body.count + 1)] + Self.moved(body, by: 1)
    default:
      code = [.split(1, body.count + 2)] + Self.moved(body, by: 1) + [.jump(0)]
    }
    if let after = next, "*+?{".utf8.contains(after) {
      throw error("a repetition of a repetition is not supported")
    }
    return code
  }

  private mutating func atom() throws(TokenizerError) -> Code {
    if takes("(") {
      if takes("?"), !takes(":") { throw error("only groups '(…)' and '(?:…)' are supported") }
      let code = try alternatives()
      guard takes(")") else { throw error("')' is missing") }
      return code
    }
    if takes("[") { return [.scalar(try set())] }
    if takes(".") { return [.scalar(.notLineFeed)] }
    if takes("\\") { return [.scalar(try escape())] }
    if let byte = next, "*+?{}]^$".utf8.contains(byte) {
      let character = String(UnicodeScalar(byte))
      throw error(
        "'\(character)' is not supported here; write '\\\(character)' for the character")
    }
    return [.scalar(ScalarSet(single(takeScalar())))]
  }

  private func single(_ value: UInt32) -> [ClosedRange<UInt32>] { [value...value] }

  private mutating func takeScalar() -> UInt32 {
    let (value, length) = UTF8Text.scalar(at: index, in: pattern.span)
    index += length
    return value
  }

  /// Parses a set after its opening bracket.
  private mutating func set() throws(TokenizerError) -> ScalarSet {
    let isComplement = takes("^")
    var set = ScalarSet([])
    var isFirst = true
    while isFirst || next != UInt8(ascii: "]") {
      guard let byte = next else { throw error("']' is missing") }
      isFirst = false
      if byte == UInt8(ascii: "["), index + 1 < pattern.count,
        ":.=".utf8.contains(pattern[index + 1])
      {
        throw error("named sets are not supported")
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
    return isComplement ? set.complement : set
  }

  /// Parses an escape after its backslash.
  private mutating func escape() throws(TokenizerError) -> ScalarSet {
    guard let byte = next else { throw error("the pattern ends with a backslash") }
    index += 1
    switch Character(UnicodeScalar(byte)) {
    case "d": return .digits
    case "D": return ScalarSet.digits.complement
    case "w": return .word
    case "W": return ScalarSet.word.complement
    case "s": return .space
    case "S": return ScalarSet.space.complement
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

  private static func moved(_ code: Code, by distance: Int) -> Code {
    code.map { instruction in
      switch instruction {
      case .split(let first, let second): .split(first + distance, second + distance)
      case .jump(let target): .jump(target + distance)
      case .scalar, .match: instruction
      }
    }
  }
}
