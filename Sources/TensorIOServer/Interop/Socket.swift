#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// One end of a connection, which is closed with the value.
final class Socket: Sendable {
  let number: Int32

  /// What became of an attempt to read or to write.
  enum Transfer: Equatable {
    case bytes(Int)
    /// Nothing for the moment.
    case wouldBlock
    /// Nothing ever again.
    case ended
  }

  init(_ number: Int32) { self.number = number }

  deinit { close(number) }

  /// Reads what has come, as much as there is room for.
  func read(into bytes: inout [UInt8]) -> Transfer {
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      retried { unsafe recv(number, bytes.baseAddress, bytes.count, 0) }
    }
    return transfer(count, zero: .ended)
  }

  /// Writes as many bytes from a place on as fit; one who has left must not end this process.
  func write(_ bytes: [UInt8], from start: Int) -> Transfer {
    let count = unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      return retried { unsafe send(number, rest.baseAddress, rest.count, Self.withoutSignal) }
    }
    return transfer(count, zero: .wouldBlock)
  }

  /// Says that nothing more will be written.
  func endWriting() { shutdown(number, Int32(SHUT_WR)) }

  private func retried(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private func transfer(_ count: Int, zero: Transfer) -> Transfer {
    if count > 0 { return .bytes(count) }
    if count == 0 { return zero }
    return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
  }

  #if canImport(Darwin)
    private static let withoutSignal: Int32 = 0
  #else
    private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #endif
}

extension Socket {
  /// Sets what every socket of the server needs.
  func prepare() {
    enable(Int32(IPPROTO_TCP), TCP_NODELAY)
    #if canImport(Darwin)
      enable(SOL_SOCKET, SO_NOSIGPIPE)
    #endif
    #if !os(Linux)
      Self.makeNonblocking(number)
    #endif
  }

  func enable(_ level: Int32, _ option: Int32) {
    var yes: Int32 = 1
    unsafe setsockopt(number, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reading and writing do not wait, and programs that are started do not hold it.
  static func makeNonblocking(_ number: Int32) {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }
}
