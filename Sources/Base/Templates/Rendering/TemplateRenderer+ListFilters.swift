import TensorIOJSON

extension TemplateRenderer {
  mutating func listFilter(
    _ filter: TemplateFilter, _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch filter {
    case .first:
      _ = try bind(call, [])
      if case .iterator(let iterator) = value { return iterator.next() ?? .undefined("first") }
      return try elements(of: value).first ?? .undefined("first")
    case .last:
      _ = try bind(call, [])
      if case .iterator = value { throw failure("an iterator has no last element") }
      return try elements(of: value).last ?? .undefined("last")
    case .reverse:
      _ = try bind(call, [])
      if case .text(let text) = value {
        return try made(TemplateText(try scalars(of: text).reversed()))
      }
      return try iterator(over: try elements(of: value).reversed())
    case .batch: return try batch(value, call)
    case .unique: return try unique(value, call)
    case .sort: return try sort(value, call)
    case .groupby: return try group(value, call)
    case .sum: return try sum(value, call)
    default: return try extreme(filter, value, call)
    }
  }

  private mutating func batch(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["linecount", "fill_with"], required: 1)
    let count = try integer(arguments[0], "batch") ?? 0
    guard count > 0, count <= template.limits.maxRangeCount else {
      throw failure("'batch' needs a number of elements")
    }
    let elements = try self.elements(of: value)
    var batches: [TemplateValue] = []
    for start in stride(from: 0, to: elements.count, by: count) {
      var batch = Array(elements[start..<min(start + count, elements.count)])
      if let filler = arguments[1], batch.count < count {
        if case .none = filler {
        } else {
          batch += [TemplateValue](repeating: filler, count: count - batch.count)
        }
      }
      batches.append(try made(batch))
    }
    return try iterator(over: batches)
  }

  /// Returns the value at a path such as `function.name`, in lowercase unless the case counts.
  private mutating func sortingKey(
    _ path: TemplateValue?, of element: TemplateValue, _ isCaseSensitive: Bool
  ) throws(TemplateError) -> TemplateValue {
    var key = element
    if let path { key = try value(at: path, of: element) }
    guard !isCaseSensitive, case .text(let text) = key else { return key }
    return try made(text.lowercased)
  }

  private mutating func unique(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["case_sensitive", "attribute"])
    var seen: Set<TemplateDictionary.Key> = []
    var kept: [TemplateValue] = []
    for element in try elements(of: value) {
      let key = try key(
        for: try sortingKey(arguments[1], of: element, arguments[0]?.isTrue ?? false))
      if seen.insert(key).inserted { kept.append(element) }
    }
    return try iterator(over: kept)
  }

  private mutating func sort(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["reverse", "case_sensitive", "attribute"])
    let isCaseSensitive = arguments[1]?.isTrue ?? false
    let elements = try self.elements(of: value)
    var paths: [TemplateValue?] = [arguments[2]]
    if case .text(let text) = arguments[2] {
      paths = split(text, by: ",", limit: nil).map { .text($0) }
    }
    var keys: [TemplateValue] = []
    for element in elements {
      var parts: [TemplateValue] = []
      for path in paths { parts.append(try sortingKey(path, of: element, isCaseSensitive)) }
      keys.append(try made(parts))
    }
    return try made(
      try sorted(elements, by: keys, isReversed: arguments[0]?.isTrue ?? false))
  }

  private mutating func group(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["attribute", "default", "case_sensitive"], required: 1)
    let isCaseSensitive = arguments[2]?.isTrue ?? false
    let elements = try self.elements(of: value)
    var keys: [TemplateValue] = []
    for element in elements {
      var key = try self.value(at: arguments[0] ?? .none, of: element)
      if key.isUndefined, let missing = arguments[1] { key = missing }
      keys.append(try sortingKey(nil, of: key, isCaseSensitive))
    }
    let positions = try sorted(
      elements.indices.map { .integer(Int128($0)) }, by: keys, isReversed: false)
    var groups: [(key: TemplateValue, elements: [TemplateValue])] = []
    for position in positions.compactMap(\.integer).map({ Int($0) }) {
      if let last = groups.last, try areEqual(last.key, keys[position]) {
        groups[groups.count - 1].elements.append(elements[position])
      } else {
        groups.append((keys[position], [elements[position]]))
      }
    }
    var pairs: [TemplateValue] = []
    for group in groups {
      var name = try self.value(at: arguments[0] ?? .none, of: group.elements[0])
      if name.isUndefined, let missing = arguments[1] { name = missing }
      pairs.append(
        try made([isCaseSensitive ? group.key : name, try made(group.elements)], .group))
    }
    return try made(pairs)
  }

  private mutating func sum(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["attribute", "start"])
    var sum = arguments[1] ?? .integer(0)
    if case .text = sum { throw failure("'sum' needs numbers") }
    for element in try elements(of: value) {
      var item = element
      if let path = arguments[0], !path.isNone { item = try self.value(at: path, of: element) }
      sum = try result(of: .add, sum, item)
    }
    return sum
  }

  private mutating func extreme(
    _ filter: TemplateFilter, _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["case_sensitive", "attribute"])
    let isCaseSensitive = arguments[0]?.isTrue ?? false
    var best: (key: TemplateValue, element: TemplateValue)?
    for element in try elements(of: value) {
      let key = try sortingKey(arguments[1], of: element, isCaseSensitive)
      if let best {
        let isBetter =
          filter == .min ? try precedes(key, best.key, .less) : try precedes(best.key, key, .less)
        guard isBetter else { continue }
      }
      best = (key, element)
    }
    return best?.element ?? .undefined(TemplateText(filter.rawValue))
  }

  func isPresent(_ value: TemplateValue?) -> Bool { value.map { !$0.isNone } ?? false }
}

