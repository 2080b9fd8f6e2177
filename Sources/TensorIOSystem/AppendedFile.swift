#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file that grows at its end, and of which nobody else may write at the same time.
package struct AppendedFile: ~Copyable {
  private let descriptor: CInt
  /// How many bytes it has.
  package private(set) var byteCount: Int

  /// Opens a file, or makes it.
  ///
  /// The corresponding C functions are `open` and `flock`.
  package init(_ path: String) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .last }
    var facts = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &facts) == 0 else {
      let fault = FileFault.last
      close(descriptor)
      throw fault
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notAFile
    }
    self.descriptor = descriptor
    byteCount = Int(clamping: facts.st_size)
  }

  deinit { _ = close(descriptor) }

  /// Writes bytes behind those that are there; a killed process has written them nevertheless.
  ///
  /// The corresponding C function is `pwrite`.
  package mutating func append(_ bytes: [UInt8]) throws(FileFault) {
    let (descriptor, end) = (descriptor, byteCount)
    let fault: FileFault? = unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let put = unsafe pwrite(descriptor, source, memory.count - count, off_t(end + count))
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { return .last }
        count += put
      }
      return nil
    }
    if let fault { throw fault }
    byteCount += bytes.count
  }

  /// Cuts off what is behind a place.
  ///
  /// The corresponding C function is `ftruncate`.
  package mutating func truncate(to count: Int) throws(FileFault) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .last }
    byteCount = count
  }
}
