extension Diagnostic: CustomStringConvertible {
  /// The diagnostic on one line: location, message and suggestion.
  public var description: String {
    let location = line.map { "line \($0), column \(column ?? 1): " } ?? ""
    let pointer = path.isEmpty ? "" : "\(path): "
    let hint = suggestion.map { "; \($0)" } ?? ""
    return (location + pointer + messageWithoutPeriod + expectedAndFound + hint).withoutLineBreaks
  }

  /// The message without the full stop that an application may have written.
  private var messageWithoutPeriod: String {
    message.hasSuffix(".") ? String(message.dropLast()) : message
  }

  /// The expected and found values, unless the message contains them.
  private var expectedAndFound: String {
    let facts = [expected.map { "expected \($0)" }, found.map { "found \($0)" }].compactMap(\.self)
    let isInMessage = expected.map(message.contains) ?? false
    return facts.isEmpty || isInMessage ? "" : " (\(facts.joined(separator: ", ")))"
  }
}

extension String {
  /// The text on one line; names in untrusted files may contain line breaks.
  var withoutLineBreaks: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
