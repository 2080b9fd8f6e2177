/// The position of a request in a distributed trace, as in the W3C header `traceparent`.
package struct TraceContext: Sendable, Equatable {
  /// The identifier of the trace: 32 hexadecimal digits.
  package let traceID: String
  /// The identifier of the client's span, 16 hexadecimal digits; `nil` if the trace begins here.
  package let parentID: String?
  /// Whether the client wants the trace to be recorded.
  package let isSampled: Bool

  /// Creates a context.
  package init(traceID: String, parentID: String?, isSampled: Bool) {
    (self.traceID, self.parentID, self.isSampled) = (traceID, parentID, isSampled)
  }

  /// Parses the value of the header; `nil` if it is invalid.
  package init?(_ header: String) {
    let parts = header.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 4, Self.isHex(parts[0], 2), parts[0] != "ff",
      parts[0] != "00" || parts.count == 4, Self.isIdentifier(parts[1], 32),
      Self.isIdentifier(parts[2], 16), Self.isHex(parts[3], 2),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    self.init(traceID: parts[1], parentID: parts[2], isSampled: flags & 1 == 1)
  }

  /// Creates the context of a new trace.
  static func random() -> TraceContext {
    TraceContext(
      traceID: hexadecimal(.random(in: 1 ... .max)) + hexadecimal(.random(in: 0 ... .max)),
      parentID: nil, isSampled: true)
  }

  /// Returns a new span identifier.
  static func randomSpanID() -> String { hexadecimal(.random(in: 1 ... .max)) }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func isIdentifier(_ text: String, _ count: Int) -> Bool {
    isHex(text, count) && text.contains { $0 != "0" }
  }

  private static func isHex(_ text: String, _ count: Int) -> Bool {
    text.utf8.count == count
      && text.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
  }
}
