#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads whole files, as large as they may be and no larger.
package enum FileBytes {
  /// The bytes of a file, called `name` in messages, for a stage.
  ///
  /// The file is looked at before it is read: a folder, a device or a pipe is no file, and one
  /// that is too large is not read at all.
  package static func read(
    _ path: String, named name: String? = nil, limit: Int, stage: ModelError.Stage = .bundle
  ) throws(ModelError) -> [UInt8] {
    let name = name ?? path
    guard !path.utf8.contains(0) else { throw ModelError(stage, .unsafeName(name)) }
    do throws(FileFault) {
      let file = try OpenFile(path)
      defer { file.close() }
      return try file.bytes(limit: limit)
    } catch {
      throw ModelError(stage, error.reason(named: name))
    }
  }
}

/// Why a file cannot be read.
private enum FileFault: Error {
  case system(CInt)
  case notAFile
  case oversized(bytes: Int, limit: Int)

  func reason(named name: String) -> ModelError.Reason {
    switch self {
    case .system(ENOENT), .system(ENOTDIR): .missingFile(name)
    case .system(let code):
      .unreadableFile(name, problem: unsafe String(cString: strerror(code)))
    case .notAFile: .unreadableFile(name, problem: "it is not a file")
    case .oversized(let bytes, let limit): .oversizedFile(name, bytes: bytes, limit: limit)
    }
  }
}

/// A file open for reading.
private struct OpenFile {
  private let descriptor: CInt

  /// Opens without waiting, since what looks like a file may be a pipe that nobody writes to.
  ///
  /// The corresponding C function is `open`.
  init(_ path: String) throws(FileFault) {
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0 { throw .system(errno) }
  }

  func close() {
    // Nothing was written, so nothing can be lost.
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// All bytes of the file.
  func bytes(limit: Int) throws(FileFault) -> [UInt8] {
    let size = try size()
    guard size <= limit else { throw .oversized(bytes: size, limit: limit) }
    // One byte more than there should be shows that the file has grown.
    var bytes = [UInt8](repeating: 0, count: size + 1)
    var count = 0
    while count < bytes.count {
      let received = try read(into: &bytes, from: count)
      if received == 0 { break }
      count += received
    }
    guard count <= size else { throw .oversized(bytes: count, limit: size) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The corresponding C function is `fstat`.
  private func size() throws(FileFault) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    return Int(status.st_size)
  }

  /// The corresponding C function is `read`.
  private func read(into bytes: inout [UInt8], from start: Int) throws(FileFault) -> Int {
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        #if canImport(Glibc)
          return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        #elseif canImport(Musl)
          return unsafe Musl.read(descriptor, rest.baseAddress, rest.count)
        #else
          return unsafe Darwin.read(descriptor, rest.baseAddress, rest.count)
        #endif
      }
      if count >= 0 { return count }
      guard errno == EINTR else { throw .system(errno) }
    }
  }
}
