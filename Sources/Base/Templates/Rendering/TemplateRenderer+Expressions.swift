extension TemplateRenderer {
  /// Returns the value of an expression.
  ///
  /// Each kind of expression has a function that is not inlined, so that the frames of this one, which is recursive,
  /// stay small.
  mutating func evaluate(_ expression: TemplateExpression) throws(TemplateError) -> TemplateValue {
    try enter()
    defer { leave() }
    switch expression {
    case .literal(let literal): return TemplateValue(literal)
    case .name(let name): return variable(name)
    case .attribute(let base, let name, let offset):
      let value = try evaluate(base)
      self.offset = offset
      return try attribute(name, of: value)
    case .element(let base, let index, let offset):
      return try element(of: base, index, at: offset)
    case .slice(let base, let parts, let offset): return try slice(base, parts, at: offset)
    case .call(let function, let arguments, let offset):
      return try call(function, arguments, at: offset)
    case .filter: return try evaluate(expression, of: nil)
    case .test(let test, let operand, let arguments, let offset):
      return try self.test(test, operand, arguments, at: offset)
    case .sign(let isNegative, let operand, let offset):
      let value = try evaluate(operand)
      self.offset = offset
      return try signed(value, isNegative: isNegative)
    case .arithmetic(let first, let operations, _): return try arithmetic(first, operations)
    case .comparison(let first, let operations, _): return try comparison(first, operations)
    case .concatenation(let operands): return try concatenation(operands)
    case .and(let operands): return try firstOperand(operands, where: false)
    case .or(let operands): return try firstOperand(operands, where: true)
    case .not(let operand): return .bool(!(try evaluate(operand).isTrue))
    case .conditional(let choices, let otherwise): return try choice(choices, otherwise)
    case .list(let elements, let isTuple, let offset):
      return try list(elements, isTuple: isTuple, at: offset)
    case .dictionary(let members, let offset): return try dictionary(members, at: offset)
    }
  }

  @inline(never)
  private mutating func firstOperand(
    _ operands: [TemplateExpression], where isTrue: Bool
  ) throws(TemplateError) -> TemplateValue {
    var value = TemplateValue.none
    for operand in operands {
      value = try evaluate(operand)
      if value.isTrue == isTrue { break }
    }
    return value
  }

  @inline(never)
  private mutating func choice(
    _ choices: [TemplateChoice], _ otherwise: TemplateExpression?
  ) throws(TemplateError) -> TemplateValue {
    for choice in choices {
      if try evaluate(choice.condition).isTrue { return try evaluate(choice.value) }
    }
    guard let otherwise else { return .undefined("the value of an 'if' without 'else'") }
    return try evaluate(otherwise)
  }

  private mutating func values(
    of expressions: [TemplateExpression]
  ) throws(TemplateError) -> [TemplateValue] {
    var values: [TemplateValue] = []
    values.reserveCapacity(expressions.count)
    for expression in expressions { values.append(try evaluate(expression)) }
    return values
  }

  @inline(never)
  private mutating func list(
    _ expressions: [TemplateExpression], isTuple: Bool, at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let elements = try values(of: expressions)
    self.offset = offset
    return try made(elements, isTuple ? .tuple : .list)
  }

  @inline(never)
  private mutating func dictionary(
    _ members: [TemplateExpression], at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let values = try self.values(of: members)
    self.offset = offset
    var dictionary = TemplateDictionary()
    for index in stride(from: 0, to: values.count, by: 2) {
      dictionary.set(values[index], try key(for: values[index]), to: values[index + 1])
    }
    return try made(dictionary)
  }

  /// Returns the key for a value of a mapping or a set.
  mutating func key(for value: TemplateValue) throws(TemplateError) -> TemplateDictionary.Key {
    guard let key = try possibleKey(for: value) else {
      throw failure("\(value.typeName) cannot be a key")
    }
    return key
  }

  /// Returns the key for a value, or `nil` if the value cannot be one.
  private mutating func possibleKey(
    for value: TemplateValue
  ) throws(TemplateError) -> TemplateDictionary.Key? {
    guard case .list(let list) = value, list.isTuple else {
      return TemplateDictionary.key(for: value)
    }
    var keys: [TemplateDictionary.Key] = []
    for element in list.elements {
      try count()
      guard let key = try possibleKey(for: element) else { return nil }
      keys.append(key)
    }
    return .tuple(keys)
  }

  @inline(never)
  private mutating func concatenation(
    _ operands: [TemplateExpression]
  ) throws(TemplateError) -> TemplateValue {
    var text = TemplateText([])
    for operand in operands {
      let value = try evaluate(operand)
      text.append(try self.text(of: value))
      try checkText(text.byteCount)
    }
    return .text(text)
  }

  @inline(never)
  private mutating func arithmetic(
    _ first: TemplateExpression, _ operations: [TemplateOperation]
  ) throws(TemplateError) -> TemplateValue {
    var value = try evaluate(first)
    for operation in operations {
      let operand = try evaluate(operation.operand)
      value = try result(of: operation.symbol, value, operand)
    }
    return value
  }

  @inline(never)
  private mutating func comparison(
    _ first: TemplateExpression, _ operations: [TemplateOperation]
  ) throws(TemplateError) -> TemplateValue {
    var left = try evaluate(first)
    var result = false
    for operation in operations {
      let right = try evaluate(operation.operand)
      result = try compare(operation.symbol, left, right)
      guard result else { break }
      left = right
    }
    return .bool(result)
  }
}

