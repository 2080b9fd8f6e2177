extension TemplateRenderer {
  /// Returns the result of an operator.
  mutating func result(
    of symbol: TemplateOperation.Operator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateError) -> TemplateValue {
    if case .undefined(let name) = left { throw undefined(name) }
    if case .undefined(let name) = right { throw undefined(name) }
    if let result = try joined(symbol, left, right) { return result }
    if let left = left.integer, let right = right.integer {
      return try integers(symbol, left, right)
    }
    guard let first = left.number, let second = right.number else {
      throw mismatch(symbol, left, right)
    }
    return .float(try floats(symbol, first, second))
  }

  private func mismatch(
    _ symbol: TemplateOperation.Operator, _ left: TemplateValue, _ right: TemplateValue
  ) -> TemplateError {
    failure("'\(symbol.rawValue)' does not apply to \(left.typeName) and \(right.typeName)")
  }

  /// Returns the sum or the multiple of texts and lists, or `nil` for other operands.
  private mutating func joined(
    _ symbol: TemplateOperation.Operator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateError) -> TemplateValue? {
    switch (symbol, left, right) {
    case (.add, .text(let first), .text(let second)):
      try checkText(first.byteCount + second.byteCount)
      let isMarkup = first.isMarkup || second.isMarkup
      var sum = isMarkup ? first.escaped : first
      sum.append(isMarkup ? second.escaped : second)
      return try made(sum)
    case (.add, .list(let first), .list(let second)) where first.isTuple == second.isTuple:
      guard first.isSequence, second.isSequence, !first.isRange, !second.isRange else { return nil }
      return try made(first.elements + second.elements, first.isTuple ? .tuple : .list)
    case (.multiply, .text(let text), _):
      guard let count = right.integer else { return nil }
      return try made(try repeated(text, count))
    case (.multiply, _, .text(let text)):
      guard let count = left.integer else { return nil }
      return try made(try repeated(text, count))
    case (.multiply, .list(let list), _) where list.isSequence && !list.isRange:
      guard let count = right.integer else { return nil }
      return try repeated(list, count)
    case (.multiply, _, .list(let list)) where list.isSequence && !list.isRange:
      guard let count = left.integer else { return nil }
      return try repeated(list, count)
    case (.remainder, .text, _):
      throw template.source.error(.unsupported(feature: "'%' after a string"), at: offset)
    default: return nil
    }
  }

  /// Returns a text several times.
  mutating func repeated(
    _ text: TemplateText, _ count: Int128
  ) throws(TemplateError) -> TemplateText {
    let count = Int(min(max(count, 0), Int128(template.limits.maxOutputBytes) + 1))
    let (bytes, overflows) = text.byteCount.multipliedReportingOverflow(by: count)
    try checkText(overflows ? .max : bytes)
    var result: [UInt8] = []
    result.reserveCapacity(bytes)
    if !text.isEmpty { for _ in 0..<count { result += text.bytes } }
    return TemplateText(result, isMarkup: text.isMarkup)
  }

  private mutating func repeated(
    _ list: TemplateList, _ count: Int128
  ) throws(TemplateError) -> TemplateValue {
    let limit = template.limits.maxRangeCount
    let count = Int(min(max(count, 0), Int128(limit) + 1))
    guard list.elements.count * count <= limit else {
      throw self.limit("a list has more than \(limit) elements")
    }
    let elements = (0..<count).flatMap { _ in list.elements }
    return try made(elements, list.isTuple ? .tuple : .list)
  }

  private func integers(
    _ symbol: TemplateOperation.Operator, _ left: Int128, _ right: Int128
  ) throws(TemplateError) -> TemplateValue {
    switch symbol {
    case .add: return .integer(try exact(left.addingReportingOverflow(right)))
    case .subtract: return .integer(try exact(left.subtractingReportingOverflow(right)))
    case .multiply: return .integer(try exact(left.multipliedReportingOverflow(by: right)))
    case .divide: return .float(try floats(.divide, Double(left), Double(right)))
    case .floorDivide, .remainder:
      guard right != 0 else { throw failure("division by zero") }
      guard right != -1 else {
        return .integer(
          symbol == .remainder ? 0 : try exact((0 as Int128).subtractingReportingOverflow(left)))
      }
      let (quotient, remainder) = left.quotientAndRemainder(dividingBy: right)
      let isBelow = remainder != 0 && (remainder < 0) != (right < 0)
      return .integer(
        symbol == .remainder ? remainder + (isBelow ? right : 0) : quotient - (isBelow ? 1 : 0))
    default:
      guard right >= 0 else {
        throw template.source.error(.unsupported(feature: "a negative exponent"), at: offset)
      }
      return .integer(try power(left, right))
    }
  }

  private func exact(
    _ result: (partialValue: Int128, overflow: Bool)
  ) throws(TemplateError) -> Int128 {
    guard !result.overflow else { throw limit("an integer has more than 128 bits") }
    return result.partialValue
  }

  private func power(_ base: Int128, _ exponent: Int128) throws(TemplateError) -> Int128 {
    if base == 0 || base == 1 { return exponent == 0 ? 1 : base }
    if base == -1 { return exponent % 2 == 0 ? 1 : -1 }
    var result: Int128 = 1
    // Any other base exceeds 128 bits after 127 steps.
    for _ in 0..<min(exponent, 128) {
      result = try exact(result.multipliedReportingOverflow(by: base))
    }
    return result
  }

  private func floats(
    _ symbol: TemplateOperation.Operator, _ left: Double, _ right: Double
  ) throws(TemplateError) -> Double {
    switch symbol {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .power:
      throw template.source.error(.unsupported(feature: "'**' of fractions"), at: offset)
    default: break
    }
    guard right != 0 else { throw failure("division by zero") }
    if symbol == .divide { return left / right }
    var remainder = left.truncatingRemainder(dividingBy: right)
    let isBelow = remainder != 0 && (remainder < 0) != (right < 0)
    if isBelow { remainder += right }
    if symbol == .remainder {
      return remainder == 0 ? Double(signOf: right, magnitudeOf: 0) : remainder
    }
    let quotient = (left - remainder) / right
    if quotient == 0 { return Double(signOf: left / right, magnitudeOf: 0) }
    let floor = quotient.rounded(.down)
    return quotient - floor > 0.5 ? floor + 1 : floor
  }

  /// Returns a number with a sign before it.
  func signed(
    _ value: TemplateValue, isNegative: Bool
  ) throws(TemplateError) -> TemplateValue {
    switch value {
    case .undefined(let name): throw undefined(name)
    case .float(let number): return .float(isNegative ? -number : number)
    default:
      guard let number = value.integer else {
        throw failure("\(value.typeName) has no sign")
      }
      return .integer(
        isNegative ? try exact((0 as Int128).subtractingReportingOverflow(number)) : number)
    }
  }
}

