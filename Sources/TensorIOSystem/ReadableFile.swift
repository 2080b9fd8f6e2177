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
  package enum Kinds: Sendable {
    /// Files alone: what a program names. A pipe in a file's place is refused, not waited for.
    case filesOnly
    /// Whatever gives bytes: what a person names.
    case anything
  }

  private let descriptor: CInt
  /// How many bytes the file has; `nil` for a pipe, which does not know.
  package let byteCount: Int?

  /// Opens what is at a path.
  ///
  /// The corresponding C function is `open`.
  package init(_ path: String, _ kinds: Kinds = .filesOnly) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let waiting = kinds == .filesOnly ? O_NONBLOCK : 0
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | waiting)
    guard descriptor >= 0 else { throw .last }
    do throws(FileFault) {
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
    of descriptor: CInt, _ kinds: Kinds
  ) throws(FileFault) -> Int? {
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .last }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return Int(clamping: facts.st_size)
    case S_IFDIR: throw .notAFile
    default:
      guard kinds == .anything else { throw .notAFile }
      return nil
    }
  }

  /// Reads bytes into memory until it is full or the file ends, and returns how many there were.
  ///
  /// The corresponding C function is `read`.
  package borrowing func read(
    into memory: UnsafeMutableRawBufferPointer
  ) throws(FileFault) -> Int {
    var count = 0
    while count < memory.count {
      let target = unsafe memory.baseAddress?.advanced(by: count)
      let got = unsafe system_read(descriptor, target, memory.count - count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw .last }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Reads the bytes at a place of the file, all of which must be there.
  ///
  /// The corresponding C function is `pread`.
  package borrowing func bytes(_ range: Range<Int>) throws(FileFault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let descriptor = descriptor
    let fault: FileFault? = unsafe bytes.withUnsafeMutableBytes { memory in
      var count = 0
      while count < memory.count {
        let target = unsafe memory.baseAddress?.advanced(by: count)
        let place = off_t(range.lowerBound + count)
        let got = unsafe pread(descriptor, target, memory.count - count, place)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { return .last }
        guard got > 0 else { return .shrank }
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
