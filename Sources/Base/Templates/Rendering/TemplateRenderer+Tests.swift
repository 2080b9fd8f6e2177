extension TemplateRenderer {
  /// Returns whether the value of an expression passes a test.
  @inline(never)
  mutating func test(
    _ test: TemplateTest, _ operand: TemplateExpression, _ arguments: TemplateArguments,
    at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let value = try evaluate(operand)
    let call = try evaluate(arguments)
    self.offset = offset
    return .bool(try passes(test, value, call))
  }

  /// Returns whether a value passes a test.
  mutating func passes(
    _ test: TemplateTest, _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> Bool {
    switch test {
    case .equal, .unequal, .greater, .greaterOrEqual, .less, .lessOrEqual, .contained, .same,
      .divisibleby:
      let other = try bind(call, ["other"], required: 1)[0] ?? .none
      return try comparison(test, value, other)
    default:
      _ = try bind(call, [])
      return try property(test, value)
    }
  }

  private mutating func comparison(
    _ test: TemplateTest, _ value: TemplateValue, _ other: TemplateValue
  ) throws(TemplateError) -> Bool {
    switch test {
    case .equal: return try compare(.equal, value, other)
    case .unequal: return try compare(.unequal, value, other)
    case .greater: return try compare(.greater, value, other)
    case .greaterOrEqual: return try compare(.greaterOrEqual, value, other)
    case .less: return try compare(.less, value, other)
    case .lessOrEqual: return try compare(.lessOrEqual, value, other)
    case .contained: return try compare(.contained, value, other)
    case .divisibleby:
      return try compare(.equal, try result(of: .remainder, value, other), .integer(0))
    default:
      // Identity is that of the constants; other values are compared, because copies share no identity.
      switch (value, other) {
      case (.bool(let value), .bool(let other)): return value == other
      case (.bool, _), (_, .bool): return false
      case (.float, .integer), (.integer, .float): return false
      default: return try areEqual(value, other)
      }
    }
  }

  private mutating func property(
    _ test: TemplateTest, _ value: TemplateValue
  ) throws(TemplateError) -> Bool {
    switch test {
    case .defined: return !value.isUndefined
    case .undefined: return value.isUndefined
    case .none: return value.isNone
    case .boolean: if case .bool = value { return true }
    case .true: if case .bool(true) = value { return true }
    case .false: if case .bool(false) = value { return true }
    case .integer: if case .integer = value { return true }
    case .float: if case .float = value { return true }
    case .number: return value.number != nil
    case .string: if case .text = value { return true }
    case .mapping: if case .dictionary = value { return true }
    case .odd:
      return try compare(.equal, try result(of: .remainder, value, .integer(2)), .integer(1))
    case .even:
      return try compare(.equal, try result(of: .remainder, value, .integer(2)), .integer(0))
    case .upper, .lower:
      let text = try text(of: value)
      return try hasCase(text, isUpper: test == .upper)
    case .filter, .test:
      guard case .text(let name) = value else {
        _ = try key(for: value)
        return false
      }
      return test == .filter
        ? TemplateFilter(name.string) != nil : TemplateTest(name.string) != nil
    case .sequence:
      switch value {
      case .text, .dictionary, .undefined: return true
      case .list(let list): return list.isSequence
      default: return false
      }
    case .iterable:
      switch value {
      case .text, .dictionary, .list, .undefined, .iterator, .loop: return true
      default: return false
      }
    case .callable:
      switch value {
      case .macro, .function, .method, .undefined: return true
      default: return false
      }
    default: break
    }
    return false
  }
}

extension TemplateValue {
  /// Whether the value is `none`.
  var isNone: Bool { if case .none = self { true } else { false } }
}
