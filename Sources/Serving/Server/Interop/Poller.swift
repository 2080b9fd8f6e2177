import TensorIOSystem

/// The events to wait for on a socket.
struct PollInterest: OptionSet {
  let rawValue: Int
  static let read = PollInterest(rawValue: 1)
  static let write = PollInterest(rawValue: 2)
  /// The peer closed its sending side.
  static let peerClosed = PollInterest(rawValue: 4)
}

/// An event on a socket.
struct PollEvent {
  let id: UInt64
  let isReadable: Bool
  let isWritable: Bool
  /// Whether the peer closed its sending side.
  let isPeerClosed: Bool
  /// Whether the connection is broken in both directions.
  let isError: Bool
}

#if os(Linux)
  typealias Poller = EpollPoller
#else
  typealias Poller = PollPoller
#endif

#if os(Linux)
  internal import CEventPoll

  /// Waits for events on many sockets with `epoll`.
  ///
  /// Idle sockets cost nothing.
  ///
  /// Safe because an event's data is always an integer: no pointer is ever stored in it.
  @safe final class EpollPoller {
    private let descriptor: Int32
    private var events = unsafe [epoll_event](repeating: epoll_event(), count: 256)

    init() throws(ListenError) {
      descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
      if descriptor < 0 { throw .lastError(in: "epoll_create1") }
    }

    deinit { close(descriptor) }

    func add(_ socket: Int32, id: UInt64, interest: PollInterest) -> Bool {
      control(EPOLL_CTL_ADD, socket, id, interest)
    }

    func modify(_ socket: Int32, id: UInt64, interest: PollInterest) {
      _ = control(EPOLL_CTL_MOD, socket, id, interest)
    }

    func remove(_ socket: Int32, id: UInt64) {
      _ = control(EPOLL_CTL_DEL, socket, id, [])
    }

    /// Returns pending events, or none when the timeout elapses.
    func wait(timeoutMilliseconds: Int?) -> [PollEvent] {
      let limit = Int32(clamping: timeoutMilliseconds ?? -1)
      let count = unsafe epoll_wait(descriptor, &events, Int32(events.count), limit)
      return unsafe events.prefix(max(0, Int(count))).map { event in unsafe PollEvent(event) }
    }

    private func control(
      _ action: Int32, _ socket: Int32, _ id: UInt64, _ interest: PollInterest
    ) -> Bool {
      var event = unsafe epoll_event(
        events: interest.epollEvents, data: unsafe epoll_data_t(u64: id))
      return unsafe epoll_ctl(descriptor, action, socket, &event) == 0
    }
  }

  extension PollInterest {
    fileprivate var epollEvents: UInt32 {
      (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
        | (contains(.peerClosed) ? EPOLLRDHUP.rawValue : 0)
    }
  }

  extension PollEvent {
    fileprivate init(_ event: epoll_event) {
      func has(_ kind: EPOLL_EVENTS) -> Bool { unsafe event.events & kind.rawValue != 0 }
      id = unsafe event.data.u64
      (isReadable, isWritable) = (has(EPOLLIN), has(EPOLLOUT))
      (isPeerClosed, isError) = (has(EPOLLRDHUP), has(EPOLLERR) || has(EPOLLHUP))
    }
  }
#endif

/// Waits for events on many sockets with `poll`, for systems without `epoll`.
///
/// Does not report that the peer closed its side until the socket is read.
final class PollPoller {
  private var sockets: [Int32: (id: UInt64, interest: PollInterest)] = [:]

  init() throws(ListenError) {}

  func add(_ socket: Int32, id: UInt64, interest: PollInterest) -> Bool {
    sockets[socket] = (id, interest)
    return true
  }

  func modify(_ socket: Int32, id: UInt64, interest: PollInterest) {
    sockets[socket] = (id, interest)
  }

  func remove(_ socket: Int32, id: UInt64) { sockets[socket] = nil }

  /// Returns pending events, or none when the timeout elapses.
  func wait(timeoutMilliseconds: Int?) -> [PollEvent] {
    var descriptors = sockets.map { pollfd(fd: $0, events: $1.interest.pollEvents, revents: 0) }
    let limit = Int32(clamping: timeoutMilliseconds ?? -1)
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), limit) > 0 else { return [] }
    return descriptors.filter { $0.revents != 0 }.compactMap { event in
      sockets[event.fd].map { PollEvent($0.id, Int32(event.revents)) }
    }
  }
}

extension PollInterest {
  fileprivate var pollEvents: Int16 {
    Int16((contains(.read) ? POLLIN : 0) | (contains(.write) ? POLLOUT : 0))
  }
}

extension PollEvent {
  fileprivate init(_ id: UInt64, _ events: Int32) {
    self.id = id
    (isReadable, isWritable) = (events & POLLIN != 0, events & POLLOUT != 0)
    isPeerClosed = false
    isError = events & (POLLERR | POLLHUP | POLLNVAL) != 0
  }
}

/// Wakes a thread that waits for sockets.
///
/// Async-signal-safe.
final class WakeSignal: Sendable {
  /// The descriptor that becomes readable on ``wake()``.
  let descriptor: Int32
  private let writeEnd: Int32

  #if os(Linux)
    init() throws(ListenError) {
      descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
      writeEnd = descriptor
      if descriptor < 0 { throw .lastError(in: "eventfd") }
    }
  #else
    init() throws(ListenError) {
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { throw .lastError(in: "pipe") }
      ends.forEach(Socket.makeNonblocking)
      (descriptor, writeEnd) = (ends[0], ends[1])
    }
  #endif

  deinit {
    if writeEnd != descriptor { close(writeEnd) }
    close(descriptor)
  }

  func wake() {
    var count: UInt64 = 1
    // A descriptor that cannot be written is readable already.
    _ = unsafe write(writeEnd, &count, MemoryLayout.size(ofValue: count))
  }

  /// Consumes calls of ``wake()``: all of them with an event descriptor, one with a pipe, which
  /// stays readable for the others.
  func reset() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout.size(ofValue: count))
  }
}