// Comparisons.
extension TemplateRenderer {
  /// Returns whether a comparison is true.
  mutating func compare(
    _ symbol: TemplateOperation.Operator, _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateError) -> Bool {
    switch symbol {
    case .equal: try areEqual(left, right)
    case .unequal: try !areEqual(left, right)
    case .contained: try contains(right, left)
    case .notContained: try !contains(right, left)
    case .less: try precedes(left, right, symbol)
    case .greater: try precedes(right, left, symbol)
    case .lessOrEqual: try precedesOrEquals(left, right, symbol)
    default: try precedesOrEquals(right, left, symbol)
    }
  }

  /// Returns whether values are equal as in Python.
  mutating func areEqual(
    _ left: TemplateValue, _ right: TemplateValue
  ) throws(TemplateError) -> Bool {
    try count()
    switch (left, right) {
    case (.undefined, .undefined), (.none, .none): return true
    case (.text(let left), .text(let right)):
      try count(min(left.byteCount, right.byteCount) >> 9)
      return left == right
    case (.list(let left), .list(let right)): return try areEqual(left, right)
    case (.dictionary(let left), .dictionary(let right)):
      guard left.count == right.count else { return false }
      for (name, value) in zip(left.keys, left.values) {
        guard let other = right[try key(for: name)], try areEqual(value, other) else {
          return false
        }
      }
      return true
    case (.namespace(let left), .namespace(let right)): return left === right
    case (.iterator(let left), .iterator(let right)): return left === right
    case (.loop(let left), .loop(let right)): return left === right
    case (.macro(let left), .macro(let right)): return left === right
    case (.function(let left), .function(let right)): return left == right
    default:
      if let left = left.integer, let right = right.integer { return left == right }
      guard let left = left.number, let right = right.number else { return false }
      return left == right
    }
  }

