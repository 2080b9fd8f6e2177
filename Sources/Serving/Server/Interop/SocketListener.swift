import TensorIOSystem

#if os(Linux)
  internal import CEventPoll
#endif

/// A listening socket.
final class SocketListener: Sendable {
  private let socket: Socket
  /// The port, which the system chose if 0 was requested.
  let port: Int
  /// Whether the address is reachable from this machine only.
  let isLoopback: Bool

  var descriptor: Int32 { socket.descriptor }

  /// The result of accepting a connection.
  enum AcceptResult {
    case accepted(Socket)
    /// No connection is pending.
    case wouldBlock
    /// The process is out of file descriptors or memory.
    case resourceExhausted
  }

  /// Listens at the first address of `host` that can be bound.
  init(host: String, port: Int, allowsNonLoopback: Bool) throws(ListenError) {
    guard let port = UInt16(exactly: port) else { throw .unresolvedAddress(host, port) }
    var lastError = ListenError.unresolvedAddress(host, Int(port))
    for address in SocketAddress.resolve(host: host, port: port) {
      guard address.isLoopback || allowsNonLoopback else { throw .nonLoopbackAddress(host) }
      do throws(ListenError) {
        socket = try Self.makeSocket(listeningAt: address, host)
        self.port = SocketAddress.port(of: socket.descriptor) ?? Int(port)
        isLoopback = address.isLoopback
        return
      } catch { lastError = error }
    }
    throw lastError
  }

  /// Whether a connection is pending.
  var hasPendingConnection: Bool {
    var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }

  /// Accepts the next connection.
  func accept() -> AcceptResult {
    while true {
      #if os(Linux)
        let descriptor = CEventPollAcceptNonblocking(socket.descriptor)
      #else
        let descriptor = unsafe Darwin.accept(socket.descriptor, nil, nil)
      #endif
      if descriptor >= 0 {
        let connection = Socket(descriptor)
        connection.configure()
        return .accepted(connection)
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .resourceExhausted
      default: return .wouldBlock
      }
    }
  }

  private static func makeSocket(
    listeningAt address: SocketAddress, _ host: String
  ) throws(ListenError) -> Socket {
    guard let socket = address.makeSocket() else { throw .lastError(in: "socket") }
    socket.enableOption(SOL_SOCKET, SO_REUSEADDR)
    // Accepted connections inherit these.
    socket.setOption(SOL_SOCKET, SO_SNDBUF, to: Int32(HTTPLimits.sendBufferBytes))
    socket.enableOption(SOL_SOCKET, SO_KEEPALIVE)
    #if os(Linux)
      socket.setOption(Int32(IPPROTO_TCP), TCP_KEEPIDLE, to: HTTPLimits.keepAliveSeconds)
      socket.setOption(Int32(IPPROTO_TCP), TCP_KEEPINTVL, to: HTTPLimits.keepAliveSeconds / 6)
      socket.setOption(Int32(IPPROTO_TCP), TCP_KEEPCNT, to: 6)
    #endif
    guard address.bind(socket) else { throw .bindFailed(host, address.port, errno) }
    guard listen(socket.descriptor, SOMAXCONN) == 0 else { throw .lastError(in: "listen") }
    return socket
  }
}
