extension TemplateParser {
  /// Counts an expression within another one.
  mutating func enter() throws(TemplateError) {
    depth += 1
    try check(depth)
  }

  /// Ends the expression of ``enter()``.
  mutating func leave() { depth -= 1 }

  private func check(_ depth: Int) throws(TemplateError) {
    guard depth <= TemplateLimits.maxExpressionDepth else {
      throw source.error(
        .limitExceeded(message: "the expression is nested too deeply"), at: next.offset)
    }
  }

  /// Parses an expression, or several with commas as a tuple.
  mutating func tuple(allowsConditional: Bool = true) throws(TemplateError) -> TemplateExpression {
    let start = next
    var elements: [TemplateExpression] = []
    var isTuple = false
    repeat {
      if isTuple, isTupleEnd { break }
      elements.append(allowsConditional ? try expression() : try operation(.or))
      isTuple = isTuple || isNext(symbol: ",")
    } while takes(symbol: ",")
    return isTuple ? .list(elements, isTuple: true, start.offset) : elements[0]
  }

  private var isTupleEnd: Bool {
    switch next.kind {
    case .outputEnd, .blockEnd, .symbol(")"): true
    default: false
    }
  }

  /// Parses an expression.
  mutating func expression() throws(TemplateError) -> TemplateExpression {
    try enter()
    defer { leave() }
    var choices: [TemplateChoice] = []
    var value = try operation(.or)
    var count = 0
    while takes("if") {
      let choice = TemplateChoice(condition: try operation(.or), value: value)
      if takes("else") {
        choices.append(choice)
        value = try operation(.or)
      } else {
        value = .conditional([choice], otherwise: nil)
        count += 1
        try check(depth + count)
      }
    }
    return choices.isEmpty ? value : .conditional(choices, otherwise: value)
  }

  /// The precedence of operators, weakest first.
  private enum Precedence: Int, Comparable {
    case or, and, not, comparison, sum, concatenation, product, power, sign

    static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }

