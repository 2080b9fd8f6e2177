import Synchronization
import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

extension Console {
  /// The console of the process.
  static let standard = Console(
    writeOutput: { StandardOutput.write($0) },
    writeMessage: { [messages] in _ = messages.write($0) },
    tryWritingOutput: { FileDescriptor.output.tryWriting($0).count },
    tryWritingMessage: { [messages] in messages.tryWriting($0).count },
    ignoreBrokenPipes: { Signals.ignoreBrokenPipes() },
    readInput: { (limit) throws(OperationError) in try FileDescriptor.input.readAll(limit: limit) },
    openInputStream: { (isCancelled) throws(OperationError) in
      DescriptorStream(descriptor: .input, isCancelled: isCancelled)
    },
    isInputTerminal: isatty(STDIN_FILENO) == 1,
    isOutputTerminal: isatty(STDOUT_FILENO) == 1,
    isMessageTerminal: isatty(STDERR_FILENO) == 1,
    terminalColumns: {
      TerminalSize.columns(of: STDOUT_FILENO) ?? TerminalSize.columns(of: STDERR_FILENO)
        ?? Platform.environment("COLUMNS").flatMap { Int($0) } ?? 80
    },
    environment: { Platform.environment($0) },
    program: ProgramName(invokedAs: CommandLine.arguments.first),
    observeInterrupts: { Signals.observeInterrupts() },
    exit: { _exit(StandardOutput.exitCode($0).rawValue) })

  /// A duplicate of standard error, which stays valid while that is redirected later.
  private static let messages = FileDescriptor.error.duplicate
}

/// Standard output of the process, which remembers failed writes.
enum StandardOutput {
  private static let hasFailed = Atomic(false)

  /// Writes all bytes.
  ///
  /// The first failure is reported on standard error and determines the exit code. The command
  /// continues, since its other outputs can still be written.
  static func write(_ bytes: [UInt8]) {
    guard let error = FileDescriptor.output.write(bytes),
      !hasFailed.exchange(true, ordering: .relaxed)
    else { return }
    let reason = FileError.system(error).message
    _ = FileDescriptor.error.write(
      Array("tensorio: cannot write to standard output: \(reason)\n".utf8))
  }

  /// Returns the exit code of a command, or an output error if it succeeded but a write failed.
  static func exitCode(_ code: ExitCode) -> ExitCode {
    code == .success && hasFailed.load(ordering: .relaxed) ? .operationFailed : code
  }
}

/// A file descriptor, which is not closed automatically.
struct FileDescriptor: Sendable {
  let rawValue: Int32

  static let input = FileDescriptor(rawValue: STDIN_FILENO)
  static let output = FileDescriptor(rawValue: STDOUT_FILENO)
  static let error = FileDescriptor(rawValue: STDERR_FILENO)

  /// A duplicate, which is unaffected when the original descriptor is redirected.
  var duplicate: FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? FileDescriptor(rawValue: copy) : self
  }

  /// Writes all bytes, and returns the error number of a failure; `nil` on success.
  ///
  /// A closed pipe ends the process with SIGPIPE, unless it ignores that signal.
  func write(_ bytes: [UInt8]) -> Int32? { tryWriting(bytes).error }

  /// Writes all bytes, and returns how many were written, with the error number of a failure.
  func tryWriting(_ bytes: [UInt8]) -> (count: Int, error: Int32?) {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe writeOnce(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        if count < 0 && errno == EAGAIN {
          waitUntilWritable()
        } else if count < 0 && errno != EINTR {
          return (written, errno)
        }
        written += max(0, count)
      }
      return (written, nil)
    }
  }

  /// Waits until a nonblocking descriptor accepts bytes.
  private func waitUntilWritable() {
    var descriptor = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&descriptor, 1, -1)
  }

  private func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe systemWrite(rawValue, bytes.baseAddress, bytes.count)
  }

  /// Reads to the end of the file.
  ///
  /// - Throws: An error if there are more bytes than `limit`.
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
        throw .input("oversized-file", "standard input exceeds the limit of \(limit) bytes")
      }
    }
    return bytes
  }
}

/// Configures the log messages of runtimes.
enum RuntimeLogging {
  /// Suppresses TensorFlow's log messages, unless the log level is `debug`.
  ///
  /// TensorFlow reads the environment variable when it is loaded. Only executables should set it.
  static func silenceTensorFlow() {
    guard Platform.environment(LogLevel.variable) != LogLevel.debug.rawValue else { return }
    unsafe setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0)
  }
}

/// A stream of bytes from a file descriptor.
struct DescriptorStream: ByteStream {
  let descriptor: FileDescriptor
  /// The maximum time between two reads in seconds; `nil` waits without limit.
  var timeout: Double?
  /// Returns whether the stream is canceled, which ends it.
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
        let received = unsafe read(descriptor.rawValue, rest.baseAddress, rest.count)
        if received < 0 && errno == EINTR { continue }
        guard received > 0 else { return }
        filled += received
        if !waitForAll { return }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Waits until bytes are available, and returns `false` if the stream was canceled.
  private func waitUntilReadable() throws(OperationError) -> Bool {
    let start = ContinuousClock.now
    while !isCancelled() {
      var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&request, 1, 100) > 0 { return true }
      if let timeout, ContinuousClock.now - start > .seconds(timeout) {
        throw .input("timed-out", "no frame received for \(Int(timeout)) seconds")
      }
    }
    return false
  }
}
