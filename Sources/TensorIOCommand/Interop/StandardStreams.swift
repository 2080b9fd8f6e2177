internal import TensorIOCore
internal import TensorIOSystem

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
    output: { FileDescriptor.output.write($0) },
    message: { [error = FileDescriptor.error.duplicated] in error.write($0) },
    input: { (limit) throws(CommandFailure) in try FileDescriptor.input.readAll(limit: limit) },
    inputStream: { (isEnded) throws(CommandFailure) in
      DescriptorBytes(descriptor: .input, isEnded: isEnded)
    },
    isTerminal: isatty(STDOUT_FILENO) == 1,
    messagesGoToTerminal: isatty(STDERR_FILENO) == 1,
    environment: { Platform.environment($0) },
    program: ProgramName(startedAs: CommandLine.arguments.first),
    noteInterrupts: { Signals.noteInterrupts() },
    finish: { _exit($0.rawValue) })
}

/// One of the process's own streams.
struct FileDescriptor: Sendable {
  let number: Int32

  static let input = FileDescriptor(number: STDIN_FILENO)
  static let output = FileDescriptor(number: STDOUT_FILENO)
  static let error = FileDescriptor(number: STDERR_FILENO)

  /// The same stream under a number of its own, which stays when the first is led elsewhere.
  var duplicated: FileDescriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? FileDescriptor(number: copy) : self
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
      unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      unsafe Musl.write(number, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(number, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Reads to the end, or fails when there is more than a limit.
  func readAll(limit: Int) throws(CommandFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(number, $0.baseAddress, $0.count)
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

enum Runtimes {
  /// Sees that TensorFlow prints nothing by itself, unless the user has asked for it to.
  ///
  /// It reads the variable when it is opened, and only an executable may set it.
  static func quiet() {
    guard Platform.environment("TENSORIO_LOG") != "debug" else { return }
    unsafe setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0)
  }
}
