extension TemplateRenderer {
  /// Calls a method of a value.
  mutating func call(
    _ method: TemplateBoundMethod, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    guard let name = TemplateMethod(rawValue: method.name.string) else {
      throw template.source.error(
        .unsupported(feature: "the method '\(method.name.string)'"), at: offset)
    }
    switch method.receiver {
    case .text(let text):
      var call = call
      if text.isMarkup {
        // A text that is put into markup is escaped.
        call.positional = call.positional.map(\.escaped)
        call.keywords = call.keywords.map { ($0.name, $0.value.escaped) }
      }
      try count(text.byteCount >> 6)
      return try textMethod(name, text, call)
    case .dictionary(let dictionary): return try dictionaryMethod(name, dictionary, call)
    case .list(let list): return try listMethod(name, list, call)
    case .loop(let loop): return try loopMethod(name, loop, call)
    default: throw unsupported(name)
    }
  }

  private func unsupported(_ name: TemplateMethod) -> TemplateError {
    template.source.error(.unsupported(feature: "the method '\(name.rawValue)'"), at: offset)
  }

  private mutating func dictionaryMethod(
    _ name: TemplateMethod, _ dictionary: TemplateDictionary, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch name {
    case .get:
      guard call.keywords.isEmpty else { throw failure("'get' has no arguments with names") }
      let arguments = try bind(call, ["key", "default"], required: 1)
      return dictionary[try key(for: arguments[0] ?? .none)] ?? arguments[1] ?? .none
    case .items:
      _ = try bind(call, [])
      return try made(try pairs(of: dictionary), .items)
    case .keys:
      _ = try bind(call, [])
      return try made(dictionary.keys, .keys)
    case .values:
      _ = try bind(call, [])
      return try made(dictionary.values, .values)
    default: throw unsupported(name)
    }
  }

  private mutating func listMethod(
    _ name: TemplateMethod, _ list: TemplateList, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let value = try bind(call, ["value"], required: 1)[0] ?? .none
    var count: Int128 = 0
    for (index, element) in list.elements.enumerated() where try areEqual(element, value) {
      if name == .index { return .integer(Int128(index)) }
      count += 1
    }
    guard name == .count else { throw failure("the list does not contain the value") }
    return .integer(count)
  }

  private mutating func loopMethod(
    _ name: TemplateMethod, _ loop: TemplateLoop, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    guard name == .changed else {
      guard !call.positional.isEmpty else { throw failure("'cycle' needs values") }
      return call.positional[loop.index % call.positional.count]
    }
    let values = try made(call.positional, .tuple)
    let last = loop.lastChanged
    loop.lastChanged = values
    guard let last else { return .bool(true) }
    return .bool(try !areEqual(last, values))
  }
}

extension TemplateValue {
  /// The value with the characters of markup escaped if it is a text.
  fileprivate var escaped: TemplateValue {
    if case .text(let text) = self { .text(text.escaped) } else { self }
  }
}
