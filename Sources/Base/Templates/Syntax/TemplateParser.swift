/// Parses the tokens of a template into statements.
///
/// The grammar is that of Jinja without what loads other templates. Nesting is limited, so that the recursion of the
/// parser, of the renderer and of releasing the result is.
struct TemplateParser {
  let source: TemplateSource
  private let tokens: [TemplateToken]
  private var index = 0
  /// The names of variables, in order of appearance.
  private(set) var names: [TemplateText] = []
  private var indices: [TemplateText: Int] = [:]
  /// The number of expressions in one another.
  var depth = 0
  private var blockDepth = 0
  private var loopDepth = 0
  /// The special names that the bodies of macros use, innermost macro last.
  private var extras: [Set<TemplateText>] = []

  /// Creates a parser.
  init(_ source: TemplateSource) throws(TemplateError) {
    self.source = source
    tokens = try TemplateLexer.tokens(of: source)
  }

  /// Returns the statements of the template.
  mutating func template() throws(TemplateError) -> [TemplateStatement] {
    let (body, _) = try statements(until: [])
    return body
  }
}

// Tokens.
extension TemplateParser {
  /// The next token.
  var next: TemplateToken { tokens[index] }

  /// The token after the next one.
  var second: TemplateToken { tokens[min(index + 1, tokens.count - 1)] }

  /// Moves to the next token.
  mutating func skip() { index = min(index + 1, tokens.count - 1) }

  /// Returns an error at a token, the next one by default.
  func error(_ message: String, at token: TemplateToken? = nil) -> TemplateError {
    source.error(.syntax(message: message), at: (token ?? next).offset)
  }

  /// Returns an error for a feature that is not supported.
  func unsupported(_ feature: String, at token: TemplateToken) -> TemplateError {
    source.error(.unsupported(feature: feature), at: token.offset)
  }

  /// Whether the next token is a name.
  func isNext(_ name: String) -> Bool { next.kind == .name(name) }

  /// Whether the next token is a symbol.
  func isNext(symbol: String) -> Bool { next.kind == .symbol(symbol) }

  /// Skips the next token if it is a name.
  mutating func takes(_ name: String) -> Bool {
    guard isNext(name) else { return false }
    skip()
    return true
  }

  /// Skips the next token if it is a symbol.
  mutating func takes(symbol: String) -> Bool {
    guard isNext(symbol: symbol) else { return false }
    skip()
    return true
  }

  /// Skips a symbol.
  mutating func expect(symbol: String) throws(TemplateError) {
    guard takes(symbol: symbol) else {
      throw error("expected '\(symbol)', found \(next.description)")
    }
  }

  /// Skips a token of a kind.
  mutating func expect(_ kind: TemplateToken.Kind) throws(TemplateError) {
    guard next.kind == kind else {
      let expected = TemplateToken(kind: kind, offset: 0).description
      throw error("expected \(expected), found \(next.description)")
    }
    skip()
  }

  /// Returns the next token, a name.
  mutating func expectName() throws(TemplateError) -> String {
    guard case .name(let name) = next.kind else {
      throw error("expected a name, found \(next.description)")
    }
    skip()
    return name
  }

  /// Returns the index of a name.
  mutating func index(of name: String) -> Int {
    let text = TemplateText(name)
    if let index = indices[text] { return index }
    names.append(text)
    indices[text] = names.count - 1
    return names.count - 1
  }

  /// Returns the index of a name whose value is used.
  mutating func reference(to name: String) -> Int {
    if ["caller", "varargs", "kwargs"].contains(name), !extras.isEmpty {
      extras[extras.count - 1].insert(TemplateText(name))
    }
    return index(of: name)
  }
}

// Statements.
extension TemplateParser {
  /// Parses statements up to a tag with one of the names, and returns them with that name.
  private mutating func statements(
    until ends: Set<String>, of block: TemplateToken? = nil
  ) throws(TemplateError) -> ([TemplateStatement], end: String) {
    blockDepth += 1
    defer { blockDepth -= 1 }
    guard blockDepth <= TemplateLimits.maxBlockDepth else {
      throw source.error(
        .limitExceeded(message: "blocks are nested too deeply"), at: next.offset)
    }
    var statements: [TemplateStatement] = []
    while true {
      let token = next
      skip()
      switch token.kind {
      case .data(let text): statements.append(.text(text))
      case .outputBegin:
        statements.append(.output(try tuple(), token.offset))
        try expect(.outputEnd)
      case .blockBegin:
        if case .name(let name) = next.kind, ends.contains(name) {
          skip()
          return (statements, name)
        }
        statements.append(try statement())
        try expect(.blockEnd)
      default:
        guard let block else { return (statements, "") }
        let names = ends.sorted().map { "'\($0)'" }.joined(separator: " or ")
        throw error("the tag \(names) is missing", at: block)
      }
    }
  }

  /// Parses the body of a block after its tag, and the name of the tag that ends it.
  private mutating func body(
    of block: TemplateToken, until ends: Set<String>
  ) throws(TemplateError) -> ([TemplateStatement], end: String) {
    _ = takes(symbol: ":")
    try expect(.blockEnd)
    return try statements(until: ends, of: block)
  }

