import TensorIOSystem

/// A server that receives requests of this process over plain HTTP.
struct HTTPEndpoint: Sendable {
  private let host: String
  private let port: UInt16
  private let path: String
  /// Additional header fields, as lines.
  private let headers: String

  private static let timeout = Duration.seconds(2)

  /// Parses a URL such as `http://localhost:4318/v1/traces`; `nil` if it is not an `http` URL.
  ///
  /// Header fields that are not valid are omitted.
  init?(_ url: String, defaultPath: String, headers: [(name: String, value: String)] = []) {
    let scheme = "http://"
    guard url.hasPrefix(scheme), url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    let parts = url.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let authority = parts.first.flatMap({ Authority(String($0)) }) else { return nil }
    host = authority.host.filter { $0 != "[" && $0 != "]" }
    guard let port = UInt16(exactly: authority.port ?? 80) else { return nil }
    self.port = port
    self.headers = headers.filter { name, value in
      !name.isEmpty && name.utf8.allSatisfy(\.isToken) && value.utf8.allSatisfy(\.isFieldText)
    }.map { "\($0.name): \($0.value)\r\n" }.joined()
    path = parts.count > 1 && !parts[1].isEmpty ? "/\(parts[1])" : defaultPath
  }

  /// Sends a POST request and waits for the response; returns what went wrong, or `nil`.
  func post(_ body: [UInt8], type: String) -> String? {
    let name = "\(host):\(port)"
    for address in SocketAddress.resolve(host: host, port: port) {
      guard let socket = address.connect(timeout: Self.timeout) else { continue }
      let head =
        "POST \(path) HTTP/1.1\r\nHost: \(name)\r\nContent-Type: \(type)\r\n"
        + "Content-Length: \(body.count)\r\nConnection: close\r\n\(headers)\r\n"
      guard socket.send(Array(head.utf8) + body, timeout: Self.timeout),
        let status = socket.receiveStatus(timeout: Self.timeout)
      else { return "\(name) does not respond" }
      return (200..<300).contains(status) ? nil : "\(name) responded with status \(status)"
    }
    return "cannot connect to \(name)"
  }
}

extension Socket {
  /// Sends all bytes; returns false after the timeout.
  fileprivate func send(_ bytes: [UInt8], timeout: Duration) -> Bool {
    let deadline = ContinuousClock.now + timeout
    var start = 0
    while start < bytes.count {
      switch write(bytes, startingAt: start) {
      case .bytes(let count): start += count
      case .closed: return false
      case .wouldBlock: guard wait(for: Int16(POLLOUT), until: deadline) else { return false }
      }
    }
    return true
  }

  /// Returns the status of a response; `nil` after the timeout, or if it is not HTTP.
  fileprivate func receiveStatus(timeout: Duration) -> Int? {
    let deadline = ContinuousClock.now + timeout
    var (received, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while received.count < chunk.count, !received.contains(0x0A) {
      switch read(into: &chunk) {
      case .bytes(let count): received += chunk[..<count]
      case .closed: return nil
      case .wouldBlock: guard wait(for: Int16(POLLIN), until: deadline) else { return nil }
      }
    }
    let words = received.prefix { $0 != 0x0A }.split(separator: 0x20)
    guard words.count > 1, words[0].starts(with: "HTTP/1.".utf8) else { return nil }
    return Int(words[1].utf8Text)
  }

  /// Waits until the socket is ready; returns false after the deadline.
  fileprivate func wait(for events: Int16, until deadline: ContinuousClock.Instant) -> Bool {
    let milliseconds = ContinuousClock.now.duration(to: deadline).wholeMilliseconds
    guard milliseconds > 0 else { return false }
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return unsafe poll(&entry, 1, Int32(clamping: milliseconds)) > 0
  }
}

extension SocketAddress {
  /// Returns a connected socket; `nil` on failure or after the timeout.
  fileprivate func connect(timeout: Duration) -> Socket? {
    guard let socket = makeSocket() else { return nil }
    if beginConnecting(socket) { return socket }
    guard errno == EINPROGRESS,
      socket.wait(for: Int16(POLLOUT), until: ContinuousClock.now + timeout)
    else { return nil }
    var (error, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0,
      error == 0
    else { return nil }
    return socket
  }
}
