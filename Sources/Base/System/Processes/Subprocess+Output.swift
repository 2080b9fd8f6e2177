extension Subprocess {
  /// What a program has written.
  package struct Output: Sendable {
    /// The exit status, or 128 plus the signal that terminated it; `nil` if it did not end in time.
    package let status: Int32?
    /// What the program has written to standard output.
    package let bytes: [UInt8]
    /// The last line that it has written to standard error; `nil` if there is none.
    package let errorLine: String?
  }

  /// Runs a program from the search path on bytes, and returns what it writes; `nil` if it cannot be launched.
  ///
  /// A program that writes more than the limit, or does not end in time, is killed.
  ///
  /// - Parameters:
  ///   - program: The name or path of the program.
  ///   - arguments: Its arguments.
  ///   - input: Its standard input.
  ///   - limit: The maximum number of bytes that it may write.
  ///   - timeout: The time after which it is killed.
  /// - Returns: Its output, and how it ended.
  package static func output(
    of program: String, _ arguments: [String], input: [UInt8], limit: Int, timeout: Duration
  ) -> Output? {
    // The program reads a file, so that it can write at the same time.
    guard let source = makeUnlinkedFile() else { return nil }
    defer { close(source) }
    guard let errors = makeUnlinkedFile() else { return nil }
    defer { close(errors) }
    guard store(input, in: source), lseek(source, 0, SEEK_SET) == 0, let ends = makePipe() else {
      return nil
    }
    defer { close(ends[0]) }
    let process = launch(
      program, arguments, input: source, output: ends[1], errors: errors, hasOwnGroup: true)
    close(ends[1])
    guard let process else { return nil }
    let (bytes, isWhole) = contents(of: ends[0], upTo: limit, until: ContinuousClock.now + timeout)
    if !isWhole { kill(process, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return Output(status: isWhole ? exit : nil, bytes: bytes, errorLine: lastLine(of: errors))
  }

  /// Creates a file without a name, which exists as long as its descriptor; `nil` if this fails.
  package static func makeUnlinkedFile() -> Int32? {
    var path = Array("\(FileSystem.temporaryDirectory)/tensorio-XXXXXX".utf8CString)
    let number = unsafe path.withUnsafeMutableBufferPointer { path in
      guard let base = path.baseAddress else { return Int32(-1) }
      let number = unsafe mkstemp(base)
      if number >= 0 { unsafe unlink(base) }
      return number
    }
    guard number >= 0 else { return nil }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return number
  }

  private static func store(_ bytes: [UInt8], in file: Int32) -> Bool {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        return unsafe write(file, rest.baseAddress, rest.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Reads a pipe until its other end is closed, the limit is exceeded or the time is over.
  private static func contents(
    of pipe: Int32, upTo limit: Int, until deadline: ContinuousClock.Instant
  ) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let rest = (deadline - .now) / .milliseconds(1)
      guard rest > 0 else { return (bytes, false) }
      var request = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&request, 1, Int32(min(rest.rounded(.up), 1e6)))
      if ready < 0 && errno != EINTR { return (bytes, false) }
      guard ready > 0 else { continue }
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(pipe, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return (bytes, count == 0) }
      bytes += chunk[..<count]
    }
    return (bytes, false)
  }

  private static func lastLine(of file: Int32) -> String? {
    let limit = 4096
    let size = lseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(file, $0.baseAddress, limit, max(0, size - off_t(limit)))
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map(String.init)
  }
}
