import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

#if os(Linux)
  internal import CEventPoll
#endif

/// The place where connections come in.
final class SocketListener: Sendable {
  private let makeSocket: Socket
  /// The port, also where any was asked for.
  let port: Int
  /// Whether only this machine can reach it.
  let isLoopback: Bool

  var descriptor: Int32 { makeSocket.descriptor }

  /// What became of an attempt to take the next connection.
  enum AcceptResult {
    case accepted(Socket)
    /// Nobody is there, for the moment.
    case wouldBlock
    /// The process has no descriptor or memory left for it.
    case resourceExhausted
  }

  /// Takes the first address of a host that can be listened at.
  init(host: String, port: Int, allowsNonLoopback: Bool) throws(ListenError) {
    guard let port = UInt16(exactly: port) else { throw .unresolvedAddress(host, port) }
    var failure = ListenError.unresolvedAddress(host, Int(port))
    for address in SocketAddress.resolve(host: host, port: port) {
      guard address.isLoopback || allowsNonLoopback else { throw .nonLoopbackAddress(host) }
      do throws(ListenError) {
        makeSocket = try Self.makeSocket(listeningAt: address, host)
        self.port = SocketAddress.port(of: makeSocket.descriptor) ?? Int(port)
        isLoopback = address.isLoopback
        return
      } catch { failure = error }
    }
    throw failure
  }

  /// Takes the next connection.
  func accept() -> AcceptResult {
    while true {
      #if os(Linux)
        let number = CEventPollAcceptNonblocking(makeSocket.descriptor)
      #else
        let number = unsafe Darwin.accept(socket.number, nil, nil)
      #endif
      if number >= 0 {
        let socket = Socket(number)
        socket.configure()
        return .accepted(socket)
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
    // The connections have it from here.
    socket.setOption(SOL_SOCKET, SO_SNDBUF, to: Int32(HTTPLimits.sendBufferBytes))
    guard address.bind(socket) else { throw .bindFailed(host, address.port, errno) }
    guard listen(socket.descriptor, SOMAXCONN) == 0 else { throw .lastError(in: "listen") }
    return socket
  }
}
