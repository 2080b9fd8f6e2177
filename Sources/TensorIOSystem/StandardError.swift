#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The place where messages go that someone asked to see.
package enum StandardError {
  @Sendable package static func print(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    // A line that cannot be written is lost: there is no better place to say so.
    _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
  }
}
