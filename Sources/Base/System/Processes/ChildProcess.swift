import Synchronization

/// A child process whose input or output is connected to this process.
///
/// The child has its own process group, so that an interrupt from the keyboard reaches this process
/// only. It ends when its input ends or its output is closed.
package final class ChildProcess: Sendable {
  /// The stream of the child that is connected.
  package enum Side {
    case input, output, inputAndOutput
  }

  /// The maximum time in seconds for exiting, and for one read or write.
  package static let timeout = 30.0

  private let id: pid_t
  /// The local end of the connected stream; -1 after it is closed.
  private let endpoint: Mutex<Int32>
  /// An unlinked temporary file that collects standard error.
  private let standardErrorFile: Int32
  private let status = Mutex<Int32?>(nil)

  /// Launches a program from the search path; `nil` if this fails.
  package init?(_ program: String, _ arguments: [String], connecting side: Side) {
    guard let messages = Subprocess.makeUnlinkedFile() else { return nil }
    guard let (local, remote) = Self.socketPair() else {
      close(messages)
      return nil
    }
    let id = Subprocess.launch(
      program, arguments, input: side == .output ? nil : remote,
      output: side == .input ? nil : remote, errors: messages, hasOwnGroup: true)
    close(remote)
    guard let id else {
      close(local)
      close(messages)
      return nil
    }
    self.id = id
    self.standardErrorFile = messages
    endpoint = Mutex(local)
  }

  deinit {
    terminate()
    closeEndpoint()
    close(standardErrorFile)
  }

  /// The descriptor of the local end of the connected streams.
  package var descriptor: Int32 { endpoint.withLock(\.self) }

  /// The maximum number of bytes of a line.
  private static let maxLineBytes = 1 << 26

  /// Reads a line of the child's output without its line feed, however long it takes; `nil` if the output has
  /// ended.
  package func readLine() -> [UInt8]? {
    let number = descriptor
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < Self.maxLineBytes {
      let count = unsafe read(number, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1 else { return nil }
      if byte == 0x0A { return line }
      line.append(byte)
    }
    return nil
  }

  /// Writes bytes to the child's input, and returns whether it accepted them.
  ///
  /// Uses `send` instead of `write`, which would raise SIGPIPE if the child has exited.
  package func write(_ bytes: [UInt8]) -> Bool {
    let number = endpoint.withLock { $0 }
    guard number >= 0 else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = unsafe send(number, rest.baseAddress, rest.count, Self.noSignalFlag)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Closes the child's input, waits for it to exit, and returns its exit status.
  ///
  /// Terminates the child if it does not exit in time.
  @discardableResult
  package func closeInputAndWait() -> Int32 {
    closeEndpoint()
    return wait(seconds: Self.timeout) ?? terminate()
  }

  /// Waits for the child to exit, terminates it if it does not exit in time, and returns its exit
  /// status.
  package func waitUntilExit() -> Int32 {
    wait(seconds: Self.timeout) ?? terminate()
  }

  /// Terminates the child with SIGTERM, then SIGKILL, and returns its exit status.
  @discardableResult
  package func terminate() -> Int32 {
    if let status = wait(seconds: 0) { return status }
    kill(id, SIGTERM)
    if let status = wait(seconds: 2) { return status }
    kill(id, SIGKILL)
    return wait(seconds: 2) ?? -1
  }

  /// The last 4096 bytes of standard error.
  package var standardErrorTail: String {
    let limit = 4096
    let size = lseek(standardErrorFile, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(standardErrorFile, $0.baseAddress, limit, max(0, size - off_t(limit)))
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func closeEndpoint() {
    endpoint.withLock { number in
      if number >= 0 { close(number) }
      number = -1
    }
  }

  private func wait(seconds: Double) -> Int32? {
    let deadline = ContinuousClock.now + .seconds(seconds)
    repeat {
      if let status = reapIfExited() { return status }
      usleep(2000)
    } while ContinuousClock.now < deadline
    return reapIfExited()
  }

  /// Returns the exit status if the child has exited; 128 plus the signal that terminated it.
  private func reapIfExited() -> Int32? {
    status.withLock { reaped in
      var status: Int32 = 0
      guard reaped == nil, unsafe waitpid(id, &status, WNOHANG) == id else { return reaped }
      reaped = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
      return reaped
    }
  }
}

extension ChildProcess {
  #if canImport(Darwin)
    private static let noSignalFlag: Int32 = 0
  #else
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
  #endif

  private static func socketPair() -> (local: Int32, remote: Int32)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    ends.forEach(setCloseOnExec)
    var limit = timeval(tv_sec: Int(timeout), tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    #if canImport(Darwin)
      var yes: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      unsafe setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
    #endif
    return (ends[0], ends[1])
  }

  /// Prevents children that are launched later from inheriting a descriptor.
  private static func setCloseOnExec(_ number: Int32) {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }
}
