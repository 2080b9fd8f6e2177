/// What is waited for at a socket.
struct Interest: OptionSet {
  let rawValue: Int
  static let read = Interest(rawValue: 1)
  static let write = Interest(rawValue: 2)
  /// That the other side says it will send nothing more.
  static let end = Interest(rawValue: 4)
}

/// What has happened at a socket.
struct Readiness {
  let id: UInt64
  let isReadable: Bool
  let isWritable: Bool
  /// Whether the other side will send nothing more.
  let hasEnded: Bool
  /// Whether nothing can be sent either.
  let isBroken: Bool
}

#if os(Linux)
  typealias Poller = EpollPoller
#else
  typealias Poller = PollPoller
#endif
