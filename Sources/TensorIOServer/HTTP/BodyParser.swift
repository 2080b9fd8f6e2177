/// Reads a body as its bytes come, and no more than its limit.
struct BodyParser {
  private(set) var bytes: [UInt8] = []
  private let framing: BodyFraming
  private var chunks: ChunkedBodyParser

  /// Memory is taken ahead for bodies of this size; for larger ones as they come.
  private static let maxReservedBytes = 1 << 20

  /// A body that declares more than its limit is refused before any of it is read.
  init(_ framing: BodyFraming, limit: Int) throws(HTTPRejection) {
    self.framing = framing
    chunks = ChunkedBodyParser(limit: limit)
    guard case .length(let length) = framing else { return }
    if length > limit { throw .bodyTooLarge(limit) }
    if length <= Self.maxReservedBytes { bytes.reserveCapacity(length) }
  }

  mutating func isComplete(afterReading input: inout ReadBuffer) throws(HTTPRejection) -> Bool {
    switch framing {
    case .chunked: return try chunks.isComplete(afterReading: &input, into: &bytes)
    case .length(let length):
      _ = input.read(upTo: length - bytes.count, into: &bytes)
      return bytes.count == length
    }
  }
}

/// Reads a body that comes in chunks, each behind its size.
struct ChunkedBodyParser {
  /// What comes next.
  private enum State {
    case size
    case data(Int)
    case chunkEnd
    case trailers
  }

  private let limit: Int
  private var state = State.size
  private var trailers = HeaderFieldParser(maxBytes: HTTPLimits.maxHeadBytes)
  /// The bytes that are no data.
  private var overhead = 0

  init(limit: Int) { self.limit = limit }

  mutating func isComplete(
    afterReading input: inout ReadBuffer, into body: inout [UInt8]
  ) throws(HTTPRejection) -> Bool {
    while true {
      switch state {
      case .size:
        guard let size = try chunkSize(from: &input, body.count) else { return false }
        state = size == 0 ? .trailers : .data(size)
      case .data(let rest):
        let left = rest - input.read(upTo: rest, into: &body)
        state = left == 0 ? .chunkEnd : .data(left)
        if left > 0 { return false }
      case .chunkEnd:
        guard try input.readLine(maxBytes: 0, else: Self.malformedChunk) != nil else { return false }
        state = .size
      case .trailers:
        return try trailers.isComplete(afterReading: &input)
      }
    }
  }

  /// The size of the next chunk; what else may stand in its line says nothing to us.
  private mutating func chunkSize(from input: inout ReadBuffer, _ count: Int) throws(HTTPRejection) -> Int? {
    guard let line = try input.readLine(maxBytes: HTTPLimits.maxChunkLineBytes, else: Self.malformedChunk) else {
      return nil
    }
    let digits = line.prefix { $0 != .semicolon }
    guard (1...Self.maxSizeDigits).contains(digits.count),
      digits.allSatisfy({ $0.hexDigitValue != nil }), line.allSatisfy(\.isFieldText),
      let size = Int(digits.utf8Text, radix: 16)
    else { throw Self.malformedChunk() }
    if size > limit - count { throw .bodyTooLarge(limit) }
    overhead += line.count
    // A body of tiny chunks with long lines costs more to read than it is worth.
    if overhead > HTTPLimits.maxHeadBytes + 8 * count { throw Self.malformedChunk() }
    return size
  }

  /// What fits into an Int without a look.
  private static let maxSizeDigits = 15

  private static func malformedChunk() -> HTTPRejection { .malformed("a chunk is its size and its bytes") }
}

/// How a body's end is known.
enum BodyFraming: Sendable, Equatable {
  /// By its length; a request that says nothing has no body.
  case length(Int)
  case chunked

  /// Nothing that two readers could understand in two ways.
  init(_ headers: HTTPHeaders, _ version: HTTPVersion) throws(HTTPRejection) {
    let codings = headers.values(for: "Transfer-Encoding")
    let lengths = headers.values(for: "Content-Length")
    if !codings.isEmpty {
      guard version == .http11, lengths.isEmpty, codings.count == 1,
        codings[0].equalsIgnoringCase( "chunked")
      else { throw .malformed("a body is framed by its length or as chunked, once") }
      self = .chunked
    } else {
      guard lengths.count < 2 else { throw .malformed("a body has one length") }
      self = .length(try lengths.first.map { text throws(HTTPRejection) in try Self.length(text) } ?? 0)
    }
  }

  var hasBody: Bool { self != .length(0) }

  /// The most bytes that a body may turn out to have.
  func maxBytes(within limit: Int) -> Int {
    switch self {
    case .length(let length): min(length, limit)
    case .chunked: limit
    }
  }

  private static func length(_ text: String) throws(HTTPRejection) -> Int {
    guard text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
      throw .malformed("a length is a number of bytes")
    }
    return length
  }
}
