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
  package init(creating path: String, isPrivate: Bool = false) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let mode: mode_t = isPrivate ? 0o600 : 0o666
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .lastError }
    self.descriptor = descriptor
  }

  deinit {
    // Whoever wants to know whether all was written calls `close`.
    _ = system_close(descriptor)
  }

  /// Writes bytes at a place of the file.
  ///
  /// The corresponding C function is `pwrite`.
  package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
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
    guard isWritten else { throw .lastError }
  }

  /// Writes all that another file holds.
  package borrowing func write(from source: consuming ReadableFile) throws(FileError) {
    let count = source.byteCount ?? 0
    for start in stride(from: 0, to: count, by: Self.chunkSize) {
      try write(try source.bytes(in: start..<min(count, start + Self.chunkSize)), at: start)
    }
  }

  /// How many bytes of another file are in memory at a time.
  private static let chunkSize = 1 << 20

  /// Ends the file, and says whether the system has taken it all.
  package consuming func close() throws(FileError) {
    let descriptor = descriptor
    discard self
    guard system_close(descriptor) == 0 else { throw .lastError }
  }
}

/// Inside the type, `close` would be its own method.
private func system_close(_ descriptor: CInt) -> CInt { close(descriptor) }

/// A file that grows at its end, and of which nobody else may write at the same time.
package struct AppendableFile: ~Copyable {
  private let descriptor: CInt
  /// How many bytes it has.
  package private(set) var byteCount: Int

  /// Opens a file, or makes it.
  ///
  /// The corresponding C functions are `open` and `flock`.
  package init(_ path: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .lastError }
    var facts = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &facts) == 0 else {
      let fault = FileError.lastError
      close(descriptor)
      throw fault
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notARegularFile
    }
    self.descriptor = descriptor
    byteCount = Int(clamping: facts.st_size)
  }

  deinit { _ = close(descriptor) }

  /// Writes bytes behind those that are there; a killed process has written them nevertheless.
  ///
  /// The corresponding C function is `pwrite`.
  package mutating func append(_ bytes: [UInt8]) throws(FileError) {
    let (descriptor, end) = (descriptor, byteCount)
    let fault: FileError? = unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let put = unsafe pwrite(descriptor, source, memory.count - count, off_t(end + count))
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { return .lastError }
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
  package mutating func truncate(to count: Int) throws(FileError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .lastError }
    byteCount = count
  }
}