// Attributes, elements and slices.
extension TemplateRenderer {
  /// Returns an error for the use of an undefined value.
  func undefined(_ name: TemplateText) -> TemplateError {
    if TemplateMethod.mutating.contains(name.string) {
      return failure("'\(name.string)' changes a value, which a template cannot do")
    }
    return failure("'\(name.string)' is undefined")
  }

  /// Returns an attribute of a value: a method of its type, or else an element.
  func attribute(
    _ name: TemplateText, of value: TemplateValue
  ) throws(TemplateError) -> TemplateValue {
    switch value {
    case .undefined(let missing): throw undefined(missing)
    case .dictionary(let dictionary):
      return method(name, of: value) ?? dictionary[name] ?? .undefined(name)
    default: return member(name, of: value) ?? .undefined(name)
    }
  }

  private func member(_ name: TemplateText, of value: TemplateValue) -> TemplateValue? {
    switch value {
    case .namespace(let namespace): namespace.attributes[name]
    case .loop(let loop): loop.attribute(name) ?? method(name, of: value)
    case .list(let list) where list.kind == .group && (name == "grouper" || name == "list"):
      list.elements[name == "grouper" ? 0 : 1]
    default: method(name, of: value)
    }
  }

  private func method(_ name: TemplateText, of value: TemplateValue) -> TemplateValue? {
    let methods: Set<String>? =
      switch value {
      case .text: TemplateMethod.ofText
      case .dictionary: TemplateMethod.ofDictionary
      case .list(let list) where list.kind == .list: TemplateMethod.ofList
      case .list(let list) where list.isSequence: TemplateMethod.ofTuple
      case .loop: ["cycle", "changed"]
      default: nil
      }
    guard let methods, methods.contains(name.string) else { return nil }
    if TemplateMethod.mutating.contains(name.string) { return .undefined(name) }
    return .method(TemplateBoundMethod(name, of: value))
  }

  @inline(never)
  private mutating func element(
    of base: TemplateExpression, _ index: TemplateExpression, at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let value = try evaluate(base)
    let index = try evaluate(index)
    self.offset = offset
    return try element(index, of: value)
  }

