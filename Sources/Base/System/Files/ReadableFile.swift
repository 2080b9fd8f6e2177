/// A file open for reading.
///
/// It is closed when the value is destroyed.
package struct ReadableFile: ~Copyable {
  /// The kinds of files that can be opened.
  package enum AllowedKinds: Sendable {
    /// Regular files, for paths named by files. A pipe is rejected without blocking.
    case regularFilesOnly
    /// Files, pipes and devices, for paths named by the user.
    case any
  }

  private let descriptor: CInt
  /// The size in bytes; `nil` for pipes and devices.
  package let byteCount: Int?

  /// Opens the file at a path.
  ///
  /// The corresponding C function is `open`.
  package init(
    _ path: String, _ kinds: AllowedKinds = .regularFilesOnly, followingSymlinks: Bool = true
  ) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let flags =
      (kinds == .regularFilesOnly ? O_NONBLOCK : 0) | (followingSymlinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | flags)
    guard descriptor >= 0 else { throw .lastError }
    do throws(FileError) {
      byteCount = try Self.byteCount(of: descriptor, kinds)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    // Nothing was written, so errors can be ignored.
    _ = close(descriptor)
  }

  /// The corresponding C function is `fstat`.
  private static func byteCount(
    of descriptor: CInt, _ kinds: AllowedKinds
  ) throws(FileError) -> Int? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .lastError }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return Int(clamping: facts.st_size)
    case S_IFDIR: throw .notARegularFile
    default:
      guard kinds == .any else { throw .notARegularFile }
      return nil
    }
  }

  /// Reads bytes until the memory is full or the file ends, and returns their number.
  ///
  /// The corresponding C function is `read`.
  package borrowing func read(
    into memory: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    var count = 0
    while count < memory.count {
      let target = unsafe memory.baseAddress?.advanced(by: count)
      let got = unsafe systemRead(descriptor, target, memory.count - count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .lastError }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Returns the bytes in a range, all of which must exist.
  ///
  /// The corresponding C function is `pread`.
  package borrowing func bytes(in range: Range<Int>) throws(FileError) -> [UInt8] {
    let descriptor = descriptor
    var error: FileError?
    // Without zeros first, which would write all of the memory twice.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { memory, count in
      while error == nil, count < range.count {
        let target = unsafe memory.baseAddress?.advanced(by: count)
        let offset = off_t(range.lowerBound + count)
        let got = unsafe pread(descriptor, target, range.count - count, offset)
        if got < 0, errno == EINTR { continue }
        if got <= 0 { error = got < 0 ? .lastError : .truncated }
        count += max(0, got)
      }
    }
    if let error { throw error }
    return bytes
  }
}

/// Reading of whole files, up to a size limit.
package enum FileBytes {
  /// Returns the contents of a file.
  ///
  /// A file that is too large is not read, and one that grows while it is read is rejected.
  package static func contents(
    of path: String, limit: Int, _ kinds: ReadableFile.AllowedKinds = .regularFilesOnly
  ) throws(FileError) -> [UInt8] {
    let file = try ReadableFile(path, kinds)
    guard let byteCount = file.byteCount else { return try readStream(file, limit: limit) }
    guard byteCount <= limit else { throw .oversized(bytes: byteCount, limit: limit) }
    // An additional byte would show that the file has grown.
    let bytes = try readChunk(of: file, byteCount + 1)
    guard bytes.count <= byteCount else { throw .oversized(bytes: bytes.count, limit: byteCount) }
    return bytes
  }

  /// Returns the first bytes of a file whose reported size is meaningless, such as those in
  /// `/proc`.
  package static func prefix(of path: String, limit: Int) throws(FileError) -> [UInt8] {
    try readChunk(of: ReadableFile(path), limit)
  }

  private static func readStream(
    _ file: borrowing ReadableFile, limit: Int
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let chunk = try readChunk(of: file, 1 << 16)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      guard bytes.count <= limit else { throw .oversized(bytes: bytes.count, limit: limit) }
    }
  }

  private static func readChunk(
    of file: borrowing ReadableFile, _ length: Int
  ) throws(FileError) -> [UInt8] {
    var result = Result<Int, FileError>.success(0)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { memory, count in
      result = Result { () throws(FileError) in
        try unsafe file.read(into: UnsafeMutableRawBufferPointer(memory))
      }
      count = (try? result.get()) ?? 0
    }
    _ = try result.get()
    return bytes
  }
}
