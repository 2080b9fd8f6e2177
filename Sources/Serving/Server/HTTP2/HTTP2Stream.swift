/// A stream of an HTTP/2 connection: a request and its response.
///
/// Confined to the event loop's thread.
final class HTTP2Stream {
  /// A header field.
  typealias Field = (name: String, value: String)

  let id: Int32
  /// The header fields of the request, or those of the response to a client.
  var fields: [Field] = []
  /// The fields after the last byte.
  var trailers: [Field] = []
  /// Whether the header fields exceed the limit, so that some are missing.
  var hasExcessFields = false
  /// Bytes that were received and not processed yet.
  var incoming: [UInt8] = []
  /// Whether the peer has sent its last frame.
  var isEnded = false
  /// Whether either side has reset the stream on purpose.
  var isReset = false
  /// Whether header fields have been received; further ones are trailers.
  var hasFields = false
  private var headerBytes = 0
  private var outgoing: [[UInt8]] = []
  /// The number of bytes to send.
  private(set) var outgoingCount = 0
  /// The number of bytes that were added to send.
  private(set) var totalOutgoingCount = 0
  private var start = 0
  /// Whether nothing follows the bytes to send.
  private(set) var isFinished = false
  private var finalFields: [Field]?

  init(_ id: Int32) { self.id = id }

  /// Adds a received header field.
  func add(_ name: String, _ value: String) {
    headerBytes += name.utf8.count + value.utf8.count + HTTP2Limits.headerFieldOverhead
    guard headerBytes <= HTTP2Limits.maxHeaderBytes else { return hasExcessFields = true }
    if hasFields { trailers.append((name, value)) } else { fields.append((name, value)) }
  }

  /// Returns the value of a header field; `nil` if it is missing.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

// MARK: Sending

extension HTTP2Stream {
  /// Whether there are bytes to send.
  var hasBytesToSend: Bool { !outgoing.isEmpty }

  /// Adds bytes to send.
  func send(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    outgoing.append(bytes)
    outgoingCount += bytes.count
    totalOutgoingCount += bytes.count
  }

  /// Ends the stream after the bytes to send, with trailers.
  func finish(_ trailers: [Field]) {
    (isFinished, finalFields) = (true, trailers)
  }

  /// Returns the trailers once.
  func takeTrailers() -> [Field] {
    defer { finalFields = nil }
    return finalFields ?? []
  }

  /// Passes the next bytes to a closure, which returns how many it used, until it uses none.
  func takeBytes(_ use: (ArraySlice<UInt8>) -> Int) {
    while let part = outgoing.first {
      let count = use(part[start...])
      guard count > 0 else { return }
      start += count
      outgoingCount -= count
      guard start == part.count else { continue }
      outgoing.removeFirst()
      start = 0
    }
  }
}
