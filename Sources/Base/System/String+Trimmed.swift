extension StringProtocol {
  /// The text without leading and trailing whitespace.
  package var trimmed: String {
    let body = drop(while: \.isWhitespace)
    guard let last = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(body[...last])
  }
}