    var stronger: Precedence { Precedence(rawValue: rawValue + 1) ?? .sign }
  }

  /// Parses operators of at least a precedence.
  private mutating func operation(
    _ minimum: Precedence
  ) throws(TemplateError) -> TemplateExpression {
    var left: TemplateExpression
    var current = Precedence.sign
    if minimum <= .not, isNext("not") {
      skip()
      try enter()
      left = .not(try operation(.not))
      leave()
      current = .not
    } else {
      left = try signed()
    }
    // Each round reads the operators of one precedence, which is weaker than that of the round before.
    while let found = nextPrecedence, found >= minimum, found < current {
      left = try operators(found, after: left)
      current = found
      try check(depth + 1)
    }
    return left
  }

  private var nextPrecedence: Precedence? {
    switch next.kind {
    case .name("or"): .or
    case .name("and"): .and
    case .name("in"), .symbol("=="), .symbol("!="), .symbol("<"), .symbol("<="), .symbol(">"),
      .symbol(">="):
      .comparison
    case .name("not"): second.kind == .name("in") ? .comparison : nil
    case .symbol("+"), .symbol("-"): .sum
    case .symbol("~"): .concatenation
    case .symbol("*"), .symbol("/"), .symbol("//"), .symbol("%"): .product
    case .symbol("**"): .power
    default: nil
    }
  }

  /// Parses all operators of a precedence with their right operands.
  private mutating func operators(
    _ precedence: Precedence, after left: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    let offset = next.offset
    var operations: [TemplateOperation] = []
    var operands = [left]
    while nextPrecedence == precedence {
      var symbol =
        switch next.kind {
        case .name(let name), .symbol(let name): name
        default: ""
        }
      skip()
      if symbol == "not" {
        skip()
        symbol = "not in"
      }
      try enter()
      let operand = try operation(precedence.stronger)
      leave()
      operands.append(operand)
      if let symbol = TemplateOperation.Operator(rawValue: symbol) {
        operations.append(TemplateOperation(symbol: symbol, operand: operand))
      }
    }
    return switch precedence {
    case .or: .or(operands)
    case .and: .and(operands)
    case .concatenation: .concatenation(operands)
    case .comparison: .comparison(left, operations, offset)
    default: .arithmetic(left, operations, offset)
    }
  }

  /// Parses an operand with its sign, filters and tests.
  private mutating func signed(
    allowsFilters: Bool = true
  ) throws(TemplateError) -> TemplateExpression {
    let token = next
    let value: TemplateExpression
    if isNext(symbol: "-") || isNext(symbol: "+") {
      skip()
      try enter()
      let operand = try signed(allowsFilters: false)
      leave()
      value = .sign(isNegative: token.kind == .symbol("-"), operand, token.offset)
    } else {
      value = try primary()
    }
    return try suffixes(of: value, allowsFilters: allowsFilters)
  }

  /// Parses attributes, elements, calls, filters and tests after a value.
  private mutating func suffixes(
    of value: TemplateExpression, allowsFilters: Bool
  ) throws(TemplateError) -> TemplateExpression {
    var value = value
    var count = 0
    var hasFilter = false
    while true {
      if isNext(symbol: "(") {
        value = try call(value)
      } else if !hasFilter, isNext(symbol: ".") || isNext(symbol: "[") {
        value = isNext(symbol: ".") ? try attribute(of: value) : try element(of: value)
      } else if allowsFilters, isNext(symbol: "|") || isNext("is") {
        value = isNext("is") ? try test(of: value) : try filters(of: value)
        hasFilter = true
      } else {
        return value
      }
      count += 1
      try check(depth + count)
    }
  }

  private mutating func primary() throws(TemplateError) -> TemplateExpression {
    let token = next
    skip()
    switch token.kind {
    case .name("true"), .name("True"): return .literal(.bool(true))
    case .name("false"), .name("False"): return .literal(.bool(false))
    case .name("none"), .name("None"): return .literal(.none)
    case .name(let name): return .name(reference(to: name))
    case .integer(let number): return .literal(.integer(number))
    case .float(let number): return .literal(.float(number))
    case .text(var text):
      while case .text(let more) = next.kind {
        text.append(more)
        skip()
      }
      return .literal(.text(text))
    case .symbol("("):
      if takes(symbol: ")") { return .list([], isTuple: true, token.offset) }
      let value = try tuple()
      try expect(symbol: ")")
      return value
    case .symbol("["):
      return .list(try elements(until: "]"), isTuple: false, token.offset)
    case .symbol("{"): return try dictionary(token)
    default: throw error("expected a value, found \(token.description)", at: token)
    }
  }

  private mutating func elements(until end: String) throws(TemplateError) -> [TemplateExpression] {
    var elements: [TemplateExpression] = []
    while !takes(symbol: end) {
      if !elements.isEmpty {
        try expect(symbol: ",")
        if takes(symbol: end) { break }
      }
      elements.append(try expression())
    }
    return elements
  }

  private mutating func dictionary(
    _ token: TemplateToken
  ) throws(TemplateError) -> TemplateExpression {
    var members: [TemplateExpression] = []
    while !takes(symbol: "}") {
      if !members.isEmpty {
        try expect(symbol: ",")
        if takes(symbol: "}") { break }
      }
      members.append(try expression())
      try expect(symbol: ":")
      members.append(try expression())
    }
    return .dictionary(members, token.offset)
  }
}

extension TemplateParser {
  private mutating func attribute(
    of value: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    let offset = next.offset
    skip()
    if case .integer(let number) = next.kind {
      skip()
      return .element(value, .literal(.integer(number)), offset)
    }
    return .attribute(value, TemplateText(try expectName()), offset)
  }

