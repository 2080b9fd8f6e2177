#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A new file open for writing; it is closed when the value goes.
package struct WritableFile: ~Copyable {
  private let descriptor: CInt

  /// Makes a file where nothing is yet, which nobody but its owner may read if it is private.
  ///
  /// The corresponding C function is `open`.
  package init(creating path: String, isPrivate: Bool = false) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let mode: mode_t = isPrivate ? 0o600 : 0o666
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .last }
    self.descriptor = descriptor
  }

  deinit {
    // Whoever wants to know whether all was written calls `close`.
    _ = system_close(descriptor)
  }

  /// Writes bytes at a place of the file.
  ///
  /// The corresponding C function is `pwrite`.
  package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(FileFault) {
    let isWritten = unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let put = unsafe pwrite(descriptor, source, memory.count - count, off_t(offset + count))
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { return false }
        count += put
      }
      return true
    }
    guard isWritten else { throw .last }
  }

  /// Writes all that another file holds.
  package borrowing func write(from source: consuming ReadableFile) throws(FileFault) {
    let count = source.byteCount ?? 0
    for start in stride(from: 0, to: count, by: Self.pieceLength) {
      try write(try source.bytes(start..<min(count, start + Self.pieceLength)), at: start)
    }
  }

  /// How many bytes of another file are in memory at a time.
  private static let pieceLength = 1 << 20

  /// Ends the file, and says whether the system has taken it all.
  package consuming func close() throws(FileFault) {
    let descriptor = descriptor
    discard self
    guard system_close(descriptor) == 0 else { throw .last }
  }
}

/// Inside the type, `close` would be its own method.
private func system_close(_ descriptor: CInt) -> CInt { close(descriptor) }
