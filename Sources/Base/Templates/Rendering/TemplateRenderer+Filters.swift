extension TemplateRenderer {
  /// Returns the value of a filter; `input` takes the place of an absent operand.
  @inline(never)
  mutating func evaluate(
    _ expression: TemplateExpression, of input: TemplateValue?
  ) throws(TemplateError) -> TemplateValue {
    guard case .filter(let filter, let operand, let arguments, let offset) = expression else {
      return try evaluate(expression)
    }
    let value: TemplateValue
    if let input, let operand {
      value = try evaluate(operand, of: input)
    } else if let operand {
      value = try evaluate(operand)
    } else {
      value = input ?? .none
    }
    let call = try evaluate(arguments)
    self.offset = offset
    return try apply(filter, to: value, call)
  }

  @inline(never)
  mutating func apply(
    _ filter: TemplateFilter, to value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch filter {
    case .abs, .round, .int, .float: return try number(filter, value, call)
    case .capitalize, .lower, .upper, .title, .trim, .center, .replace, .indent, .wordcount,
      .escape, .safe, .string:
      return try textFilter(filter, value, call)
    case .default:
      let arguments = try bind(call, ["default_value", "boolean"])
      let replacesFalse = arguments[1]?.isTrue ?? false
      guard value.isUndefined || replacesFalse && !value.isTrue else { return value }
      return arguments[0] ?? .text(TemplateText([]))
    case .length:
      _ = try bind(call, [])
      return .integer(Int128(try length(of: value)))
    case .tojson: return try json(of: value, call)
    case .items:
      _ = try bind(call, [])
      return try items(of: value)
    case .dictsort: return try sortedItems(of: value, call)
    case .join: return try join(value, call)
    case .list:
      _ = try bind(call, [])
      return try made(try elements(of: value))
    case .map: return try map(value, call)
    case .select: return try select(value, call, keeps: true)
    case .reject: return try select(value, call, keeps: false)
    case .selectattr: return try selectAttribute(value, call, keeps: true)
    case .rejectattr: return try selectAttribute(value, call, keeps: false)
    default: return try listFilter(filter, value, call)
    }
  }

  /// Returns the number of elements or scalars.
  private mutating func length(of value: TemplateValue) throws(TemplateError) -> Int {
    switch value {
    case .undefined: return 0
    case .text(let text):
      try count(text.byteCount >> 9)
      return text.count
    case .list(let list): return list.elements.count
    case .dictionary(let dictionary): return dictionary.count
    case .loop(let loop): return loop.list.elements.count
    default: throw failure("\(value.typeName) has no length")
    }
  }

  /// Returns an argument that is an integer.
  func integer(_ value: TemplateValue?, _ name: String) throws(TemplateError) -> Int? {
    guard let value else { return nil }
    guard let number = value.integer else {
      throw failure("'\(name)' needs an integer, not \(value.typeName)")
    }
    return Int(clamping: number)
  }

  /// Returns an argument that is a text; `nil` if it is absent or `none`.
  func text(_ value: TemplateValue?, _ name: String) throws(TemplateError) -> TemplateText? {
    switch value {
    case nil, .some(.none): return nil
    case .text(let text): return text
    case let value?: throw failure("'\(name)' needs a string, not \(value.typeName)")
    }
  }
}

// Numbers.
extension TemplateRenderer {
  private mutating func number(
    _ filter: TemplateFilter, _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    switch filter {
    case .abs:
      _ = try bind(call, [])
      if case .float(let number) = value { return .float(number.magnitude) }
      guard let number = value.integer else { break }
      return number < 0 ? try signed(value, isNegative: true) : .integer(number)
    case .round: return try rounded(value, call)
    case .int:
      let arguments = try bind(call, ["default", "base"])
      let base = try integer(arguments[1], "base") ?? 10
      if case .undefined(let name) = value { throw undefined(name) }
      return try parsedInteger(value, base) ?? arguments[0] ?? .integer(0)
    default:
      let arguments = try bind(call, ["default"])
      if case .undefined(let name) = value { throw undefined(name) }
      let number: Double? =
        if case .text(let text) = value { PythonFloat.parse(text) } else { value.number }
      return number.map(TemplateValue.float) ?? arguments[0] ?? .float(0)
    }
    if case .undefined(let name) = value { throw undefined(name) }
    throw failure("'\(filter.rawValue)' needs a number, not \(value.typeName)")
  }

  private func rounded(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["precision", "method"])
    let digits = try integer(arguments[0], "round") ?? 0
    let method = try text(arguments[1], "round") ?? "common"
    if case .undefined(let name) = value { throw undefined(name) }
    guard (0...15).contains(digits) else {
      throw template.source.error(
        .unsupported(feature: "rounding to \(digits) digits"), at: offset)
    }
    guard let number = value.number else {
      throw failure("'round' needs a number, not \(value.typeName)")
    }
    if method == "common" {
      if let integer = value.integer { return .integer(integer) }
      return .float(PythonFloat.rounded(number, digits: digits))
    }
    guard method == "ceil" || method == "floor" else {
      throw failure("the method of 'round' is 'common', 'ceil' or 'floor'")
    }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (number * scale).rounded(method == "ceil" ? .up : .down)
    guard scaled.isFinite else { throw failure("the number cannot be rounded") }
    return .float((scaled + 0) / scale)
  }

  /// Returns the integer of a number or a text, or `nil` if there is none.
  private func parsedInteger(
    _ value: TemplateValue, _ base: Int
  ) throws(TemplateError) -> TemplateValue? {
    if let integer = value.integer { return .integer(integer) }
    var number = value.number
    if case .text(let text) = value {
      guard base == 10 else {
        throw template.source.error(.unsupported(feature: "an integer of another base"), at: offset)
      }
      if let digits = PythonFloat.digits(text), let integer = Int128(digits) {
        return .integer(integer)
      }
      number = PythonFloat.parse(text)
      if number?.isInfinite == true { return nil }
    }
    guard let number, !number.isNaN else { return nil }
    guard number.magnitude < 0x1p126 else { throw failure("the number is too large") }
    return .integer(Int128(number))
  }
}

