import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// A client of HTTP/2 that can also send arbitrary bytes.
final class HTTP2TestClient {
  /// A frame that the server sent.
  struct Frame: Equatable {
    let type: UInt8
    let stream: Int32
    let payload: [UInt8]

    static let goAway: UInt8 = 7
    static let reset: UInt8 = 3

    /// The error of a frame that ends the connection or a stream.
    var errorCode: Int? {
      guard [Self.goAway, Self.reset].contains(type) else { return nil }
      return payload.dropFirst(type == Self.goAway ? 4 : 0).prefix(4).reduce(0) {
        $0 << 8 | Int($1)
      }
    }
  }

  /// The response to a call.
  struct Response {
    let fields: [HTTP2Stream.Field]
    let trailers: [HTTP2Stream.Field]
    let messages: [[UInt8]]
    /// The error with which the stream ended; 0 for none.
    let streamError: UInt32

    /// The first field or trailer with a name.
    subscript(name: String) -> String? { (fields + trailers).first { $0.name == name }?.value }

    var status: Int? { self["grpc-status"].flatMap { Int($0) } }
  }

  static let enhanceYourCalm = 11
  static let protocolError = 1

  let socket: RawHTTPClient
  let session: HTTP2Session
  private(set) var frames: [Frame] = []
  private var unparsed: [UInt8] = []
  private var errors: [Int32: UInt32] = [:]

  /// The server, which lives as long as its client.
  private let server: GRPCTestServer?

  init(port: Int, of server: GRPCTestServer? = nil) throws {
    self.server = server
    socket = try RawHTTPClient(port: port)
    session = try #require(try HTTP2Session(HTTP2Library.standard, .client))
  }

  /// Sends what the session has to send.
  func flush() {
    while let bytes = session.bytesToSend(), !bytes.isEmpty, socket.send(bytes) {}
  }

  /// Begins a call.
  func begin(
    _ path: String, _ headers: [HTTP2Stream.Field] = [], contentType: String = "application/grpc",
    method: String = "POST"
  ) throws -> HTTP2Stream {
    let stream = try #require(
      session.request(
        [
          (":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"),
          ("content-type", contentType), ("te", "trailers"),
        ] + headers))
    return stream
  }

  /// Sends bytes on a stream.
  func send(_ bytes: [UInt8], _ stream: HTTP2Stream, ends: Bool = false) {
    stream.send(bytes)
    if ends { stream.finish([]) }
    session.resume(stream)
    flush()
  }

  /// Sends a call with one message.
  func start(
    _ path: String, _ message: [UInt8] = [], _ headers: [HTTP2Stream.Field] = []
  ) throws -> HTTP2Stream {
    let stream = try begin(path, headers)
    send(Self.framed(message), stream, ends: true)
    return stream
  }

  /// Sends a call with one message and waits for its response.
  func call(
    _ path: String, _ message: [UInt8] = [], _ headers: [HTTP2Stream.Field] = []
  ) throws -> Response {
    try response(of: try start(path, message, headers))
  }

  static func framed(_ message: [UInt8]) -> [UInt8] {
    GRPCMessage.prefix(length: message.count) + message
  }

  /// Waits for the end of a stream.
  func response(of stream: HTTP2Stream) throws -> Response {
    while errors[stream.id] == nil { try receive() }
    return Response(
      fields: stream.fields, trailers: stream.trailers, messages: messages(of: stream),
      streamError: errors[stream.id] ?? 0)
  }

  /// Waits until a stream has a number of messages, and returns them.
  func messages(_ count: Int, of stream: HTTP2Stream) throws -> [[UInt8]] {
    while messages(of: stream).count < count, errors[stream.id] == nil { try receive() }
    return messages(of: stream)
  }

  private func messages(of stream: HTTP2Stream) -> [[UInt8]] {
    var parser = GRPCMessageParser(maxMessageBytes: .max)
    var (rest, messages) = (stream.incoming[...], [[UInt8]]())
    while let element = try? parser.next(from: &rest) {
      if case .message(let message) = element { messages.append(message.bytes) }
    }
    return messages
  }

  /// Waits for the end of the connection.
  func waitForClose() throws {
    do {
      while true { try receive() }
    } catch RawHTTPClient.ConnectionError.closed {}
  }

  /// Receives and processes the next bytes.
  func receive() throws {
    let bytes = try socket.receivedBytes()
    parseFrames(bytes)
    for event in session.receive(bytes[...]) ?? [] {
      if case .closed(let id, let error) = event { errors[id] = error }
    }
    for stream in session.streams.values
    where stream.incoming.count > consumed[stream.id, default: 0] && stream.id != stalledStream {
      session.consume(stream.id, stream.incoming.count - consumed[stream.id, default: 0])
      consumed[stream.id] = stream.incoming.count
    }
    flush()
  }

  /// A stream whose window stays as it is.
  var stalledStream: Int32?
  private var consumed: [Int32: Int] = [:]

  private func parseFrames(_ bytes: [UInt8]) {
    let headBytes = 9
    unparsed += bytes
    var rest = unparsed[...]
    while rest.count >= headBytes {
      let head = Array(rest.prefix(headBytes))
      let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= headBytes + length else { break }
      let stream = head[5...].reduce(Int32(0)) { $0 << 8 | Int32($1) }
      let payload = head[3] == 0 ? [] : Array(rest.dropFirst(headBytes).prefix(length))
      frames.append(Frame(type: head[3], stream: stream, payload: payload))
      rest = rest.dropFirst(headBytes + length)
    }
    unparsed = Array(rest)
  }

  /// Sends a frame as it is.
  func sendFrame(type: UInt8, flags: UInt8 = 0, stream: Int32 = 0, _ payload: [UInt8] = []) {
    let length = payload.count
    let head =
      [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
      + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
    socket.send(head + payload)
  }
}
