#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Runs another program and waits for it.
enum Subprocess {
  struct Outcome {
    let status: Int32
    let errors: String
  }

  /// Runs a program found on the path, without input; `nil` when there is none.
  ///
  /// What it prints is left aside but for its errors. Variables, as `NAME=value`, come before those
  /// of this process.
  static func run(
    _ program: String, _ arguments: [String], _ variables: [String] = []
  ) -> Outcome? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    let process = spawn(
      program, arguments, variables, errors: ends[1], reading: ends[0])
    close(ends[1])
    defer { close(ends[0]) }
    guard let process else { return nil }
    let errors = (try? FileDescriptor(number: ends[0]).readAll(limit: 1 << 24)) ?? []
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    return Outcome(status: exit, errors: String(decoding: errors, as: UTF8.self))
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
    var environment = unsafe own + inherited + [nil]
    var process = pid_t()
    let result = unsafe posix_spawnp(&process, program, &actions, nil, &words, &environment)
    return result == 0 ? process : nil
  }

  /// The variables of this process.
  private static var inherited: [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
    var place = 0
    while let variable = unsafe environ[place] {
      unsafe variables.append(variable)
      place += 1
    }
    return unsafe variables
  }
}
