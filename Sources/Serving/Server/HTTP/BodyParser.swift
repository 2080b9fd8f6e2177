/// Reads a body incrementally, up to its limit.
struct BodyParser {
  private(set) var bytes: [UInt8] = []
  private let framing: BodyFraming
  private var chunks: ChunkedBodyParser

  /// The largest body for which memory is reserved up front.
  private static let maxReservedBytes = 1 << 20

  /// Creates a parser.
  ///
  /// Throws if the declared length exceeds the limit.
  init(_ framing: BodyFraming, limit: Int) throws(HTTPRejection) {
    self.framing = framing
    chunks = ChunkedBodyParser(limit: limit)
    guard case .length(let length) = framing else { return }
    if length > limit { throw .bodyTooLarge(limit) }
    if length <= Self.maxReservedBytes { bytes.reserveCapacity(length) }
  }

  /// The number of missing bytes of a body that may be read past the buffer; 0 if it is unknown or
  /// small.
  ///
  /// Memory for a body that is larger than the first reservation is reserved after a part of it
  /// has been received.
  var directByteCount: Int {
    guard case .length(let length) = framing else { return 0 }
    let missing = length - bytes.count
    guard missing >= Self.minDirectBytes else { return 0 }
    return min(missing, max(Self.maxReservedBytes - bytes.count, bytes.count))
  }

  private static let minDirectBytes = 32 << 10

  /// Appends bytes that `read` receives.
  mutating func readDirectly<Value>(_ read: (inout [UInt8]) -> Value) -> Value { read(&bytes) }

  /// Reads from `input`; returns whether the body is complete.
  mutating func isComplete(afterReading input: inout ReadBuffer) throws(HTTPRejection) -> Bool {
    switch framing {
    case .chunked: return try chunks.isComplete(afterReading: &input, into: &bytes)
    case .length(let length):
      _ = input.read(upTo: length - bytes.count, into: &bytes)
      return bytes.count == length
    }
  }
}

/// Reads a chunked body.
struct ChunkedBodyParser {
  /// The next element to read.
  private enum State {
    case size
    case data(Int)
    case chunkEnd
    case trailers
  }

  private let limit: Int
  private var state = State.size
  private var trailers = HeaderFieldParser(maxBytes: HTTPLimits.maxHeadBytes)
  /// The number of bytes read that are not data.
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
        let remaining = rest - input.read(upTo: rest, into: &body)
        state = remaining == 0 ? .chunkEnd : .data(remaining)
        if remaining > 0 { return false }
      case .chunkEnd:
        guard try input.readLine(maxBytes: 0, else: Self.malformedChunk) != nil else {
          return false
        }
        state = .size
      case .trailers:
        return try trailers.isComplete(afterReading: &input)
      }
    }
  }

  /// Returns the size of the next chunk; `nil` if more bytes are needed.
  ///
  /// Ignores chunk extensions.
  private mutating func chunkSize(
    from input: inout ReadBuffer, _ count: Int
  ) throws(HTTPRejection) -> Int? {
    guard
      let line = try input.readLine(
        maxBytes: HTTPLimits.maxChunkLineBytes, else: Self.malformedChunk)
    else { return nil }
    let digits = line.prefix { $0 != .semicolon }
    guard (1...Self.maxSizeDigits).contains(digits.count),
      digits.allSatisfy({ $0.hexDigitValue != nil }), line.allSatisfy(\.isFieldText),
      let size = Int(digits.utf8Text, radix: 16)
    else { throw Self.malformedChunk() }
    if size > limit - count { throw .bodyTooLarge(limit) }
    overhead += line.count
    // Rejects tiny chunks with long size lines, which cost more to parse than they carry.
    if overhead > HTTPLimits.maxHeadBytes + 8 * count { throw Self.malformedChunk() }
    return size
  }

  /// The number of hexadecimal digits that always fit into an `Int`.
  private static let maxSizeDigits = 15

  private static func malformedChunk() -> HTTPRejection { .malformed("malformed chunk") }
}

/// How the end of a body is determined.
enum BodyFraming: Sendable, Equatable {
  /// By its length; 0 if the request declares none.
  case length(Int)
  case chunked

  /// Determines the framing from the headers.
  ///
  /// Ambiguous combinations are rejected.
  init(_ headers: HTTPHeaders, _ version: HTTPVersion) throws(HTTPRejection) {
    let codings = headers.values(for: "Transfer-Encoding")
    let lengths = headers.values(for: "Content-Length")
    if !codings.isEmpty {
      guard version == .http11, lengths.isEmpty, codings.count == 1,
        codings[0].equalsIgnoringCase("chunked")
      else { throw .malformed("ambiguous or unsupported body framing") }
      self = .chunked
    } else {
      guard lengths.count < 2 else { throw .malformed("more than one Content-Length") }
      let length = try lengths.first.map { text throws(HTTPRejection) in try Self.length(text) }
      self = .length(length ?? 0)
    }
  }

  var hasBody: Bool { self != .length(0) }

  /// The number of bytes that the body has at least.
  var minBytes: Int {
    switch self {
    case .length(let length): length
    case .chunked: 0
    }
  }

  private static func length(_ text: String) throws(HTTPRejection) -> Int {
    guard text.utf8.allSatisfy(\.isDigit), let length = Int(text) else {
      throw .malformed("invalid Content-Length")
    }
    return length
  }
}
