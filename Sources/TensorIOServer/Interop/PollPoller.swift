#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Waits for many sockets at once, where there is no better way: each is asked each time.
///
/// Nobody says here that the other side has ended before it is read.
final class PollPoller {
  private var sockets: [Int32: (id: UInt64, interest: Interest)] = [:]

  init() throws(ServerError) {}

  func add(_ socket: Int32, _ id: UInt64, _ interest: Interest) -> Bool {
    sockets[socket] = (id, interest)
    return true
  }

  func change(_ socket: Int32, _ id: UInt64, _ interest: Interest) {
    sockets[socket] = (id, interest)
  }

  func remove(_ socket: Int32, _ id: UInt64) { sockets[socket] = nil }

  /// What has happened; nothing after a time without anything.
  func wait(milliseconds: Int?) -> [Readiness] {
    var wanted = sockets.map { pollfd(fd: $0, events: $1.interest.events, revents: 0) }
    let limit = Int32(clamping: milliseconds ?? -1)
    guard unsafe poll(&wanted, nfds_t(wanted.count), limit) > 0 else { return [] }
    return wanted.filter { $0.revents != 0 }.compactMap { event in
      sockets[event.fd].map { Readiness($0.id, Int32(event.revents)) }
    }
  }
}

extension Interest {
  fileprivate var events: Int16 {
    Int16((contains(.read) ? POLLIN : 0) | (contains(.write) ? POLLOUT : 0))
  }
}

extension Readiness {
  fileprivate init(_ id: UInt64, _ events: Int32) {
    self.id = id
    (isReadable, isWritable) = (events & POLLIN != 0, events & POLLOUT != 0)
    hasEnded = false
    isBroken = events & (POLLERR | POLLHUP | POLLNVAL) != 0
  }
}
