import CIsolation
import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why nothing more can be said over a channel.
package enum ChannelError: Error, Sendable, Hashable {
  /// The other side is gone.
  case closed
  /// It did not answer in time.
  case timedOut
  /// It sent what is no message.
  case invalidMessage(FrameError)
}

/// One end of a line over which whole messages go, each with a descriptor or without.
///
/// Whoever asks waits for the answer before asking again, so never more than one message is on its
/// way.
package final class MessageChannel: @unchecked Sendable {  // used by one thread at a time
  /// Where the system has it.
  let descriptor: CInt
  private var buffer = [UInt8](repeating: 0, count: 1 << 14)

  /// Takes over a descriptor.
  package init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Two ends of a line, neither of which another program inherits.
  static func pair() throws(FileError) -> (MessageChannel, MessageChannel) {
    var ends: [CInt] = [-1, -1]
    guard unsafe cisolation_socket_pair(&ends) else { throw .system(errno) }
    return (MessageChannel(ends[0]), MessageChannel(ends[1]))
  }

  /// Whether the other side is gone.
  package var isClosed: Bool {
    var end = pollfd(fd: descriptor, events: 0, revents: 0)
    return unsafe poll(&end, 1, 0) > 0
  }

  /// Sends a message, along with shared memory if there is some.
  package func send(
    _ message: some WorkerMessage, with memory: SharedMemory? = nil, until deadline: Deadline = .never
  ) throws(ChannelError) {
    let bytes = try Self.mappingFrameErrors { () throws(FrameError) in try message.frame.bytes }
    var descriptor = memory?.descriptor ?? -1
    var sent = 0
    while sent < bytes.count {
      try wait(for: POLLOUT, until: deadline)
      sent += try send(bytes[sent...], descriptor)
      descriptor = -1
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>, _ memory: CInt) throws(ChannelError) -> Int {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe cisolation_send(descriptor, start, bytes.count, memory)
    }
    guard count > 0 else { throw .closed }
    return count
  }

  /// Waits for a message, and takes it with the descriptor that came along.
  ///
  /// The descriptor is the caller's to close.
  package func receive<Kind: WorkerMessage>(
    _ kind: Kind.Type = Kind.self, until deadline: Deadline = .never
  ) throws(ChannelError) -> (message: Kind, descriptor: CInt?) {
    var bytes: [UInt8] = []
    var descriptor: CInt?
    var isDelivered = false
    defer { if let descriptor, !isDelivered { close(descriptor) } }
    var wanted = MessageFrame.headerLength
    repeat {
      try wait(for: POLLIN, until: deadline)
      let (part, came) = try receiveChunk()
      if let came { descriptor = Self.keepFirst(descriptor, came) }
      bytes += part
      guard bytes.count >= MessageFrame.headerLength else { continue }
      let head = bytes.prefix(MessageFrame.headerLength)
      wanted = try Self.mappingFrameErrors { () throws(FrameError) in
        MessageFrame.headerLength + (try MessageFrame.header(head).bodyLength)
      }
    } while bytes.count < wanted
    let message = try Self.mappingFrameErrors { () throws(FrameError) in try Kind(MessageFrame(bytes)) }
    isDelivered = true
    return (message, descriptor)
  }

  /// Waits for a message with which nothing comes along.
  func receiveWithoutDescriptor<Kind: WorkerMessage>(until deadline: Deadline) throws(ChannelError) -> Kind {
    let (message, descriptor) = try receive(Kind.self, until: deadline)
    if let descriptor { close(descriptor) }
    return message
  }

  private func receiveChunk() throws(ChannelError) -> (bytes: ArraySlice<UInt8>, descriptor: CInt?) {
    var came: CInt = -1
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      return unsafe cisolation_receive(descriptor, start, buffer.count, &came)
    }
    guard count > 0 else { throw .closed }
    return (buffer.prefix(count), came < 0 ? nil : came)
  }

  /// One message has one descriptor.
  private static func keepFirst(_ descriptor: CInt?, _ came: CInt) -> CInt {
    guard let descriptor else { return came }
    close(came)
    return descriptor
  }

  private func wait(for event: some BinaryInteger, until deadline: Deadline) throws(ChannelError) {
    var end = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while true {
      let count = unsafe poll(&end, 1, deadline.remainingMilliseconds)
      if count > 0 { return }
      guard count < 0, errno == EINTR else { throw .timedOut }
    }
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

/// When to wait no longer.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant?

  /// There is always more time.
  package static let never = Deadline(instant: nil)

  /// A while from now.
  package static func after(_ duration: Duration) -> Deadline {
    Deadline(instant: .now + duration)
  }

  /// What is left, as the system counts it: rounded up, and negative where it is without end.
  var remainingMilliseconds: CInt {
    guard let instant else { return -1 }
    let left = instant - .now
    guard left > .zero else { return 0 }
    let (seconds, attoseconds) = left.components
    return CInt(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
