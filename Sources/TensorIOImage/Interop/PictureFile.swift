#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files as wholes: read up to a limit, written completely or not at all.
enum PictureFile {
  static func contents(of path: String) throws(ImageError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ImageError(.unreadable(problem: systemProblem())) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw ImageError(.unreadable(problem: systemProblem()))
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw ImageError(.unreadable(problem: "is a folder"))
    }
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    if isRegular { try ImageLimits.check(fileBytes: Int(status.st_size)) }
    return try readAll(descriptor, expected: isRegular ? Int(status.st_size) : 0)
  }

  /// Writes beside the file and renames, so that nobody ever sees half a picture.
  static func store(_ bytes: [UInt8], at path: String) throws(ImageError) {
    let beside = path + ".\(UInt32.random(in: 0 ... .max)).part"
    let descriptor = unsafe open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw ImageError(.unwritable(problem: systemProblem())) }
    var problem = writeAll(bytes, to: descriptor) ? nil : systemProblem()
    if close(descriptor) != 0, problem == nil { problem = systemProblem() }
    if problem == nil, unsafe rename(beside, path) != 0 { problem = systemProblem() }
    if let problem {
      unsafe unlink(beside)
      throw ImageError(.unwritable(problem: problem))
    }
  }

  /// Reads to the end, however the length was announced; a pipe announces none.
  private static func readAll(_ descriptor: Int32, expected: Int) throws(ImageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: expected + 1)
    var count = 0
    while true {
      if count == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
      let got = unsafe bytes.withUnsafeMutableBytes { memory in
        unsafe read(
          descriptor, memory.baseAddress.map { unsafe $0 + count }, memory.count - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw ImageError(.unreadable(problem: systemProblem())) }
      if got == 0 { break }
      count += got
      try ImageLimits.check(fileBytes: count)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var count = 0
    while count < bytes.count {
      let put = unsafe bytes.withUnsafeBytes { memory in
        unsafe write(
          descriptor, memory.baseAddress.map { unsafe $0 + count }, memory.count - count)
      }
      if put < 0, errno == EINTR { continue }
      guard put > 0 else { return false }
      count += put
    }
    return true
  }

  private static func systemProblem() -> String {
    unsafe String(cString: strerror(errno))
  }
}