  private mutating func areEqual(
    _ left: TemplateList, _ right: TemplateList
  ) throws(TemplateError) -> Bool {
    guard left.elements.count == right.elements.count,
      left.kind == right.kind || left.isTuple && right.isTuple || left.isRange && right.isRange
    else { return false }
    if left.kind == .values { return false }
    for (left, right) in zip(left.elements, right.elements) where try !areEqual(left, right) {
      return false
    }
    return true
  }

  /// Returns whether a value comes before another one; throws an error if they have no order.
  mutating func precedes(
    _ left: TemplateValue, _ right: TemplateValue, _ symbol: TemplateOperation.Operator
  ) throws(TemplateError) -> Bool {
    try count()
    switch (left, right) {
    case (.undefined(let name), _), (_, .undefined(let name)): throw undefined(name)
    case (.text(let left), .text(let right)):
      try count(min(left.byteCount, right.byteCount) >> 9)
      return left < right
    case (.list(let first), .list(let second))
    where first.isOrdered && second.isOrdered
      && first.isTuple == second.isTuple:
      for (left, right) in zip(first.elements, second.elements) where try !areEqual(left, right) {
        return try precedes(left, right, symbol)
      }
      return first.elements.count < second.elements.count
    default:
      if let left = left.integer, let right = right.integer { return left < right }
      guard let first = left.number, let second = right.number else {
        throw mismatch(symbol, left, right)
      }
      return first < second
    }
  }

  private mutating func precedesOrEquals(
    _ left: TemplateValue, _ right: TemplateValue, _ symbol: TemplateOperation.Operator
  ) throws(TemplateError) -> Bool {
    if try precedes(left, right, symbol) { return true }
    return try areEqual(left, right)
  }

  /// Returns whether a value contains another one.
  private mutating func contains(
    _ container: TemplateValue, _ value: TemplateValue
  ) throws(TemplateError) -> Bool {
    switch container {
    case .text(let text):
      guard case .text(let part) = value else {
        throw failure("'in' needs a string before a string, not \(value.typeName)")
      }
      try count((text.byteCount + part.byteCount) >> 6)
      return text.firstOffset(of: part) != nil
    case .dictionary(let dictionary): return dictionary[try key(for: value)] != nil
    default:
      for element in try elements(of: container) where try areEqual(element, value) { return true }
      return false
    }
  }

  /// Returns values in the order of their keys; equal ones keep their order, also if the order is reversed.
  mutating func sorted(
    _ values: [TemplateValue], by keys: [TemplateValue], isReversed: Bool
  ) throws(TemplateError) -> [TemplateValue] {
    var order = Array(values.indices)
    var merged = order
    var width = 1
    while width < order.count {
      for start in stride(from: 0, to: order.count, by: 2 * width) {
        let middle = min(start + width, order.count)
        let end = min(start + 2 * width, order.count)
        var (left, right) = (start, middle)
        for index in start..<end {
          let takesRight: Bool
          if left == middle || right == end {
            takesRight = left == middle
          } else {
            let (first, second) = (keys[order[left]], keys[order[right]])
            takesRight =
              isReversed ? try precedes(first, second, .less) : try precedes(second, first, .less)
          }
          merged[index] = order[takesRight ? right : left]
          if takesRight { right += 1 } else { left += 1 }
        }
      }
      swap(&order, &merged)
      width *= 2
    }
    return order.map { values[$0] }
  }
}