// Mappings, and filters that take a filter or a test.
extension TemplateRenderer {
  mutating func items(of value: TemplateValue) throws(TemplateError) -> TemplateValue {
    switch value {
    case .undefined: return try iterator(over: [])
    case .dictionary(let dictionary): return try iterator(over: try pairs(of: dictionary))
    default: throw failure("'items' needs a mapping, not \(value.typeName)")
    }
  }

  /// Returns the keys and values of a mapping as tuples.
  mutating func pairs(of dictionary: TemplateDictionary) throws(TemplateError) -> [TemplateValue] {
    var pairs: [TemplateValue] = []
    for (key, value) in zip(dictionary.keys, dictionary.values) {
      pairs.append(try made([key, value], .tuple))
    }
    return pairs
  }

  mutating func sortedItems(
    of value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["case_sensitive", "by", "reverse"])
    guard case .dictionary(let dictionary) = value else {
      if case .undefined(let name) = value { throw undefined(name) }
      throw failure("'dictsort' needs a mapping, not \(value.typeName)")
    }
    let by = try text(arguments[1], "dictsort") ?? "key"
    guard by == "key" || by == "value" else {
      throw failure("'dictsort' sorts by 'key' or 'value'")
    }
    var keys: [TemplateValue] = []
    for key in by == "key" ? dictionary.keys : dictionary.values {
      keys.append(try sortingKey(nil, of: key, arguments[0]?.isTrue ?? false))
    }
    return try made(
      try sorted(try pairs(of: dictionary), by: keys, isReversed: arguments[2]?.isTrue ?? false))
  }

  /// Returns the value at a path such as `function.name` or `0`.
  mutating func value(
    at path: TemplateValue, of element: TemplateValue
  ) throws(TemplateError) -> TemplateValue {
    if path.isNone { return element }
    guard case .text(let text) = path else { return try self.element(path, of: element) }
    var value = element
    for part in split(text, by: ".", limit: nil) {
      let index = part.bytes.allSatisfy(\.isDigit) ? Int128(part.string) : nil
      value = try self.element(index.map(TemplateValue.integer) ?? .text(part), of: value)
    }
    return value
  }

  mutating func map(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    guard value.isTrue else { return try iterator(over: []) }
    var results: [TemplateValue] = []
    if call.positional.isEmpty {
      let arguments = try bind(call, ["attribute", "default"], required: 1)
      for element in try elements(of: value) {
        var result = try self.value(at: arguments[0] ?? .none, of: element)
        if result.isUndefined, let missing = arguments[1], !missing.isNone { result = missing }
        results.append(result)
      }
      return try iterator(over: results)
    }
    var inner = call
    let name = inner.positional.removeFirst()
    guard case .text(let text) = name, let filter = TemplateFilter(text.string) else {
      throw failure(
        "there is no filter \(name.typeName == "a string" ? "of that name" : "that is \(name.typeName)")"
      )
    }
    for element in try elements(of: value) {
      try enter()
      results.append(try apply(filter, to: element, inner))
      leave()
    }
    return try iterator(over: results)
  }

  mutating func select(
    _ value: TemplateValue, _ call: TemplateCall, keeps: Bool, at path: TemplateValue? = nil
  ) throws(TemplateError) -> TemplateValue {
    guard value.isTrue else { return try iterator(over: []) }
    var inner = call
    var test: TemplateTest?
    if !inner.positional.isEmpty {
      let name = inner.positional.removeFirst()
      guard case .text(let text) = name, let named = TemplateTest(text.string) else {
        throw failure("there is no such test")
      }
      test = named
    }
    var kept: [TemplateValue] = []
    for element in try elements(of: value) {
      try count()
      var tested = element
      if let path { tested = try self.value(at: path, of: element) }
      let isTrue = if let test { try passes(test, tested, inner) } else { tested.isTrue }
      if isTrue == keeps { kept.append(element) }
    }
    return try iterator(over: kept)
  }

  mutating func selectAttribute(
    _ value: TemplateValue, _ call: TemplateCall, keeps: Bool
  ) throws(TemplateError) -> TemplateValue {
    var inner = call
    guard value.isTrue else { return try iterator(over: []) }
    guard !inner.positional.isEmpty else { throw failure("the name of the attribute is missing") }
    let path = inner.positional.removeFirst()
    return try select(value, inner, keeps: keeps, at: path)
  }
}
