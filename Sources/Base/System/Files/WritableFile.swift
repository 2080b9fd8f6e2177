/// A new file open for writing.
///
/// It is closed when the value is destroyed.
package struct WritableFile: ~Copyable {
  private let descriptor: CInt

  /// Creates a file.
  ///
  /// Only the owner can access a private one.
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
    // Errors are reported by `close`.
    _ = systemClose(descriptor)
  }

  /// Gives the file the permissions of another one, if that exists.
  ///
  /// The corresponding C functions are `stat` and `fchmod`.
  package borrowing func copyPermissions(of path: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    guard fchmod(descriptor, facts.st_mode & 0o777) == 0 else { throw .lastError }
  }

  /// Writes bytes at an offset.
  ///
  /// The corresponding C function is `pwrite`.
  package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    let isWritten = unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let written = unsafe pwrite(descriptor, source, memory.count - count, off_t(offset + count))
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return false }
        count += written
      }
      return true
    }
    guard isWritten else { throw .lastError }
  }

  /// Writes the contents of another file.
  package borrowing func write(from source: consuming ReadableFile) throws(FileError) {
    let count = source.byteCount ?? 0
    for start in stride(from: 0, to: count, by: Self.chunkSize) {
      try write(try source.bytes(in: start..<min(count, start + Self.chunkSize)), at: start)
    }
  }

  /// The number of bytes copied at a time.
  private static let chunkSize = 1 << 20

  /// Closes the file.
  ///
  /// Throws an error if the system could not write all data.
  package consuming func close() throws(FileError) {
    let descriptor = descriptor
    discard self
    guard systemClose(descriptor) == 0 else { throw .lastError }
  }
}

/// A file that is open for appending and locked against other writers.
package struct AppendableFile: ~Copyable {
  private let descriptor: CInt
  /// The size in bytes.
  package private(set) var byteCount: Int

  /// Opens a file, creating it if necessary.
  ///
  /// The corresponding C functions are `open` and `flock`.
  package init(_ path: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .lastError }
    var facts = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &facts) == 0 else {
      let error = FileError.lastError
      close(descriptor)
      throw error
    }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notARegularFile
    }
    self.descriptor = descriptor
    byteCount = Int(clamping: facts.st_size)
  }

  deinit {
    // A child process shares the lock until it has started its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Appends bytes.
  ///
  /// They are preserved if the process is killed afterwards.
  ///
  /// The corresponding C function is `pwrite`.
  package mutating func append(_ bytes: [UInt8]) throws(FileError) {
    let (descriptor, end) = (descriptor, byteCount)
    let error: FileError? = unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let written = unsafe pwrite(descriptor, source, memory.count - count, off_t(end + count))
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return .lastError }
        count += written
      }
      return nil
    }
    if let error { throw error }
    byteCount += bytes.count
  }

  /// Truncates the file to a size.
  ///
  /// The corresponding C function is `ftruncate`.
  package mutating func truncate(to count: Int) throws(FileError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else { throw .lastError }
    byteCount = count
  }
}
