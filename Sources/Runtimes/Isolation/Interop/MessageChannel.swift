import CIsolation
import TensorIOSystem

/// An error after which a channel can no longer be used.
package enum ChannelError: Error, Sendable, Hashable {
  /// The peer has closed the connection.
  case closed
  /// The deadline has passed.
  case timedOut
  /// Waiting failed with an error number of the system.
  case system(CInt)
  /// The peer sent an invalid message.
  case invalidMessage(FrameError)
}

/// One end of a socket pair for messages, each with an optional file descriptor.
///
/// A client waits for the response before it sends the next request, so that at most one message is
/// in flight.
package final class MessageChannel: @unchecked Sendable {  // used by one thread at a time
  /// The socket.
  let descriptor: CInt
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// Takes ownership of a socket.
  package init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns two connected channels whose sockets are not inherited by other programs.
  static func pair() throws(FileError) -> (MessageChannel, MessageChannel) {
    var ends: [CInt] = [-1, -1]
    guard unsafe cisolation_socket_pair(&ends) else { throw .system(errno) }
    return (MessageChannel(ends[0]), MessageChannel(ends[1]))
  }

  /// Whether the peer has closed the connection.
  package var isClosed: Bool {
    var socket = pollfd(fd: descriptor, events: 0, revents: 0)
    return unsafe poll(&socket, 1, 0) > 0
  }

  /// Sends a message with the descriptor of shared memory, if given.
  ///
  /// - Throws: `ChannelError.timedOut` if the peer does not read the message before the deadline.
  package func send(
    _ message: some WorkerMessage, with memory: SharedMemory? = nil,
    until deadline: Deadline = .never
  ) throws(ChannelError) {
    let bytes = try Self.mappingFrameErrors { () throws(FrameError) in try message.frame.bytes }
    var descriptor = memory?.descriptor ?? -1
    var sent = 0
    while sent < bytes.count {
      let count = try send(bytes[sent...], descriptor)
      if count == 0 { try wait(for: POLLOUT, until: deadline) }
      // The descriptor travels with the first bytes.
      if count > 0 { descriptor = -1 }
      sent += count
    }
  }

  /// Sends as many bytes as the socket accepts without blocking, which may be none.
  private func send(_ bytes: ArraySlice<UInt8>, _ memory: CInt) throws(ChannelError) -> Int {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe cisolation_send(descriptor, start, bytes.count, memory)
    }
    guard count >= 0 else { throw .closed }
    return count
  }

  /// Waits for a message and returns it with its descriptor, which the caller must close.
  package func receive<Kind: WorkerMessage>(
    _ kind: Kind.Type = Kind.self, until deadline: Deadline = .never
  ) throws(ChannelError) -> (message: Kind, descriptor: CInt?) {
    var bytes: [UInt8] = []
    var descriptor: CInt?
    var isDelivered = false
    defer { if let descriptor, !isDelivered { close(descriptor) } }
    var expectedCount = MessageFrame.headerLength
    repeat {
      // Without a deadline, receiving itself waits.
      if deadline.isLimited { try wait(for: POLLIN, until: deadline) }
      let (chunk, received) = try receiveChunk()
      if let received { descriptor = Self.keepFirst(descriptor, received) }
      bytes += chunk
      guard bytes.count >= MessageFrame.headerLength else { continue }
      let header = bytes.prefix(MessageFrame.headerLength)
      expectedCount = try Self.mappingFrameErrors { () throws(FrameError) in
        MessageFrame.headerLength + (try MessageFrame.header(header).bodyLength)
      }
    } while bytes.count < expectedCount
    let message = try Self.mappingFrameErrors { () throws(FrameError) in
      try Kind(MessageFrame(bytes))
    }
    isDelivered = true
    return (message, descriptor)
  }

  /// Waits for a message, and closes a descriptor that comes with it.
  func receiveWithoutDescriptor<Kind: WorkerMessage>(until deadline: Deadline) throws(ChannelError)
    -> Kind
  {
    let (message, descriptor) = try receive(Kind.self, until: deadline)
    if let descriptor { close(descriptor) }
    return message
  }

  private func receiveChunk() throws(ChannelError) -> (bytes: ArraySlice<UInt8>, descriptor: CInt?)
  {
    var received: CInt = -1
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      return unsafe cisolation_receive(descriptor, start, buffer.count, &received)
    }
    guard count > 0 else { throw .closed }
    return (buffer.prefix(count), received < 0 ? nil : received)
  }

  /// Closes all descriptors of a message but the first.
  private static func keepFirst(_ first: CInt?, _ received: CInt) -> CInt {
    guard let first else { return received }
    close(received)
    return first
  }

  private func wait(for event: some BinaryInteger, until deadline: Deadline) throws(ChannelError) {
    var socket = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while true {
      let count = unsafe poll(&socket, 1, deadline.remainingMilliseconds)
      if try Self.isReady(count, code: errno) { return }
    }
  }

  /// Returns whether `poll` has found an event, or false if a signal interrupted it.
  ///
  /// - Parameters:
  ///   - count: The result of `poll`.
  ///   - code: The error number if the result is negative.
  /// - Returns: Whether the socket is ready.
  /// - Throws: `ChannelError` if the deadline has passed, or if waiting failed.
  static func isReady(_ count: CInt, code: CInt) throws(ChannelError) -> Bool {
    if count == 0 { throw .timedOut }
    guard count < 0 else { return true }
    guard code == EINTR else { throw .system(code) }
    return false
  }

  private static func mappingFrameErrors<Value>(
    _ body: () throws(FrameError) -> Value
  ) throws(ChannelError) -> Value {
    do throws(FrameError) {
      return try body()
    } catch {
      throw .invalidMessage(error)
    }
  }
}

/// The time at which waiting ends.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant?

  /// A deadline that never passes.
  package static let never = Deadline(instant: nil)

  /// Returns the deadline after a duration from now.
  package static func after(_ duration: Duration) -> Deadline {
    Deadline(instant: .now + duration)
  }

  /// Whether the deadline passes at all.
  var isLimited: Bool { instant != nil }

  /// The timeout for `poll`: the remaining time rounded up, or -1 for no deadline.
  var remainingMilliseconds: CInt {
    guard let instant else { return -1 }
    let left = instant - .now
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    return CInt(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
