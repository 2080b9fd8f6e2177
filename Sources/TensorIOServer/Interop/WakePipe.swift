#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Wakes a thread that waits for sockets; may be used in a signal's handler.
final class WakePipe: Sendable {
  private let input: Int32
  /// What becomes readable.
  let output: Int32

  init() throws(ServerError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw .system("pipe", errno) }
    ends.forEach(Socket.makeNonblocking)
    (output, input) = (ends[0], ends[1])
  }

  deinit {
    close(input)
    close(output)
  }

  func wake() {
    var byte: UInt8 = 1
    // A pipe that is full wakes just as well.
    _ = unsafe write(input, &byte, 1)
  }

  /// Lets the next call be noticed again.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(output, &bytes, bytes.count) > 0 {}
  }
}
