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
final class Listener: Sendable {
  private let socket: Socket
  /// The port, also where any was asked for.
  let port: Int
  /// Whether only this machine can reach it.
  let isLoopback: Bool

  var number: Int32 { socket.number }

  /// What became of an attempt to take the next connection.
  enum Arrival {
    case socket(Socket)
    /// Nobody is there, for the moment.
    case nobody
    /// The process has no descriptor or memory left for it.
    case exhausted
  }

  /// Takes the first address of a host that can be listened at.
  init(host: String, port: Int, mayBeReached: Bool) throws(ServerError) {
    guard let port = UInt16(exactly: port) else { throw .address(host, port) }
    var failure = ServerError.address(host, Int(port))
    for address in SocketAddress.all(of: host, port) {
      guard address.isLoopback || mayBeReached else { throw .openToAll(host) }
      do throws(ServerError) {
        socket = try Self.socket(listeningAt: address, host)
        self.port = SocketAddress.port(of: socket.number) ?? Int(port)
        isLoopback = address.isLoopback
        return
      } catch { failure = error }
    }
    throw failure
  }

  /// Takes the next connection.
  func accept() -> Arrival {
    while true {
      #if os(Linux)
        let number = CEventPollAccept(socket.number)
      #else
        let number = unsafe Darwin.accept(socket.number, nil, nil)
      #endif
      if number >= 0 {
        let socket = Socket(number)
        socket.prepare()
        return .socket(socket)
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: return .nobody
      }
    }
  }

  private static func socket(
    listeningAt address: SocketAddress, _ host: String
  ) throws(ServerError) -> Socket {
    guard let socket = address.socket() else { throw .system("socket", errno) }
    socket.enable(SOL_SOCKET, SO_REUSEADDR)
    guard address.bind(socket) else { throw .occupied(host, address.port, errno) }
    guard listen(socket.number, SOMAXCONN) == 0 else { throw .system("listen", errno) }
    return socket
  }
}
