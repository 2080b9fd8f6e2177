/// The rules for single values.
extension DescriptionReading {
  /// Says that a value is of another type than its place wants.
  mutating func wrongType(_ node: JSONNode, _ expected: String, suggestion: String? = nil) {
    log.error(
      .wrongType, at: node, expected: expected, "Expected \(expected), found \(node.summary).",
      suggestion: suggestion)
  }

  mutating func text(_ node: JSONNode) -> String? {
    if let text = node.string { return text }
    let isShort = node.kind == .number || node.kind == .boolean
    wrongType(node, "a string", suggestion: isShort ? "write \"\(node.source.prefix(40))\"" : nil)
    return nil
  }

  /// A text with something in it.
  mutating func word(_ node: JSONNode) -> String? {
    guard let text = text(node) else { return nil }
    guard text.isEmpty else { return text }
    log.error(
      .emptyString, at: node, expected: "a text that is not empty", "The text is empty.")
    return nil
  }

  mutating func requiredText(_ key: String, in fields: Fields) -> String {
    required(key, in: fields, "a string").flatMap { text($0) } ?? ""
  }

  mutating func flag(_ node: JSONNode) -> Bool? {
    if let flag = node.bool { return flag }
    let written = node.string ?? node.source
    let isMeant = ["true", "1"].contains(written) ? "true" : "false"
    wrongType(
      node, "true or false",
      suggestion: ["true", "false", "0", "1"].contains(written) ? "write \(isMeant)" : nil)
    return nil
  }

  mutating func number(_ node: JSONNode) -> Float? {
    guard let value = node.float else {
      let isQuoted = node.string.flatMap(Float.init) != nil
      wrongType(node, "a number", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard value.isFinite else {
      log.error(
        .numberOverflow, at: node, expected: "a number of at most \(Float.greatestFiniteMagnitude)",
        "The number does not fit a 32-bit float.")
      return nil
    }
    return value
  }

  /// A whole number, of at most a magnitude.
  mutating func integer(_ node: JSONNode, atMost limit: Int) -> Int? {
    guard node.kind == .number else {
      wrongType(node, "an integer")
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer, written without a fraction or an exponent",
        "The number counts.")
      return nil
    }
    guard let value = node.int.flatMap({ Int(exactly: $0) }), abs(value) <= limit else {
      log.error(
        .numberOverflow, at: node, expected: "an integer of at most \(limit)",
        "The number is too large.")
      return nil
    }
    return value
  }

  mutating func array(_ node: JSONNode, of what: String) -> JSONElements? {
    if let elements = node.elements { return elements }
    wrongType(node, "an array of \(what)", suggestion: "write [\(node.source.prefix(40))]")
    return nil
  }

  /// One of a few words, exactly as they are written.
  mutating func choice<Value>(
    _ node: JSONNode, of values: [(word: String, value: Value)], else code: ProblemCode
  ) -> Value? {
    guard let word = text(node) else { return nil }
    if let match = values.first(where: { $0.word == word }) { return match.value }
    let words = values.map { "\"\($0.word)\"" }.joined(separator: ", ")
    let bare = word.filter { !$0.isWhitespace }
    let nearest = Spelling.nearest(to: bare, among: values.map(\.word))
    log.error(
      code, at: node, expected: "one of \(words)",
      "\(node.quotation) is none of \(words).",
      suggestion: nearest.map { "did you mean \"\($0)\"?" })
    return nil
  }

  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ node: JSONNode, of type: Value.Type, else code: ProblemCode
  ) -> Value? where Value.RawValue == String {
    choice(node, of: type.allCases.map { ($0.rawValue, $0) }, else: code)
  }

  /// The name of a file inside the bundle.
  mutating func fileName(_ node: JSONNode) -> String? {
    guard let name = word(node) else { return nil }
    guard let fault = BundlePath.fault(of: name) else { return name }
    log.error(
      .unsafePath, at: node, expected: "a name inside the bundle",
      "The name leaves the bundle or cannot be a file's: \(fault).",
      suggestion: "put the file into the bundle and name it relative to that")
    return nil
  }
}
