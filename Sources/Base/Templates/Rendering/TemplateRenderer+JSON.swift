import TensorIOJSON

extension TemplateRenderer {
  /// The layout of `tojson`.
  private struct JSONStyle {
    var escapesNonASCII = false
    var indentation: TemplateText?
    var itemSeparator: TemplateText = ", "
    var keySeparator: TemplateText = ": "
    var sortsKeys = false
  }

  /// Returns a value as `json.dumps` of Python writes it, with the arguments that `transformers` takes.
  mutating func json(
    of value: TemplateValue, _ call: TemplateCall
  ) throws(TemplateError) -> TemplateValue {
    let arguments = try bind(call, ["ensure_ascii", "indent", "separators", "sort_keys"])
    var style = JSONStyle()
    style.escapesNonASCII = arguments[0]?.isTrue ?? false
    style.sortsKeys = arguments[3]?.isTrue ?? false
    if isPresent(arguments[1]) {
      if case .text(let text) = arguments[1] {
        style.indentation = text
      } else {
        style.indentation = try repeated(
          " ", Int128(try integer(arguments[1], "tojson") ?? 0))
      }
      style.itemSeparator = ","
    }
    if let separators = arguments[2], !separators.isNone {
      let parts = try elements(of: separators)
      guard parts.count == 2, case .text(let item) = parts[0], case .text(let key) = parts[1] else {
        throw failure("the separators of 'tojson' are two strings")
      }
      (style.itemSeparator, style.keySeparator) = (item, key)
    }
    var text: [UInt8] = []
    try append(value, style, 0, to: &text)
    return try made(TemplateText(text))
  }

  private mutating func append(
    _ value: TemplateValue, _ style: JSONStyle, _ level: Int, to text: inout [UInt8]
  ) throws(TemplateError) {
    try enter()
    defer { leave() }
    if text.count > template.limits.maxOutputBytes { try checkText(text.count) }
    switch value {
    case .none: text += "null".utf8
    case .bool(let value): text += (value ? "true" : "false").utf8
    case .integer(let number): text += number.description.utf8
    case .float(let number): text += jsonNumber(number)
    case .text(let string): try appendQuoted(string, style, to: &text)
    case .list(let list) where list.isOrdered:
      try append(list.elements, style, level, brackets: ("[", "]"), to: &text) {
        (renderer, element, text) throws(TemplateError) in
        try renderer.append(element, style, level + 1, to: &text)
      }
    case .dictionary(let dictionary):
      try append(
        try members(of: dictionary, style), style, level, brackets: ("{", "}"), to: &text
      ) { (renderer, member, text) throws(TemplateError) in
        try renderer.appendQuoted(member.key, style, to: &text)
        text += style.keySeparator.bytes
        try renderer.append(member.value, style, level + 1, to: &text)
      }
    default: throw failure("'tojson' cannot write \(value.typeName)")
    }
  }

  private mutating func append<Element>(
    _ elements: [Element], _ style: JSONStyle, _ level: Int, brackets: (String, String),
    to text: inout [UInt8],
    _ write: (inout TemplateRenderer, Element, inout [UInt8]) throws(TemplateError) -> Void
  ) throws(TemplateError) {
    text += brackets.0.utf8
    for (index, element) in elements.enumerated() {
      if index > 0 { text += style.itemSeparator.bytes }
      try breakLine(style, level + 1, &text)
      try write(&self, element, &text)
    }
    if !elements.isEmpty { try breakLine(style, level, &text) }
    text += brackets.1.utf8
  }

  private mutating func breakLine(
    _ style: JSONStyle, _ level: Int, _ text: inout [UInt8]
  ) throws(TemplateError) {
    guard let indentation = style.indentation else { return }
    try checkText(indentation.byteCount * level)
    text.append(ASCII.lineFeed)
    for _ in 0..<level { text += indentation.bytes }
  }

  private mutating func members(
    of dictionary: TemplateDictionary, _ style: JSONStyle
  ) throws(TemplateError) -> [(key: TemplateText, value: TemplateValue)] {
    var order = Array(0..<dictionary.count)
    if style.sortsKeys {
      let indices = order.map { TemplateValue.integer(Int128($0)) }
      order = try sorted(indices, by: dictionary.keys, isReversed: false)
        .compactMap(\.integer).map { Int($0) }
    }
    var members: [(key: TemplateText, value: TemplateValue)] = []
    for index in order {
      let key: TemplateText
      switch dictionary.keys[index] {
      case .text(let text): key = text
      case .none: key = "null"
      case .bool(let value): key = value ? "true" : "false"
      case .float(let number): key = TemplateText(jsonNumber(number))
      case .integer(let number): key = TemplateText(number.description)
      case let other: throw failure("'tojson' cannot write \(other.typeName) as a key")
      }
      members.append((key, dictionary.values[index]))
    }
    return members
  }

  private func jsonNumber(_ number: Double) -> [UInt8] {
    guard !number.isFinite else { return PythonFloat.text(of: number).bytes }
    return Array((number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity").utf8)
  }

  private mutating func appendQuoted(
    _ string: TemplateText, _ style: JSONStyle, to text: inout [UInt8]
  ) throws(TemplateError) {
    try create(string.byteCount)
    var writer = JSONWriter()
    writer.value(string.string)
    guard style.escapesNonASCII else {
      text += writer.bytes
      return
    }
    for scalar in writer.string.unicodeScalars {
      guard scalar.value >= 0x7F else {
        text.append(UInt8(truncatingIfNeeded: scalar.value))
        continue
      }
      // Python leaves DEL as it is.
      if scalar.value == 0x7F {
        text.append(0x7F)
        continue
      }
      for unit in scalar.utf16 {
        let digits = String(unit, radix: 16)
        text += (#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      }
    }
  }
}
