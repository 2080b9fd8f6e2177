/// Parses the bytes of a connection into a sequence of requests.
///
/// After each head, the caller decides whether to accept the body. An error is final: the parser
/// does not continue after a rejected request.
struct RequestParser {
  /// A completely received element.
  enum Event {
    case head(RequestHead)
    case body([UInt8])
  }

  private enum Stage {
    case head, awaitingDecision, body, ended
  }

  private var stage = Stage.head
  private var input = ReadBuffer()
  private var head = HeadParser()
  private var framing = BodyFraming.length(0)
  private var body: BodyParser?

  /// Whether no byte of the next request has been received.
  var isBetweenRequests: Bool { stage == .head && head.isEmpty && input.isEmpty }
  /// Whether the parser is reading the body of an accepted head.
  var isReadingBody: Bool { stage == .body }
  /// The number of bytes of the current body that have been received.
  var receivedBodyBytes: Int { body?.bytes.count ?? 0 }
  /// Whether there are unparsed bytes.
  var hasUnreadBytes: Bool { !input.isEmpty }
  /// The request line of the current request, once it is available.
  var requestLine: RequestLine? { head.line }

  /// Receives bytes of a large body into its memory; `nil` if other bytes come first.
  mutating func readBody(
    _ read: (_ limit: Int, _ body: inout [UInt8]) -> Socket.IOResult
  ) -> Socket.IOResult? {
    guard stage == .body, input.isEmpty, let limit = body?.directByteCount, limit > 0 else {
      return nil
    }
    return body?.readDirectly { read(limit, &$0) }
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    if stage != .ended { input.append(bytes) }
  }

  /// Returns the next complete element; `nil` if it needs more bytes or a decision on the head.
  mutating func nextEvent() throws(HTTPRejection) -> Event? {
    do throws(HTTPRejection) {
      switch stage {
      case .head: return try nextHead()
      case .body: return try nextBody()
      case .awaitingDecision, .ended: return nil
      }
    } catch {
      end()
      throw error
    }
  }

  /// Accepts the body of the last head.
  mutating func acceptBody(maxBytes limit: Int) throws(HTTPRejection) {
    guard stage == .awaitingDecision else { return }
    do throws(HTTPRejection) {
      body = try BodyParser(framing, limit: limit)
      stage = .body
    } catch {
      end()
      throw error
    }
  }

  /// Skips to the next request after a rejected head without a body.
  mutating func skipBody() {
    if stage == .awaitingDecision { (stage, head) = (.head, HeadParser()) }
  }

  /// Stops parsing; later bytes are ignored.
  mutating func end() {
    self = RequestParser()
    stage = .ended
  }

  private mutating func nextHead() throws(HTTPRejection) -> Event? {
    guard let head = try self.head.head(from: &input) else { return nil }
    stage = .awaitingDecision
    framing = head.framing
    return .head(head)
  }

  private mutating func nextBody() throws(HTTPRejection) -> Event? {
    guard try body?.isComplete(afterReading: &input) == true else { return nil }
    let bytes = body?.bytes ?? []
    (stage, head, body) = (.head, HeadParser(), nil)
    return .body(bytes)
  }
}

/// Parses a request head incrementally.
struct HeadParser {
  /// The request line, once it is available.
  private(set) var line: RequestLine?
  private var fields = HeaderFieldParser(maxBytes: HTTPLimits.maxHeadBytes)
  private var hasSkippedEmptyLine = false

  var isEmpty: Bool { line == nil && fields.consumedBytes == 0 }

  /// Returns the head if it is complete.
  mutating func head(from input: inout ReadBuffer) throws(HTTPRejection) -> RequestHead? {
    if line == nil {
      guard let line = try firstLine(from: &input) else { return nil }
      self.line = line
    }
    guard let line, try fields.isComplete(afterReading: &input) else { return nil }
    return try RequestHead(line, fields.headers)
  }

  /// Returns the request line.
  ///
  /// Skips one empty line, which some clients send after a body.
  private mutating func firstLine(
    from input: inout ReadBuffer
  ) throws(HTTPRejection) -> RequestLine? {
    while let bytes = try input.readLine(
      maxBytes: HTTPLimits.maxRequestLineBytes, else: HTTPRejection.requestLineTooLong)
    {
      fields.consumedBytes += bytes.count + 2
      guard bytes.isEmpty, !hasSkippedEmptyLine else {
        return try RequestLine(bytes)
      }
      hasSkippedEmptyLine = true
    }
    return nil
  }
}

/// Parses header fields up to the empty line that ends them.
struct HeaderFieldParser {
  private(set) var headers = HTTPHeaders()
  /// The number of bytes parsed.
  var consumedBytes = 0
  /// The maximum number of bytes.
  let maxBytes: Int

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  mutating func isComplete(afterReading input: inout ReadBuffer) throws(HTTPRejection) -> Bool {
    while let line = try input.readLine(
      maxBytes: maxBytes - consumedBytes - 2, else: HTTPRejection.headersTooLarge)
    {
      consumedBytes += line.count + 2
      if line.isEmpty { return true }
      guard headers.fields.count < HTTPLimits.maxHeaderFields else { throw .headersTooLarge() }
      try add(line)
    }
    return false
  }

  /// Adds a field.
  ///
  /// Rejects folded lines, because they start with whitespace instead of a name.
  private mutating func add(_ line: ArraySlice<UInt8>) throws(HTTPRejection) {
    guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isToken)
    else { throw .malformed("malformed header field") }
    let value = line[(colon + 1)...].trimmed
    guard value.allSatisfy(\.isFieldText) else {
      throw .malformed("control character in a header field")
    }
    headers.add(line[..<colon].utf8Text, value.utf8Text)
  }
}

/// Received bytes that have not been parsed.
struct ReadBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// The end of the range that contains no line feed.
  private var searchedEnd = 0

  /// The largest capacity that an empty buffer retains.
  private static let maxIdleCapacity = 4 << 10

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      (start, searchedEnd) = (0, searchedEnd - start)
    }
    bytes.append(contentsOf: more)
  }

  /// Moves up to `limit` bytes to the end of `target`; returns their number.
  mutating func read(upTo limit: Int, into target: inout [UInt8]) -> Int {
    let count = min(limit, count)
    target.append(contentsOf: bytes[start..<start + count])
    skip(to: start + count)
    return count
  }

  /// Returns the line before the next CR LF; `nil` if it is incomplete.
  ///
  /// Throws as soon as the line must exceed the limit, so that the result does not depend on how
  /// the bytes were split.
  mutating func readLine(
    maxBytes limit: Int, else rejection: () -> HTTPRejection
  ) throws(HTTPRejection) -> ArraySlice<UInt8>? {
    guard let end = bytes[searchedEnd...].firstIndex(of: .lineFeed) else {
      searchedEnd = bytes.count
      if count >= limit + 2 { throw rejection() }
      return nil
    }
    if end + 1 - start > limit + 2 { throw rejection() }
    guard end > start, bytes[end - 1] == .carriageReturn else {
      throw .malformed("a line must end with CR LF")
    }
    let line = bytes[start..<end - 1]
    skip(to: end + 1)
    return line
  }

  private mutating func skip(to offset: Int) {
    (start, searchedEnd) = (offset, offset)
    guard isEmpty else { return }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxIdleCapacity)
    (start, searchedEnd) = (0, 0)
  }
}
