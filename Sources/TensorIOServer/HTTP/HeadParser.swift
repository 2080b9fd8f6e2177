/// Reads a head line by line, as its bytes come.
struct HeadParser {
  /// The first line, as soon as it is there.
  private(set) var line: RequestLine?
  private var fields = FieldParser(limit: ServerLimits.headBytes)
  private var hasSkippedLine = false

  var isUntouched: Bool { line == nil && fields.used == 0 }

  /// The head when it is there.
  mutating func head(from input: inout ByteQueue) throws(Refusal) -> RequestHead? {
    if line == nil {
      guard let line = try firstLine(from: &input) else { return nil }
      self.line = line
    }
    guard let line, try fields.isWhole(after: &input) else { return nil }
    return try RequestHead(line, fields.headers)
  }

  /// One empty line before a request is forgiven, as some clients send one behind a body.
  private mutating func firstLine(from input: inout ByteQueue) throws(Refusal) -> RequestLine? {
    while let bytes = try input.line(within: ServerLimits.lineBytes, else: Refusal.lineTooLong) {
      fields.used += bytes.count + 2
      guard bytes.isEmpty, !hasSkippedLine else {
        return try RequestLine(bytes)
      }
      hasSkippedLine = true
    }
    return nil
  }
}

/// Reads fields up to the empty line behind them.
struct FieldParser {
  private(set) var headers = HTTPHeaders()
  /// How many bytes were read.
  var used = 0
  /// How many bytes may be read.
  let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func isWhole(after input: inout ByteQueue) throws(Refusal) -> Bool {
    while let line = try input.line(within: limit - used - 2, else: Refusal.headTooLarge) {
      used += line.count + 2
      if line.isEmpty { return true }
      guard headers.fields.count < ServerLimits.fields else { throw .headTooLarge() }
      try add(line)
    }
    return false
  }

  /// Adds a field; one that is folded begins with a blank, which is in no name.
  private mutating func add(_ line: ArraySlice<UInt8>) throws(Refusal) {
    guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isToken)
    else { throw .malformed("a field is a name, a colon and a value") }
    let value = line[(colon + 1)...].trimmed
    guard value.allSatisfy(\.isFieldText) else {
      throw .malformed("a value has no control characters")
    }
    headers.add(line[..<colon].text, value.text)
  }
}
