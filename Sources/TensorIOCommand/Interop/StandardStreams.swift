import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension Console {
  /// The console of the process.
  static let standard = Console(
    writeOutput: { FileDescriptor.output.write($0) },
    writeMessage: { [error = FileDescriptor.error.duplicate] in error.write($0) },
    readInput: { (limit) throws(OperationError) in try FileDescriptor.input.readAll(limit: limit) },
    openInputStream: { (isEnded) throws(OperationError) in
      DescriptorStream(descriptor: .input, isCancelled: isEnded)
    },
    isOutputTerminal: isatty(STDOUT_FILENO) == 1,
    isMessageTerminal: isatty(STDERR_FILENO) == 1,
    environment: { Platform.environment($0) },
    program: ProgramName(invokedAs: CommandLine.arguments.first),
    observeInterrupts: { Signals.observeInterrupts() },
    exit: { _exit($0.rawValue) })
}

/// One of the process's own streams.
struct FileDescriptor: Sendable {
  let rawValue: Int32

  static let input = FileDescriptor(rawValue: STDIN_FILENO)
  static let output = FileDescriptor(rawValue: STDOUT_FILENO)
  static let error = FileDescriptor(rawValue: STDERR_FILENO)

  /// The same stream under a number of its own, which stays when the first is led elsewhere.
  var duplicate: FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? FileDescriptor(rawValue: copy) : self
  }

  /// Writes all bytes.
  ///
  /// A reader that has gone away ends the process by the usual signal; any other failure is left to
  /// whoever reads too little.
  func write(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe writeOnce(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        if count < 0 && errno != EINTR { return }
        written += max(0, count)
      }
    }
  }

  private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(rawValue, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      unsafe Musl.write(number, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(number, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Reads to the end, or fails when there is more than a limit.
  func readAll(limit: Int) throws(OperationError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(rawValue, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk[..<count]
      guard bytes.count <= limit else {
        throw .input("oversized-file", "standard input has more than \(limit) bytes")
      }
    }
    return bytes
  }
}

enum RuntimeLogging {
  /// Sees that TensorFlow prints nothing by itself, unless the user has asked for it to.
  ///
  /// It reads the variable when it is opened, and only an executable may set it.
  static func silenceTensorFlow() {
    guard Platform.environment("TENSORIO_LOG") != "debug" else { return }
    unsafe setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0)
  }
}

/// What comes through a descriptor, as long as nobody wants to end.
struct DescriptorStream: ByteStream {
  let descriptor: FileDescriptor
  /// How many seconds without a byte are too many; `nil` waits for ever.
  var timeout: Double?
  /// Whether to go on no more.
  let isCancelled: @Sendable () -> Bool

  func readBytes(upTo count: Int, waitForAll: Bool) throws(OperationError) -> [UInt8] {
    var failure: OperationError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
      while filled < count {
        do throws(OperationError) {
          guard try waitUntilReadable() else { return }
        } catch {
          failure = error
          return
        }
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(memory)[filled...])
        let got = unsafe read(descriptor.rawValue, rest.baseAddress, rest.count)
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { return }
        filled += got
        if !waitForAll { return }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Waits until there is something to read, in steps short enough to notice that it is enough.
  private func waitUntilReadable() throws(OperationError) -> Bool {
    let start = ContinuousClock.now
    while !isCancelled() {
      var wanted = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&wanted, 1, 100) > 0 { return true }
      if let timeout, ContinuousClock.now - start > .seconds(timeout) {
        throw .input("timed-out", "no frame has come for \(Int(timeout)) seconds")
      }
    }
    return false
  }
}
