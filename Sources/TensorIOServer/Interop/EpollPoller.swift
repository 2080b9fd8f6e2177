#if os(Linux)
  internal import CEventPoll
  #if canImport(Glibc)
    internal import Glibc
  #else
    internal import Musl
  #endif

  /// Waits for many sockets at once; a socket costs nothing while nothing happens there.
  ///
  /// Safe because the memory of an event is a number alone: no pointer is ever put into it.
  @safe final class EpollPoller {
    private let number: Int32
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    init() throws(ServerError) {
      number = epoll_create1(Int32(EPOLL_CLOEXEC))
      if number < 0 { throw .system("epoll_create1", errno) }
    }

    deinit { close(number) }

    func add(_ socket: Int32, _ id: UInt64, _ interest: Interest) -> Bool {
      control(EPOLL_CTL_ADD, socket, id, interest)
    }

    func change(_ socket: Int32, _ id: UInt64, _ interest: Interest) {
      _ = control(EPOLL_CTL_MOD, socket, id, interest)
    }

    func remove(_ socket: Int32, _ id: UInt64) {
      _ = control(EPOLL_CTL_DEL, socket, id, [])
    }

    /// What has happened; nothing after a time without anything.
    func wait(milliseconds: Int?) -> [Readiness] {
      let limit = Int32(clamping: milliseconds ?? -1)
      let count = unsafe epoll_wait(number, &events, Int32(events.count), limit)
      return unsafe events.prefix(max(0, Int(count))).map { event in unsafe Readiness(event) }
    }

    private func control(
      _ action: Int32, _ socket: Int32, _ id: UInt64, _ interest: Interest
    ) -> Bool {
      var event = unsafe epoll_event(events: interest.events, data: unsafe epoll_data_t(u64: id))
      return unsafe epoll_ctl(number, action, socket, &event) == 0
    }
  }

  extension Interest {
    fileprivate var events: UInt32 {
      (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
        | (contains(.end) ? EPOLLRDHUP.rawValue : 0)
    }
  }

  extension Readiness {
    fileprivate init(_ event: epoll_event) {
      func has(_ kind: EPOLL_EVENTS) -> Bool { unsafe event.events & kind.rawValue != 0 }
      id = unsafe event.data.u64
      (isReadable, isWritable) = (has(EPOLLIN), has(EPOLLOUT))
      (hasEnded, isBroken) = (has(EPOLLRDHUP), has(EPOLLERR) || has(EPOLLHUP))
    }
  }
#endif
