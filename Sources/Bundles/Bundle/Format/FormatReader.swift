package import TensorIOJSON

/// Reads the values of a document by their formats, and reports what is wrong with them.
///
/// A function that reads a value takes its node, so that diagnostics have its location. It returns
/// `nil` for an invalid value, after it has reported why.
package struct FormatReader {
  /// The diagnostics so far.
  package var log = DiagnosticLog()
  /// The names that only some applications know.
  var names = DescriptionNames()

  /// Creates a reader.
  package init() {}

  /// Reads a value by a format.
  package mutating func read<Value>(_ node: JSONNode, _ format: ValueFormat<Value>) -> Value? {
    format.read(node, &self)
  }

  /// Reports a value of the wrong type.
  package mutating func reportWrongType(
    _ node: JSONNode, _ expected: String, suggestion: String? = nil
  ) {
    log.error(
      .wrongType, at: node, expected: expected, "expected \(expected), found \(node.summary)",
      suggestion: suggestion)
  }
}

/// The backends and tasks that a description may name.
struct DescriptionNames {
  var backends = DescriptionReader.standardBackends
  /// The tasks that the description may declare; `nil` accepts every task.
  var tasks: TaskRegistry?
}

extension FormatReader {
  /// Reads a string.
  package mutating func string(_ node: JSONNode) -> String? {
    if let text = node.string { return text }
    let isQuotable = node.kind == .number || node.kind == .boolean
    reportWrongType(
      node, "a string", suggestion: isQuotable ? "write \"\(node.source.prefix(40))\"" : nil)
    return nil
  }

  /// Reads a string that is not empty.
  package mutating func nonemptyString(_ node: JSONNode) -> String? {
    guard let text = string(node) else { return nil }
    guard text.isEmpty else { return text }
    log.error(.emptyString, at: node, expected: "a nonempty string", "the string is empty")
    return nil
  }

  /// Reads `true` or `false`.
  package mutating func boolean(_ node: JSONNode) -> Bool? {
    if let value = node.bool { return value }
    let text = node.string ?? node.source
    let intended = ["true", "1"].contains(text) ? "true" : "false"
    reportWrongType(
      node, "true or false",
      suggestion: ["true", "false", "0", "1"].contains(text) ? "write \(intended)" : nil)
    return nil
  }

  /// Reads a number that fits in a 32-bit float.
  package mutating func number(_ node: JSONNode) -> Float? {
    guard let value = node.float else {
      let isQuoted = node.string.flatMap(Float.init) != nil
      reportWrongType(node, "a number", suggestion: isQuoted ? "remove the quotes" : nil)
      return nil
    }
    guard value.isFinite else {
      log.error(
        .numberOverflow, at: node, expected: "a number of at most \(Float.greatestFiniteMagnitude)",
        "the number does not fit in a 32-bit float")
      return nil
    }
    return value
  }

  /// Reads an integer with a maximum magnitude.
  package mutating func integer(_ node: JSONNode, max limit: Int) -> Int? {
    guard node.kind == .number else {
      reportWrongType(node, "an integer")
      return nil
    }
    guard node.isInteger else {
      log.error(
        .notAnInteger, at: node, expected: "an integer without fraction or exponent",
        "the number is not an integer")
      return nil
    }
    guard let value = node.int.flatMap({ Int(exactly: $0) }), value.magnitude <= limit else {
      log.error(
        .numberOverflow, at: node, expected: "an integer of at most \(limit)",
        "the number is too large")
      return nil
    }
    return value
  }

  /// Returns the elements of an array.
  package mutating func elements(_ node: JSONNode, of what: String) -> JSONElements? {
    if let elements = node.elements { return elements }
    reportWrongType(node, "an array of \(what)", suggestion: "write [\(node.source.prefix(40))]")
    return nil
  }

  /// Reads one of several strings; case matters.
  package mutating func choice<Value>(
    _ node: JSONNode, of choices: [(name: String, value: Value)], else code: DiagnosticCode
  ) -> Value? {
    guard let text = string(node) else { return nil }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let match = Spelling.closestMatch(
      to: text.filter { !$0.isWhitespace }, among: choices.map(\.name))
    log.error(
      code, at: node, expected: "one of \(names)",
      "unknown value \(node.excerpt); expected one of \(names)",
      suggestion: match.map { "did you mean \"\($0)\"?" })
    return nil
  }

  /// Reads the relative path of a file inside the bundle.
  package mutating func fileName(_ node: JSONNode) -> String? {
    guard let name = nonemptyString(node) else { return nil }
    guard let reason = BundlePath.rejectionReason(for: name) else { return name }
    log.error(
      .unsafePath, at: node, expected: "a path inside the bundle", "invalid path: \(reason)",
      suggestion: "use a relative path to a file inside the bundle")
    return nil
  }

  /// Reports a name that nothing else has, with a suggestion.
  package mutating func reportUnknownName(
    _ node: JSONNode, _ code: DiagnosticCode, expected: String = "the name of a layer",
    message: String? = nil, among names: [String]
  ) {
    let match = Spelling.closestMatch(to: node.string ?? "", among: names)
    log.error(
      code, at: node, expected: expected, message ?? "unknown layer \(node.excerpt)",
      suggestion: match.map { "did you mean \"\($0)\"?" })
  }
}
