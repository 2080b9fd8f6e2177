/// Launches programs.
package enum Subprocess {
  /// How a program ended.
  package struct ExitReport: Sendable {
    /// The exit status, or 128 plus the signal that terminated it.
    package let status: Int32
    /// What the program has written to standard error.
    package let standardError: String
  }

  /// Runs a program from the search path without input, and returns its exit status and standard
  /// error; `nil` if it cannot be launched.
  ///
  /// Discards its standard output. Variables, as `NAME=value`, override those of this process.
  package static func run(
    _ program: String, _ arguments: [String], environment variables: [String] = []
  ) -> ExitReport? {
    guard let ends = makePipe() else { return nil }
    let process = launch(
      program, arguments, environment: variables, input: nil, output: nil, errors: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    guard let process else { return nil }
    let errors = readToEnd(ends[0])
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return ExitReport(status: exit, standardError: String(decoding: errors, as: UTF8.self))
  }

  /// The maximum number of bytes of standard error that are kept.
  private static let maxErrorBytes = 1 << 24

  /// Reads a pipe until its other end is closed.
  private static func readToEnd(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count].prefix(max(0, maxErrorBytes - bytes.count))
    }
  }

  /// Returns both ends of a pipe that other programs do not inherit; `nil` if there is no descriptor.
  static func makePipe() -> [Int32]? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    // A program that another thread launches meanwhile would keep the pipe open until it exits. `pipe2`, which leaves no
    // moment between, is not among the functions that Swift imports.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  /// Launches a program from the search path; `nil` if this fails.
  ///
  /// - Parameters:
  ///   - program: The name or path of the program.
  ///   - arguments: Its arguments.
  ///   - variables: Environment variables, as `NAME=value`, that override those of this process.
  ///   - input: The descriptor of its standard input; `nil` for an empty one.
  ///   - output: The descriptor of its standard output; `nil` discards it.
  ///   - errors: The descriptor of its standard error.
  ///   - hasOwnGroup: Whether it has its own process group, so that an interrupt from the keyboard reaches this
  ///     process only.
  /// - Returns: The process identifier.
  package static func launch(
    _ program: String, _ arguments: [String], environment variables: [String] = [], input: Int32?,
    output: Int32?, errors: Int32, hasOwnGroup: Bool = false
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
    for (number, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO)] {
      if let number {
        unsafe posix_spawn_file_actions_adddup2(&actions, number, target)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
      }
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    // A server ignores this signal; programs rely on it.
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    let group = hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | group))
    if hasOwnGroup { unsafe posix_spawnattr_setpgroup(&attributes, 0) }
    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    let overrides = unsafe variables.map { unsafe strdup($0) }
    defer { unsafe overrides.forEach { unsafe free($0) } }
    var environment = unsafe overrides + inheritedEnvironment + [nil]
    var process = pid_t()
    let result = unsafe posix_spawnp(
      &process, program, &actions, &attributes, &words, &environment)
    return result == 0 ? process : nil
  }

  /// The environment variables of this process.
  private static var inheritedEnvironment: [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
    var index = 0
    while let variable = unsafe environ[index] {
      unsafe variables.append(variable)
      index += 1
    }
    return unsafe variables
  }
}
