#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file open for reading; it is closed when the value goes.
package struct ReadableFile: ~Copyable {
  /// Whether pipes and devices count as files.
  package enum AllowedKinds: Sendable {
    /// Files alone: what a program names. A pipe in a file's place is refused, not waited for.
    case regularFilesOnly
    /// Whatever gives bytes: what a person names.
    case any
  }

  private let descriptor: CInt
  /// How many bytes the file has; `nil` for a pipe, which does not know.
  package let byteCount: Int?

  /// Opens what is at a path.
  ///
  /// The corresponding C function is `open`.
  package init(_ path: String, _ kinds: AllowedKinds = .regularFilesOnly) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let waiting = kinds == .regularFilesOnly ? O_NONBLOCK : 0
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | waiting)
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
    // Nothing was written, so nothing can be lost.
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

  /// Reads bytes into memory until it is full or the file ends, and returns how many there were.
  ///
  /// The corresponding C function is `read`.
  package borrowing func read(
    into memory: UnsafeMutableRawBufferPointer
  ) throws(FileError) -> Int {
    var count = 0
    while count < memory.count {
      let target = unsafe memory.baseAddress?.advanced(by: count)
      let got = unsafe system_read(descriptor, target, memory.count - count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .lastError }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Reads the bytes at a place of the file, all of which must be there.
  ///
  /// The corresponding C function is `pread`.
  package borrowing func bytes(in range: Range<Int>) throws(FileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let descriptor = descriptor
    let fault: FileError? = unsafe bytes.withUnsafeMutableBytes { memory in
      var count = 0
      while count < memory.count {
        let target = unsafe memory.baseAddress?.advanced(by: count)
        let place = off_t(range.lowerBound + count)
        let got = unsafe pread(descriptor, target, memory.count - count, place)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { return .lastError }
        guard got > 0 else { return .truncated }
        count += got
      }
      return nil
    }
    if let fault { throw fault }
    return bytes
  }
}

/// Inside the type, `read` would be its own method.
private func system_read(
  _ descriptor: CInt, _ memory: UnsafeMutableRawPointer?, _ count: Int
) -> Int {
  unsafe read(descriptor, memory, count)
}

/// Files as wholes: read up to a limit and no further.
package enum FileBytes {
  /// All bytes of a file.
  ///
  /// A file that is too large is not read at all, and one that grows while it is read is refused.
  package static func contents(
    of path: String, limit: Int, _ kinds: ReadableFile.AllowedKinds = .regularFilesOnly
  ) throws(FileError) -> [UInt8] {
    let file = try ReadableFile(path, kinds)
    guard let byteCount = file.byteCount else { return try readStream(file, limit: limit) }
    guard byteCount <= limit else { throw .oversized(bytes: byteCount, limit: limit) }
    // One byte more than there should be shows that the file has grown.
    let bytes = try readChunk(of: file, byteCount + 1)
    guard bytes.count <= byteCount else { throw .oversized(bytes: bytes.count, limit: byteCount) }
    return bytes
  }

  /// The beginning of a file that says nothing true about its size, as those of the kernel do.
  package static func prefix(of path: String, limit: Int) throws(FileError) -> [UInt8] {
    try readChunk(of: ReadableFile(path), limit)
  }

  private static func readStream(
    _ file: borrowing ReadableFile, limit: Int
  ) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = try readChunk(of: file, 1 << 16)
      if more.isEmpty { return bytes }
      bytes += more
      guard bytes.count <= limit else { throw .oversized(bytes: bytes.count, limit: limit) }
    }
  }

  private static func readChunk(
    of file: borrowing ReadableFile, _ length: Int
  ) throws(FileError) -> [UInt8] {
    var outcome = Result<Int, FileError>.success(0)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { memory, count in
      outcome = Result { () throws(FileError) in
        try unsafe file.read(into: UnsafeMutableRawBufferPointer(memory))
      }
      count = (try? outcome.get()) ?? 0
    }
    _ = try outcome.get()
    return bytes
  }
}
