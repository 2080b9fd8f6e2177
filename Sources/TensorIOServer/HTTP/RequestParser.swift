/// Makes requests of the bytes of a connection, one after the other.
///
/// Between a head and its body somebody has to say that the body is wanted. What was refused is
/// never read on: a refusal is the last thing that comes out of a parser.
struct RequestParser {
  /// What has become whole.
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

  /// Whether nothing of a next request has come.
  var isBetweenRequests: Bool { stage == .head && head.isEmpty && input.isEmpty }
  /// Whether a head was accepted and its body has not come whole.
  var isReadingBody: Bool { stage == .body }
  /// Whether there are bytes that were not read.
  var hasUnreadBytes: Bool { !input.isEmpty }
  /// The first line of the request that is being read, as soon as it is there.
  var requestLine: RequestLine? { head.line }

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    if stage != .ended { input.append(bytes) }
  }

  /// What is whole now; `nil` when more has to come, or a judgement.
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

  /// Lets the body come of the head that was given last.
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

  /// Goes on behind a head that has no body, and that nobody answers.
  mutating func skipBody() {
    if stage == .awaitingDecision { (stage, head) = (.head, HeadParser()) }
  }

  /// Reads nothing any more.
  mutating func end() {
    self = RequestParser()
    stage = .ended
  }

  private mutating func nextHead() throws(HTTPRejection) -> Event? {
    guard let found = try head.head(from: &input) else { return nil }
    stage = .awaitingDecision
    framing = found.framing
    return .head(found)
  }

  private mutating func nextBody() throws(HTTPRejection) -> Event? {
    guard try body?.isComplete(afterReading: &input) == true else { return nil }
    let bytes = body?.bytes ?? []
    (stage, head, body) = (.head, HeadParser(), nil)
    return .body(bytes)
  }
}

/// Reads a head line by line, as its bytes come.
struct HeadParser {
  /// The first line, as soon as it is there.
  private(set) var line: RequestLine?
  private var fields = HeaderFieldParser(maxBytes: HTTPLimits.maxHeadBytes)
  private var hasSkippedEmptyLine = false

  var isEmpty: Bool { line == nil && fields.consumedBytes == 0 }

  /// The head when it is there.
  mutating func head(from input: inout ReadBuffer) throws(HTTPRejection) -> RequestHead? {
    if line == nil {
      guard let line = try firstLine(from: &input) else { return nil }
      self.line = line
    }
    guard let line, try fields.isComplete(afterReading: &input) else { return nil }
    return try RequestHead(line, fields.headers)
  }

  /// One empty line before a request is forgiven, as some clients send one behind a body.
  private mutating func firstLine(from input: inout ReadBuffer) throws(HTTPRejection) -> RequestLine? {
    while let bytes = try input.readLine(maxBytes: HTTPLimits.maxRequestLineBytes, else: HTTPRejection.requestLineTooLong) {
      fields.consumedBytes += bytes.count + 2
      guard bytes.isEmpty, !hasSkippedEmptyLine else {
        return try RequestLine(bytes)
      }
      hasSkippedEmptyLine = true
    }
    return nil
  }
}

/// Reads fields up to the empty line behind them.
struct HeaderFieldParser {
  private(set) var headers = HTTPHeaders()
  /// How many bytes were read.
  var consumedBytes = 0
  /// How many bytes may be read.
  let maxBytes: Int

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  mutating func isComplete(afterReading input: inout ReadBuffer) throws(HTTPRejection) -> Bool {
    while let line = try input.readLine(maxBytes: maxBytes - consumedBytes - 2, else: HTTPRejection.headersTooLarge) {
      consumedBytes += line.count + 2
      if line.isEmpty { return true }
      guard headers.fields.count < HTTPLimits.maxHeaderFields else { throw .headersTooLarge() }
      try add(line)
    }
    return false
  }

  /// Adds a field; one that is folded begins with a blank, which is in no name.
  private mutating func add(_ line: ArraySlice<UInt8>) throws(HTTPRejection) {
    guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isToken)
    else { throw .malformed("a field is a name, a colon and a value") }
    let value = line[(colon + 1)...].trimmed
    guard value.allSatisfy(\.isFieldText) else {
      throw .malformed("a value has no control characters")
    }
    headers.add(line[..<colon].utf8Text, value.utf8Text)
  }
}

/// Bytes that have come and were not read yet.
struct ReadBuffer {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to where there is no end of a line.
  private var searchedEnd = 0

  /// Beyond this an empty queue gives its memory back.
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

  /// Moves as many bytes as there are, and no more than some, behind others.
  mutating func read(upTo limit: Int, into target: inout [UInt8]) -> Int {
    let count = min(limit, count)
    target.append(contentsOf: bytes[start..<start + count])
    skip(to: start + count)
    return count
  }

  /// What stands before the next CR LF; `nil` as long as that has not come.
  ///
  /// A line is too long as soon as no end that may still come could make it short enough, so that
  /// the answer does not depend on how the bytes were cut on their way.
  mutating func readLine(
    maxBytes limit: Int, else refusal: () -> HTTPRejection
  ) throws(HTTPRejection) -> ArraySlice<UInt8>? {
    guard let end = bytes[searchedEnd...].firstIndex(of: .lineFeed) else {
      searchedEnd = bytes.count
      if count >= limit + 2 { throw refusal() }
      return nil
    }
    if end + 1 - start > limit + 2 { throw refusal() }
    guard end > start, bytes[end - 1] == .carriageReturn else {
      throw .malformed("a line ends with CR and LF")
    }
    let line = bytes[start..<end - 1]
    skip(to: end + 1)
    return line
  }

  private mutating func skip(to place: Int) {
    (start, searchedEnd) = (place, place)
    guard isEmpty else { return }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxIdleCapacity)
    (start, searchedEnd) = (0, 0)
  }
}
