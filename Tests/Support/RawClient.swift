import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An HTTP client that sends arbitrary bytes.
public final class RawHTTPClient: @unchecked Sendable {  // used by one thread at a time
  let descriptor: Int32
  private var received: [UInt8] = []
  /// Whether the server has reset the connection.
  public private(set) var isReset = false
  private var bytes = [UInt8](repeating: 0, count: readByteCount)
  private static let readByteCount = 1 << 14

  /// An error of a connection.
  public enum ConnectionError: Error {
    case connectFailed(Int32)
    case closed
    case timedOut
    /// The connection was closed within a response.
    case truncated
    /// A response breaks the rules of HTTP/1.1.
    case malformed(String)
  }

  /// A response as it was received.
  public struct Response {
    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]

    public subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
    /// The sizes of the chunks of a body without a length.
    public var chunkSizes: [Int] = []

    public var closes: Bool { self["Connection"] == "close" }
    public var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Connects to a port; receiving times out after the given number of seconds.
  public init(port: Int, seconds: Int = HangGuard.stepSeconds, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Self.stream, 0)
    if let receiveBuffer { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
    set(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: seconds, tv_usec: 0))
    set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status != 0 { throw ConnectionError.connectFailed(errno) }
  }

  deinit { close(descriptor) }

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif
  #if canImport(Darwin)
    private static let noSignalFlag: Int32 = 0
  #else
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
  #endif

  private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
  }

  /// Sends bytes and returns whether all were sent.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = unsafe sendto(
          descriptor, rest.baseAddress, rest.count, Self.noSignalFlag, nil, 0)
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends a GET request without closing the connection.
  public func get(_ path: String, headers: String = "") {
    send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
  }

  /// Sends a POST request with JSON without closing the connection.
  public func post(_ path: String, json: String) {
    send(
      "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(json.utf8.count)\r\n\r\n\(json)")
  }

  public func shutdownWrite() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads the next response; interim responses (1xx) are skipped unless `interim` is true.
  public func response(bodyless: Bool = false, interim: Bool = false) throws -> Response {
    while true {
      let response = try readResponse(bodyless)
      if interim || response.status >= 200 { return response }
    }
  }

  /// Reads the next response, and checks that its connection ends within the body.
  ///
  /// Returns what the body had until then.
  public func truncatedResponse() throws -> Response {
    var response = try readHead()
    var chunks = ChunkDecoder()
    do {
      while try !chunks.isComplete(afterReading: &received) { try receive() }
    } catch ConnectionError.closed {
      (response.body, response.chunkSizes) = (chunks.body, chunks.sizes)
      return response
    }
    throw ConnectionError.malformed("the body is complete")
  }

  /// Reads all responses until the server closes the connection.
  public func responses(bodyless: Bool = false) throws -> [Response] {
    var responses: [Response] = []
    while true {
      do {
        responses.append(try response(bodyless: bodyless))
      } catch ConnectionError.closed {
        return responses
      }
    }
  }

  /// Waits until the server closes the connection, and returns the number of bytes received.
  @discardableResult
  public func waitForClose() throws -> Int {
    do { while true { try receive() } } catch ConnectionError.closed { return received.count }
  }

  /// Returns the bytes that are received next.
  public func receivedBytes() throws -> [UInt8] {
    if received.isEmpty { try receive() }
    defer { received = [] }
    return received
  }

  /// Reads a response, which follows the rules of HTTP/1.1.
  private func readResponse(_ bodyless: Bool) throws -> Response {
    var response = try readHead()
    do {
      try readBody(of: &response, bodyless)
    } catch ConnectionError.closed {
      throw ConnectionError.truncated
    }
    return response
  }

  private func readHead() throws -> Response {
    do {
      while headerEnd == nil { try receive() }
    } catch ConnectionError.closed where !received.isEmpty {
      throw ConnectionError.truncated
    }
    let head = String(decoding: received[..<(headerEnd ?? 0)], as: UTF8.self)
    received.removeFirst((headerEnd ?? 0) + 4)
    let lines = head.components(separatedBy: "\r\n")
    let fields = try lines.dropFirst().map { line in
      guard let colon = line.range(of: ": "), colon.lowerBound > line.startIndex else {
        throw ConnectionError.malformed(line)
      }
      return (name: String(line[..<colon.lowerBound]), value: String(line[colon.upperBound...]))
    }
    guard lines[0].hasPrefix("HTTP/1.1 "), let status = Int(lines[0].dropFirst(9).prefix(3)),
      lines[0].dropFirst(12).hasPrefix(" ")
    else { throw ConnectionError.malformed(lines[0]) }
    return Response(status: status, headers: fields, body: [])
  }

  /// Reads a body by its length, its chunks, or the end of the connection.
  private func readBody(of response: inout Response, _ bodyless: Bool) throws {
    let lengths = response.headers.filter { $0.name == "Content-Length" }.map(\.value)
    let codings = response.headers.filter { $0.name == "Transfer-Encoding" }.map(\.value)
    guard lengths.count + codings.count <= 1, codings.allSatisfy({ $0 == "chunked" }) else {
      throw ConnectionError.malformed("\(lengths) \(codings)")
    }
    if response.status < 200 || response.status == 204 || response.status == 304 {
      guard lengths + codings == [] else { throw ConnectionError.malformed("\(response)") }
    } else if bodyless {
      return
    } else if let length = lengths.first {
      guard let count = Int(length), "\(count)" == length else {
        throw ConnectionError.malformed(length)
      }
      while received.count < count { try receive() }
      response.body = Array(received.prefix(count))
      received.removeFirst(count)
    } else if !codings.isEmpty {
      var chunks = ChunkDecoder()
      while try !chunks.isComplete(afterReading: &received) { try receive() }
      (response.body, response.chunkSizes) = (chunks.body, chunks.sizes)
    } else {
      guard response.closes else { throw ConnectionError.malformed("the body has no end") }
      do { while true { try receive() } } catch ConnectionError.closed {}
      (response.body, received) = (received, [])
    }
  }

  private var headerEnd: Int? {
    // A loop without slices is faster; some tests read a million responses.
    let end = received.count - 3
    var index = 0
    while index < end {
      if received[index] == 13, received[index + 1] == 10, received[index + 2] == 13,
        received[index + 3] == 10
      {
        return index
      }
      index += 1
    }
    return nil
  }

  private func receive() throws {
    let count = unsafe recv(descriptor, &bytes, Self.readByteCount, 0)
    if count < 0, errno == EAGAIN { throw ConnectionError.timedOut }
    isReset = isReset || count < 0 && errno == ECONNRESET
    guard count > 0 else { throw ConnectionError.closed }
    received += bytes.prefix(count)
  }
}
