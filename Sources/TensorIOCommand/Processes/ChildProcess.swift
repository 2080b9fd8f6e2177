import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Another program that runs beside this one, which feeds it or reads it.
///
/// It has a process group of its own, so that an interrupt from the keyboard is for this process
/// alone: the program ends when its input does, or when nobody reads it any more.
final class ChildProcess: Sendable {
  /// Which side of the program is ours.
  enum Side {
    case input, output
  }

  /// How long a program may take to end, and to take or to give the next bytes.
  static let timeout = 30.0

  private let id: pid_t
  /// Our end of the program's input or output, until it is closed.
  private let endpoint: Mutex<Int32>
  /// A file without a name, in which the program's messages are collected.
  private let standardErrorFile: Int32
  private let status = Mutex<Int32?>(nil)

  /// Starts a program found on the path; `nil` where there is none.
  init?(_ program: String, _ arguments: [String], connecting side: Side) {
    guard let messages = Self.makeUnlinkedFile() else { return nil }
    guard let (ours, theirs) = Self.socketPair() else {
      close(messages)
      return nil
    }
    let id = Self.spawn(
      [program] + arguments, input: side == .input ? theirs : nil,
      output: side == .output ? theirs : nil, errors: messages)
    close(theirs)
    guard let id else {
      close(ours)
      close(messages)
      return nil
    }
    self.id = id
    self.standardErrorFile = messages
    endpoint = Mutex(ours)
  }

  deinit {
    terminate()
    closeEndpoint()
    close(standardErrorFile)
  }

  /// Our end, to read from.
  var output: FileDescriptor { FileDescriptor(rawValue: endpoint.withLock { $0 }) }

  /// Gives the program its next bytes, and says whether it took them.
  ///
  /// Sent rather than written, since a program that has ended must not end this one.
  func write(_ bytes: [UInt8]) -> Bool {
    let number = endpoint.withLock { $0 }
    guard number >= 0 else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = unsafe send(number, rest.baseAddress, rest.count, Self.noSignalFlag)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Ends the program's input, waits until it has ended, and gives its exit status.
  ///
  /// One that does not end in time is made to.
  @discardableResult
  func closeInputAndWait() -> Int32 {
    closeEndpoint()
    return wait(seconds: Self.timeout) ?? terminate()
  }

  /// Waits for a program that has said all, and gives its exit status.
  func waitUntilExit() -> Int32 {
    wait(seconds: Self.timeout) ?? terminate()
  }

  /// Makes the program end.
  @discardableResult
  func terminate() -> Int32 {
    if let status = wait(seconds: 0) { return status }
    kill(id, SIGTERM)
    if let status = wait(seconds: 2) { return status }
    kill(id, SIGKILL)
    return wait(seconds: 2) ?? -1
  }

  /// The last of what the program has said besides its output.
  var standardErrorTail: String {
    let limit = 4096
    let size = lseek(standardErrorFile, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(standardErrorFile, $0.baseAddress, limit, max(0, size - off_t(limit)))
    }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private func closeEndpoint() {
    endpoint.withLock { number in
      if number >= 0 { close(number) }
      number = -1
    }
  }

  private func wait(seconds: Double) -> Int32? {
    let deadline = ContinuousClock.now + .seconds(seconds)
    repeat {
      if let status = reapIfExited() { return status }
      usleep(2000)
    } while ContinuousClock.now < deadline
    return reapIfExited()
  }

  /// The exit status of a program that has ended; 128 and the signal for one that was ended.
  private func reapIfExited() -> Int32? {
    status.withLock { known in
      var status: Int32 = 0
      guard known == nil, unsafe waitpid(id, &status, WNOHANG) == id else { return known }
      known = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
      return known
    }
  }
}

extension ChildProcess {
  #if canImport(Darwin)
    private static let withoutSignal: Int32 = 0
  #else
    private static let noSignalFlag = Int32(MSG_NOSIGNAL)
  #endif

  private static func makeUnlinkedFile() -> Int32? {
    var path = Array("/tmp/tensorio-XXXXXX".utf8CString)
    let number = unsafe path.withUnsafeMutableBufferPointer { path in
      guard let base = path.baseAddress else { return Int32(-1) }
      let number = unsafe mkstemp(base)
      if number >= 0 { unsafe unlink(base) }
      return number
    }
    guard number >= 0 else { return nil }
    setCloseOnExec(number)
    return number
  }

  private static func socketPair() -> (ours: Int32, theirs: Int32)? {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    ends.forEach(setCloseOnExec)
    var limit = timeval(tv_sec: Int(timeout), tv_usec: 0)
    let length = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    #if canImport(Darwin)
      var yes: Int32 = 1
      let size = socklen_t(MemoryLayout<Int32>.size)
      unsafe setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, size)
    #endif
    return (ends[0], ends[1])
  }

  /// Programs that are started later must not hold what belongs to this one.
  private static func setCloseOnExec(_ number: Int32) {
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
  }

  private static func spawn(
    _ words: [String], input: Int32?, output: Int32?, errors: Int32
  ) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    for (number, place) in [(input, STDIN_FILENO), (output, STDOUT_FILENO)] {
      if let number {
        unsafe posix_spawn_file_actions_adddup2(&actions, number, place)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, place, "/dev/null", O_RDWR, 0)
      }
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var id = pid_t()
    let result = unsafe posix_spawnp(&id, words[0], &actions, &attributes, &arguments, environ)
    return result == 0 ? id : nil
  }
}

/// Runs another program and waits for it.
enum Subprocess {
  struct ExitReport {
    let status: Int32
    let standardError: String
  }

  /// Runs a program found on the path, without input; `nil` when there is none.
  ///
  /// What it prints is left aside but for its errors. Variables, as `NAME=value`, come before those
  /// of this process.
  static func run(
    _ program: String, _ arguments: [String], environment variables: [String] = []
  ) -> ExitReport? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    let process = spawn(
      program, arguments, variables, errors: ends[1], reading: ends[0])
    close(ends[1])
    defer { close(ends[0]) }
    guard let process else { return nil }
    let errors = (try? FileDescriptor(rawValue: ends[0]).readAll(limit: 1 << 24)) ?? []
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return ExitReport(status: exit, standardError: String(decoding: errors, as: UTF8.self))
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ variables: [String], errors: Int32,
    reading: Int32
  ) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, reading)
    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    let own = unsafe variables.map { unsafe strdup($0) }
    defer { unsafe own.forEach { unsafe free($0) } }
    var environment = unsafe own + inheritedEnvironment + [nil]
    var process = pid_t()
    let result = unsafe posix_spawnp(&process, program, &actions, nil, &words, &environment)
    return result == 0 ? process : nil
  }

  /// The variables of this process.
  private static var inheritedEnvironment: [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
    var place = 0
    while let variable = unsafe environ[place] {
      unsafe variables.append(variable)
      place += 1
    }
    return unsafe variables
  }
}