  private mutating func statement() throws(TemplateError) -> TemplateStatement {
    let token = next
    let name = try expectName()
    switch name {
    case "if": return try conditional(token)
    case "for": return try loop(token)
    case "set": return try assignment(token)
    case "macro":
      let name = index(of: try expectName())
      return .macro(try macro(name, token, end: "endmacro"))
    case "call": return try call(token)
    case "filter":
      let filter = try filters(of: nil, isBlock: true)
      return .filter(filter, try body(of: token, until: ["endfilter"]).0, token.offset)
    case "generation": return .scope(try body(of: token, until: ["endgeneration"]).0)
    case "break", "continue":
      guard loopDepth > 0 else { throw error("'\(name)' is outside of a loop", at: token) }
      return name == "break" ? .breakLoop : .continueLoop
    case "include", "import", "from", "extends", "block", "with", "autoescape", "print", "do",
      "trans":
      throw unsupported("the tag '\(name)'", at: token)
    default: throw error("unknown tag '\(name)'", at: token)
    }
  }

  private mutating func conditional(
    _ token: TemplateToken
  ) throws(TemplateError) -> TemplateStatement {
    var branches: [TemplateBranch] = []
    var end = "elif"
    while end == "elif" {
      let condition = try tuple(allowsConditional: false)
      let (body, name) = try body(of: token, until: ["elif", "else", "endif"])
      branches.append(TemplateBranch(condition: condition, body: body))
      end = name
    }
    if end == "else" {
      let body = try body(of: token, until: ["endif"]).0
      branches.append(TemplateBranch(condition: nil, body: body))
    }
    return .conditional(branches)
  }

  private mutating func loop(_ token: TemplateToken) throws(TemplateError) -> TemplateStatement {
    let target = try self.target()
    guard takes("in") else { throw error("expected 'in', found \(next.description)") }
    let elements = try tuple(allowsConditional: false)
    let condition = takes("if") ? try expression() : nil
    if isNext("recursive") { throw unsupported("a recursive loop", at: next) }
    loopDepth += 1
    let (body, end) = try body(of: token, until: ["endfor", "else"])
    loopDepth -= 1
    let otherwise = end == "else" ? try self.body(of: token, until: ["endfor"]).0 : []
    return .loop(
      TemplateForLoop(
        target: target, elements: elements, condition: condition, body: body, otherwise: otherwise,
        offset: token.offset))
  }

  private mutating func assignment(
    _ token: TemplateToken
  ) throws(TemplateError) -> TemplateStatement {
    let target = try self.target(allowsAttributes: true)
    if takes(symbol: "=") { return .assignment(target, try tuple(), token.offset) }
    let filter = isNext(symbol: "|") ? try filters(of: nil) : nil
    return .block(target, filter: filter, try body(of: token, until: ["endset"]).0, token.offset)
  }

  private mutating func call(_ token: TemplateToken) throws(TemplateError) -> TemplateStatement {
    let parameters = isNext(symbol: "(") ? try self.parameters() : []
    guard case .call(let function, let arguments, let offset) = try expression() else {
      throw error("expected a call", at: token)
    }
    let caller = try macroBody(nil, parameters, token, end: "endcall")
    return .call(function, arguments, caller, offset)
  }

  private mutating func macro(
    _ name: Int, _ token: TemplateToken, end: String
  ) throws(TemplateError) -> TemplateMacroDefinition {
    let parameters = try self.parameters()
    return try macroBody(name, parameters, token, end: end)
  }

  private mutating func macroBody(
    _ name: Int?, _ parameters: [TemplateMacroDefinition.Parameter], _ token: TemplateToken,
    end: String
  ) throws(TemplateError) -> TemplateMacroDefinition {
    extras.append([])
    let outerLoops = loopDepth
    loopDepth = 0
    let (body, _) = try body(of: token, until: [end])
    loopDepth = outerLoops
    let used = extras.removeLast()
    if !extras.isEmpty { extras[extras.count - 1].formUnion(used) }
    return TemplateMacroDefinition(
      name: name, parameters: parameters, body: body, extras: used, offset: token.offset)
  }

  private mutating func parameters() throws(TemplateError) -> [TemplateMacroDefinition.Parameter] {
    var parameters: [TemplateMacroDefinition.Parameter] = []
    try expect(symbol: "(")
    while !takes(symbol: ")") {
      if !parameters.isEmpty { try expect(symbol: ",") }
      let token = next
      let name = index(of: try expectName())
      guard !parameters.contains(where: { $0.name == name }) else {
        throw error("the parameter is declared twice", at: token)
      }
      let value = takes(symbol: "=") ? try expression() : nil
      guard value != nil || parameters.last?.value == nil else {
        throw error("a parameter without a default follows one with a default", at: token)
      }
      parameters.append(TemplateMacroDefinition.Parameter(name: name, value: value))
    }
    return parameters
  }

  /// Parses what an assignment or a loop sets.
  private mutating func target(
    allowsAttributes: Bool = false
  ) throws(TemplateError) -> TemplateTarget {
    var targets: [TemplateTarget] = []
    repeat {
      if !targets.isEmpty, isNext("in") || isNext(symbol: "=") || isNext(symbol: ")") { break }
      targets.append(try oneTarget(allowsAttributes: allowsAttributes))
      guard isNext(symbol: ",") else { return targets.count == 1 ? targets[0] : .tuple(targets) }
    } while takes(symbol: ",")
    return .tuple(targets)
  }

  private mutating func oneTarget(
    allowsAttributes: Bool
  ) throws(TemplateError) -> TemplateTarget {
    if takes(symbol: "(") {
      try enter()
      defer { leave() }
      let target = try target()
      try expect(symbol: ")")
      return target
    }
    let token = next
    let name = try expectName()
    guard !["true", "false", "none", "True", "False", "None"].contains(name) else {
      throw error("'\(name)' cannot be assigned", at: token)
    }
    guard allowsAttributes, takes(symbol: ".") else { return .name(index(of: name)) }
    return .attribute(index(of: name), TemplateText(try expectName()))
  }
}
