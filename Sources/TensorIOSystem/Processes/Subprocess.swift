/// Runs a program and waits for it to exit.
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
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    // A process that another thread launches meanwhile must not keep the pipe open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let process = spawn(
      program, arguments, variables, errors: ends[1], reading: ends[0])
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
    let overrides = unsafe variables.map { unsafe strdup($0) }
    defer { unsafe overrides.forEach { unsafe free($0) } }
    var environment = unsafe overrides + inheritedEnvironment + [nil]
    var process = pid_t()
    let result = unsafe posix_spawnp(&process, program, &actions, nil, &words, &environment)
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
