extension TemplateRenderer {
  /// Returns the text that Python prints for a value.
  mutating func text(of value: TemplateValue) throws(TemplateError) -> TemplateText {
    switch value {
    case .text(let text):
      var plain = text
      plain.isMarkup = false
      return plain
    case .undefined: return TemplateText([])
    default:
      var text = TemplateText([])
      try appendRepresentation(of: value, to: &text)
      try checkText(text.byteCount)
      return text
    }
  }

  /// Appends a value as Python's `repr` does.
  private mutating func appendRepresentation(
    of value: TemplateValue, to text: inout TemplateText
  ) throws(TemplateError) {
    try enter()
    defer { leave() }
    if text.byteCount > template.limits.maxOutputBytes { try checkText(text.byteCount) }
    switch value {
    case .undefined: text.append("Undefined")
    case .none: text.append("None")
    case .bool(let value): text.append(value ? "True" : "False")
    case .integer(let number): text.append(TemplateText(number.description))
    case .float(let number): text.append(PythonFloat.text(of: number))
    case .text(let value): try appendQuoted(value, to: &text)
    case .list(let list): try append(list, to: &text)
    case .dictionary(let dictionary): try append(dictionary, to: &text)
    case .namespace(let namespace):
      text.append("<Namespace ")
      try append(namespace.attributes, to: &text)
      text.append(">")
    case .macro(let macro):
      let name = macro.definition.name.map { template.names[$0].string }
      text.append(TemplateText("<Macro \(name.map { "'\($0)'" } ?? "anonymous")>"))
    case .iterator, .loop, .function, .method:
      throw failure("\(value.typeName) cannot be printed")
    }
  }

  private mutating func append(
    _ dictionary: TemplateDictionary, to text: inout TemplateText
  ) throws(TemplateError) {
    text.append("{")
    for index in 0..<dictionary.count {
      if index > 0 { text.append(", ") }
      try appendRepresentation(of: dictionary.keys[index], to: &text)
      text.append(": ")
      try appendRepresentation(of: dictionary.values[index], to: &text)
    }
    text.append("}")
  }

  private mutating func append(
    _ list: TemplateList, to text: inout TemplateText
  ) throws(TemplateError) {
    let (opening, closing): (TemplateText, TemplateText)
    switch list.kind {
    case .list: (opening, closing) = ("[", "]")
    case .tuple, .group: (opening, closing) = ("(", list.elements.count == 1 ? ",)" : ")")
    case .keys: (opening, closing) = ("dict_keys([", "])")
    case .values: (opening, closing) = ("dict_values([", "])")
    case .items: (opening, closing) = ("dict_items([", "])")
    case .range(let start, let end, let step):
      return text.append(TemplateText("range(\(start), \(end)\(step == 1 ? "" : ", \(step)"))"))
    }
    text.append(opening)
    for (index, element) in list.elements.enumerated() {
      if index > 0 { text.append(", ") }
      try appendRepresentation(of: element, to: &text)
    }
    text.append(closing)
  }

  private mutating func appendQuoted(
    _ value: TemplateText, to text: inout TemplateText
  ) throws(TemplateError) {
    try create(value.byteCount)
    let usesDoubleQuotes =
      value.bytes.contains(UInt8(ascii: "'")) && !value.bytes.contains(UInt8(ascii: "\""))
    let quote: Unicode.Scalar = usesDoubleQuotes ? "\"" : "'"
    if value.isMarkup { text.append("Markup(") }
    text.append(scalar: quote)
    for scalar in value.string.unicodeScalars {
      switch scalar {
      case "\\": text.append(#"\\"#)
      case "\n": text.append(#"\n"#)
      case "\r": text.append(#"\r"#)
      case "\t": text.append(#"\t"#)
      case quote:
        text.append("\\")
        text.append(scalar: scalar)
      case _ where scalar.isPythonPrintable: text.append(scalar: scalar)
      default: text.append(scalar.pythonEscape)
      }
    }
    text.append(scalar: quote)
    if value.isMarkup { text.append(")") }
  }
}

extension Unicode.Scalar {
  /// The escape of Python's `repr`.
  fileprivate var pythonEscape: TemplateText {
    let (letter, count) = value < 0x100 ? ("x", 2) : value < 0x1_0000 ? ("u", 4) : ("U", 8)
    let digits = String(value, radix: 16)
    return TemplateText(
      "\\\(letter)" + String(repeating: "0", count: count - digits.count) + digits)
  }
}