  private mutating func element(
    of value: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    let token = next
    skip()
    var parts: [TemplateExpression?] = []
    while !isNext(symbol: "]") {
      if isNext(symbol: ":") {
        parts.append(nil)
      } else {
        parts.append(try expression())
        guard isNext(symbol: ":") else { break }
      }
      guard parts.count < 3, takes(symbol: ":") else { break }
      if isNext(symbol: "]") { parts.append(nil) }
    }
    if isNext(symbol: ",") { throw unsupported("an element of several dimensions", at: next) }
    try expect(symbol: "]")
    guard !parts.isEmpty else { throw error("an index is missing", at: token) }
    guard parts.count == 1, let index = parts[0] else {
      return .slice(value, parts, token.offset)
    }
    return .element(value, index, token.offset)
  }

  private mutating func call(
    _ function: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    let token = next
    if case .attribute(_, let name, let offset) = function {
      guard
        TemplateMethod(rawValue: name.string) != nil
          || TemplateMethod.mutating.contains(name.string)
      else { throw source.error(.unsupported(feature: "the method '\(name.string)'"), at: offset) }
    }
    return .call(function, try arguments(), token.offset)
  }

  private mutating func arguments() throws(TemplateError) -> TemplateArguments {
    var arguments = TemplateArguments()
    var isFirst = true
    try expect(symbol: "(")
    while !takes(symbol: ")") {
      if !isFirst {
        try expect(symbol: ",")
        if takes(symbol: ")") { break }
      }
      isFirst = false
      if isNext(symbol: "*") || isNext(symbol: "**") {
        throw unsupported("an argument with '*'", at: next)
      }
      if case .name(let name) = next.kind, second.kind == .symbol("=") {
        let token = next
        skip()
        skip()
        let name = TemplateText(name)
        guard !arguments.keywords.contains(where: { $0.name == name }) else {
          throw error("the argument '\(name.string)' is repeated", at: token)
        }
        arguments.keywords.append(
          TemplateArguments.Keyword(name: name, value: try expression()))
      } else {
        guard arguments.keywords.isEmpty else {
          throw error("an argument without a name follows one with a name")
        }
        arguments.positional.append(try expression())
      }
    }
    return arguments
  }

  /// Parses filters after a value; in a block, the first one has no '|' before it.
  mutating func filters(
    of value: TemplateExpression?, isBlock: Bool = false
  ) throws(TemplateError) -> TemplateExpression {
    var value = value
    var isFirst = isBlock
    var count = 0
    repeat {
      if !isFirst { try expect(symbol: "|") }
      isFirst = false
      let token = next
      let name = try expectName()
      guard let filter = TemplateFilter(name) else {
        throw unsupported("the filter '\(name)'", at: token)
      }
      let arguments = isNext(symbol: "(") ? try arguments() : TemplateArguments()
      value = .filter(filter, value, arguments, token.offset)
      count += 1
      try check(depth + count)
    } while isNext(symbol: "|")
    return value ?? .literal(.none)
  }

  private mutating func test(
    of value: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    let offset = next.offset
    skip()
    let isNegated = takes("not")
    let token = next
    let name = try expectName()
    guard let test = TemplateTest(name) else { throw unsupported("the test '\(name)'", at: token) }
    var arguments = TemplateArguments()
    if isNext(symbol: "(") {
      arguments = try self.arguments()
    } else if beginsArgument {
      guard !isNext("is") else { throw error("a test of a test needs parentheses") }
      let argument = try primary()
      arguments.positional = [try postfix(of: argument)]
    }
    let result = TemplateExpression.test(test, value, arguments, offset)
    return isNegated ? .not(result) : result
  }

  private var beginsArgument: Bool {
    switch next.kind {
    case .name("else"), .name("or"), .name("and"): false
    case .name, .text, .integer, .float, .symbol("["), .symbol("{"): true
    default: false
    }
  }

  /// Parses the attributes, elements and calls after the argument of a test.
  private mutating func postfix(
    of value: TemplateExpression
  ) throws(TemplateError) -> TemplateExpression {
    try suffixes(of: value, allowsFilters: false)
  }
}
