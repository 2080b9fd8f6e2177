/// A message of a call.
struct GRPCMessage: Sendable, Equatable {
  /// Whether the bytes are compressed with the encoding of the call.
  let isCompressed: Bool
  let bytes: [UInt8]

  /// The size of a flag and a length.
  static let prefixByteCount = 5

  /// Returns the bytes that precede a message that is not compressed.
  static func prefix(length: Int) -> [UInt8] {
    let length = UInt32(clamping: length)
    return [0]
      + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
  }
}

/// Splits the bytes of a stream into messages.
struct GRPCMessageParser {
  /// What was found.
  enum Element: Equatable {
    /// A message of this length begins.
    case began(Int)
    case message(GRPCMessage)
  }

  private let maxMessageBytes: Int
  private var prefix: [UInt8] = []
  private var bytes: [UInt8] = []
  /// The length of the current message; `nil` between two messages.
  private var length: Int?

  init(maxMessageBytes: Int) { self.maxMessageBytes = maxMessageBytes }

  /// The number of bytes of the current message that have been received.
  var byteCount: Int { bytes.count }

  /// Whether no message has begun that is not complete.
  var isBetweenMessages: Bool { length == nil && prefix.isEmpty }

  /// Reads up to the next element; returns `nil` if more bytes are needed.
  ///
  /// - Throws: A ``ClientError`` if the flag of a message is invalid, or it is too long.
  mutating func next(
    from input: inout ArraySlice<UInt8>
  ) throws(ClientError) -> Element? {
    guard let length else {
      let missing = GRPCMessage.prefixByteCount - prefix.count
      prefix += input.prefix(missing)
      input = input.dropFirst(missing)
      return prefix.count == GRPCMessage.prefixByteCount ? .began(try readPrefix()) : nil
    }
    let missing = length - bytes.count
    bytes += input.prefix(missing)
    input = input.dropFirst(missing)
    guard bytes.count == length else { return nil }
    let message = GRPCMessage(isCompressed: prefix[0] == 1, bytes: bytes)
    (self.length, prefix, bytes) = (nil, [], [])
    return .message(message)
  }

  /// Reserves memory for the message that has begun, once the budget permits it.
  mutating func reserve() { bytes.reserveCapacity(min(length ?? 0, Self.maxReservedBytes)) }

  /// The largest message for which memory is reserved up front.
  private static let maxReservedBytes = 1 << 20

  private mutating func readPrefix() throws(ClientError) -> Int {
    guard prefix[0] <= 1 else {
      throw ClientError(
        .badRequest, "malformed-message",
        "the flag of a message is \(prefix[0]); expected 0 or 1")
    }
    let count = prefix.dropFirst().reduce(0) { $0 << 8 | Int($1) }
    guard count <= maxMessageBytes else {
      throw ClientError(
        .contentTooLarge, "body-too-large",
        "the message has \(count) bytes; the maximum is \(maxMessageBytes)")
    }
    length = count
    return count
  }
}