// Texts.
extension TemplateRenderer {
  private mutating func textFilter(
    _ filter: TemplateFilter, _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    // Markup stays what it is, as with `soft_str`.
    let text: TemplateText = if case .text(let text) = value { text } else { try text(of: value) }
    let name = filter.rawValue
    try count(text.byteCount >> 6)
    switch filter {
    case .trim:
      return try made(strip(text, try self.text(try bind(call, ["chars"])[0], name)))
    case .center:
      let width = try integer(try bind(call, ["width"])[0], name) ?? 80
      return try made(try padded(text, width, with: " ", .both))
    case .replace:
      let arguments = try bind(call, ["old", "new", "count"], required: 2)
      var limit: Int?
      if let count = arguments[2], case .integer = count { limit = try integer(count, name) }
      let plain = try self.text(of: value)
      return try made(
        try replacing(
          try self.text(of: arguments[0] ?? .none), with: try self.text(of: arguments[1] ?? .none),
          in: plain, limit: limit))
    case .indent: return try indented(value, call)
    default: break
    }
    _ = try bind(call, [])
    switch filter {
    case .capitalize: return try made(text.capitalized)
    case .lower: return try made(text.lowercased)
    case .upper: return try made(text.uppercased)
    case .title: return try made(title(text))
    case .escape: return try made(text.escaped)
    case .safe: return try made(TemplateText(text.bytes, isMarkup: true))
    case .wordcount: return .integer(Int128(wordCount(text)))
    default: return try made(text)
    }
  }

  private func title(_ text: TemplateText) -> TemplateText {
    var titled = TemplateText([], isMarkup: text.isMarkup)
    var word: [Unicode.Scalar] = []
    func finish() {
      guard let first = word.first else { return }
      titled.append(TemplateText(first.properties.uppercaseMapping))
      titled.append(TemplateText(word.dropFirst()).lowercased)
      word = []
    }
    for scalar in text.scalars {
      guard scalar.isPythonSpace || "-({[<".unicodeScalars.contains(scalar) else {
        word.append(scalar)
        continue
      }
      finish()
      titled.append(scalar: scalar)
    }
    finish()
    return titled
  }

  private func wordCount(_ text: TemplateText) -> Int {
    var count = 0
    var isInWord = false
    for scalar in text.string.unicodeScalars {
      let isWord = scalar == "_" || scalar.isPythonLetter || scalar.properties.numericType != nil
      if isWord, !isInWord { count += 1 }
      isInWord = isWord
    }
    return count
  }

  private mutating func indented(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["width", "first", "blank"])
    guard case .text(let text) = value else {
      throw failure("'indent' needs a string, not \(value.typeName)")
    }
    let indentation: TemplateText
    if case .text(let text) = arguments[0] {
      indentation = text
    } else {
      indentation = try repeated(" ", Int128(try integer(arguments[0], "indent") ?? 4))
    }
    let (isFirst, isBlank) = (arguments[1]?.isTrue ?? false, arguments[2]?.isTrue ?? false)
    var source = text
    source.append("\n")
    var result = TemplateText([], isMarkup: text.isMarkup)
    if isFirst { result.append(indentation) }
    for (index, line) in lines(of: source, keepsEnds: false).enumerated() {
      if index > 0 {
        result.append("\n")
        if isBlank || !line.isEmpty { result.append(indentation) }
      }
      result.append(line)
      if result.byteCount > template.limits.maxOutputBytes { break }
    }
    return try made(result)
  }

  private mutating func join(
    _ value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["d", "attribute"])
    let separator =
      try arguments[0].map { (value) throws(TemplateError) in try text(of: value) } ?? ""
    var texts: [TemplateText] = []
    for element in try elements(of: value) {
      let item = try arguments[1].map { (path) throws(TemplateError) in
        try self.value(at: path, of: element)
      }
      texts.append(try text(of: item ?? element))
    }
    return .text(try joined(texts, separator))
  }

  /// Returns texts with another one between them.
  mutating func joined(
    _ texts: [TemplateText], _ separator: TemplateText
  ) throws(TemplateError) -> TemplateText {
    try count(texts.count)
    let limit = template.limits.maxOutputBytes
    var size = separator.byteCount.multipliedReportingOverflow(by: max(texts.count - 1, 0))
    for text in texts where !size.overflow && size.partialValue <= limit {
      size.partialValue += text.byteCount
    }
    try checkText(size.overflow ? .max : size.partialValue)
    var result: [UInt8] = []
    result.reserveCapacity(size.partialValue)
    for (index, text) in texts.enumerated() {
      if index > 0 { result += separator.bytes }
      result += text.bytes
    }
    return TemplateText(result)
  }
}
