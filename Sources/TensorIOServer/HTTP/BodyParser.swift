/// Reads a body as its bytes come, and no more than its limit.
struct BodyParser {
  private(set) var bytes: [UInt8] = []
  private let framing: BodyFraming
  private var chunks: ChunkParser

  /// Memory is taken ahead for bodies of this size; for larger ones as they come.
  private static let reserved = 1 << 20

  /// A body that declares more than its limit is refused before any of it is read.
  init(_ framing: BodyFraming, limit: Int) throws(Refusal) {
    self.framing = framing
    chunks = ChunkParser(limit: limit)
    guard case .length(let length) = framing else { return }
    if length > limit { throw .bodyTooLarge(limit) }
    if length <= Self.reserved { bytes.reserveCapacity(length) }
  }

  mutating func isWhole(after input: inout ByteQueue) throws(Refusal) -> Bool {
    switch framing {
    case .chunked: return try chunks.isWhole(after: &input, &bytes)
    case .length(let length):
      _ = input.move(upTo: length - bytes.count, to: &bytes)
      return bytes.count == length
    }
  }
}

/// Reads a body that comes in chunks, each behind its size.
struct ChunkParser {
  /// What comes next.
  private enum Place {
    case size
    case data(Int)
    case end
    case trailers
  }

  private let limit: Int
  private var place = Place.size
  private var trailers = FieldParser(limit: ServerLimits.headBytes)
  /// The bytes that are no data.
  private var overhead = 0

  init(limit: Int) { self.limit = limit }

  mutating func isWhole(
    after input: inout ByteQueue, _ body: inout [UInt8]
  ) throws(Refusal) -> Bool {
    while true {
      switch place {
      case .size:
        guard let size = try size(from: &input, body.count) else { return false }
        place = size == 0 ? .trailers : .data(size)
      case .data(let rest):
        let left = rest - input.move(upTo: rest, to: &body)
        place = left == 0 ? .end : .data(left)
        if left > 0 { return false }
      case .end:
        guard try input.line(within: 0, else: Self.misfit) != nil else { return false }
        place = .size
      case .trailers:
        return try trailers.isWhole(after: &input)
      }
    }
  }

  /// The size of the next chunk; what else may stand in its line says nothing to us.
  private mutating func size(from input: inout ByteQueue, _ count: Int) throws(Refusal) -> Int? {
    guard let line = try input.line(within: ServerLimits.chunkLineBytes, else: Self.misfit) else {
      return nil
    }
    let digits = line.prefix { $0 != .semicolon }
    guard (1...Self.mostDigits).contains(digits.count),
      digits.allSatisfy({ $0.hexadecimalDigit != nil }), line.allSatisfy(\.isFieldText),
      let size = Int(digits.text, radix: 16)
    else { throw Self.misfit() }
    if size > limit - count { throw .bodyTooLarge(limit) }
    overhead += line.count
    // A body of tiny chunks with long lines costs more to read than it is worth.
    if overhead > ServerLimits.headBytes + 8 * count { throw Self.misfit() }
    return size
  }

  /// What fits into an Int without a look.
  private static let mostDigits = 15

  private static func misfit() -> Refusal { .malformed("a chunk is its size and its bytes") }
}