  /// Returns an element of a value, or else an attribute.
  mutating func element(
    _ index: TemplateValue, of value: TemplateValue
  ) throws(TemplateError) -> TemplateValue {
    switch value {
    case .undefined(let missing): throw undefined(missing)
    case .dictionary(let dictionary):
      if let key = try possibleKey(for: index), let value = dictionary[key] { return value }
    case .text(let text):
      if let index = index.integer {
        let scalars = try scalars(of: text)
        guard let position = Self.position(index, scalars.count) else { break }
        return .text(TemplateText(Array(scalars[position].utf8), isMarkup: text.isMarkup))
      }
    case .list(let list) where list.isSequence:
      if let index = index.integer {
        guard let position = Self.position(index, list.elements.count) else { break }
        return list.elements[position]
      }
    default: break
    }
    guard case .text(let name) = index else { return .undefined("an element") }
    return member(name, of: value) ?? .undefined(name)
  }

  /// Returns the scalars of a text, which takes a time that grows with it.
  mutating func scalars(of text: TemplateText) throws(TemplateError) -> [Unicode.Scalar] {
    try count(text.byteCount >> 6)
    return text.scalars
  }

  private static func position(_ index: Int128, _ count: Int) -> Int? {
    let position = index < 0 ? index + Int128(count) : index
    return position >= 0 && position < Int128(count) ? Int(position) : nil
  }

  @inline(never)
  private mutating func slice(
    _ base: TemplateExpression, _ parts: [TemplateExpression?], at offset: Int
  ) throws(TemplateError) -> TemplateValue {
    let value = try evaluate(base)
    var bounds: [Int128?] = []
    for part in parts {
      guard let part else {
        bounds.append(nil)
        continue
      }
      let bound = try evaluate(part)
      self.offset = offset
      if case .none = bound {
        bounds.append(nil)
      } else if let index = bound.integer {
        bounds.append(index)
      } else {
        throw failure("a slice needs integers, not \(bound.typeName)")
      }
    }
    self.offset = offset
    while bounds.count < 3 { bounds.append(nil) }
    let step = bounds[2] ?? 1
    guard step != 0 else { throw failure("the step of a slice cannot be zero") }
    switch value {
    case .text(let text):
      let scalars = try scalars(of: text)
      let positions = Self.positions(bounds[0], bounds[1], step, scalars.count)
      var slice = TemplateText(positions.map { scalars[$0] })
      slice.isMarkup = text.isMarkup
      return try made(slice)
    case .list(let list) where list.isSequence:
      let positions = Self.positions(bounds[0], bounds[1], step, list.elements.count)
      return try made(positions.map { list.elements[$0] }, list.isTuple ? .tuple : .list)
    case .undefined(let missing): throw undefined(missing)
    default: throw failure("\(value.typeName) has no slices")
    }
  }

  /// Returns the positions of a slice as Python does.
  private static func positions(
    _ start: Int128?, _ end: Int128?, _ step: Int128, _ count: Int
  ) -> [Int] {
    let count = Int128(count)
    let lowest: Int128 = step < 0 ? -1 : 0
    let highest = step < 0 ? count - 1 : count
    func clamped(_ bound: Int128?, _ missing: Int128) -> Int128 {
      guard let bound else { return missing }
      return min(
        max(bound < 0 ? bound.addingReportingOverflow(count).partialValue : bound, lowest), highest)
    }
    let first = clamped(start, step < 0 ? highest : lowest)
    let last = clamped(end, step < 0 ? lowest : highest)
    // No step leads further than from one end to the other.
    let stride = min(max(step, -count - 1), count + 1)
    var positions: [Int] = []
    var position = first
    while stride < 0 ? position > last : position < last {
      positions.append(Int(position))
      position += stride
    }
    return positions
  }

  /// Returns the elements that a loop over a value has.
  mutating func elements(of value: TemplateValue) throws(TemplateError) -> [TemplateValue] {
    switch value {
    case .undefined: return []
    case .list(let list): return list.elements
    case .dictionary(let dictionary): return dictionary.keys
    case .iterator(let iterator): return iterator.takeAll()
    case .text(let text):
      try create(text.count * (MemoryLayout<TemplateValue>.stride + 40))
      return text.scalars.map { .text(TemplateText(Array($0.utf8), isMarkup: text.isMarkup)) }
    default: throw failure("\(value.typeName) has no elements")
    }
  }
}
