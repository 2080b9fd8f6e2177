import Foundation

/// A response with a JSON body.
struct Response: Error {
  let bytes: Data

  init(_ status: String, _ json: Data? = nil) {
    let body = json ?? Data(#"{"error":"\#(status.dropFirst(4))"}"#.utf8)
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: application/json", "Content-Length: \(body.count)",
      "Connection: close", "", "",
    ]
    bytes = Data(head.joined(separator: "\r\n").utf8) + body
  }
}

/// A client, which sends one POST request.
struct Connection: Sendable {
  let socket: Int32

  /// Reads the request, sends the response, and closes the connection.
  func serve(_ answer: (Data) -> Response) {
    let response: Response
    do throws(Response) { response = answer(try body()) } catch { response = error }
    var (rest, unread) = ([UInt8](response.bytes), Data())
    while !rest.isEmpty, case let count = send(socket, rest, rest.count, 0), count > 0 {
      rest.removeFirst(count)
    }
    // Bytes that were not read would make the system discard the response.
    shutdown(socket, Int32(SHUT_WR))
    while unread.count < 1_000_000, (try? receive(&unread)) != nil {}
    close(socket)
  }

  /// Returns the body of the request.
  private func body() throws(Response) -> Data {
    var (head, separator) = (Data(), Range<Data.Index>?.none)
    while separator == nil {
      guard head.count < 16_384 else { throw Response("431 Request Header Fields Too Large") }
      try receive(&head)
      separator = head.range(of: Data("\r\n\r\n".utf8))
    }
    var body = head[(separator?.upperBound ?? 0)...]
    let lines = String(decoding: head, as: UTF8.self).lowercased().components(separatedBy: "\r\n")
    guard lines[0].hasPrefix("post ") else { throw Response("405 Method Not Allowed") }
    let field = lines.first { $0.hasPrefix("content-length:") }?.dropFirst(15)
    guard let length = field.flatMap({ Int($0.trimmingCharacters(in: .whitespaces)) }), length >= 0
    else { throw Response("411 Length Required") }
    guard length <= 20_000_000 else { throw Response("413 Content Too Large") }
    while body.count < length { try receive(&body) }
    return Data(body.prefix(length))
  }

  /// Appends what the client has sent before the timeout.
  private func receive(_ data: inout Data) throws(Response) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { throw Response("408 Request Timeout") }
    data += buffer[..<count]
  }
}

/// A socket that accepts connections from this machine.
struct Listener {
  private let socket: Int32
  let port: UInt16

  init(port: UInt16) throws {
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Darwin)
      let socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutableBytes(of: &address) {
      let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(socket, address, size) != 0 || listen(socket, 64) != 0
        || getsockname(socket, address, &size) != 0
    }
    guard !failed else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    (self.socket, self.port) = (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Waits for a client, which has ten seconds for each part of its request.
  func accept() -> Connection {
    let client = Foundation.accept(socket, nil, nil)
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    for name in [SO_RCVTIMEO, SO_SNDTIMEO] { setsockopt(client, SOL_SOCKET, name, &timeout, size) }
    return Connection(socket: client)
  }
}
