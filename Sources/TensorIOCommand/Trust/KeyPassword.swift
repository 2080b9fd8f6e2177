internal import TensorIOCore

/// The password of a secret key, from a person or a script.
enum KeyPassword {
  /// Asks for the password of a key that there is.
  static func asked(_ key: String, _ console: Console) throws(CommandFailure) -> [UInt8] {
    var lines = try InputLines(console)
    return try line("password of \(key): ", &lines, console)
  }

  /// Asks for a new password, twice.
  static func new(_ key: String, _ console: Console) throws(CommandFailure) -> [UInt8] {
    var lines = try InputLines(console)
    let password = try line("password for \(key): ", &lines, console)
    guard try line("the same once more: ", &lines, console) == password else {
      throw .input("wrong-password", "the two passwords are not the same")
    }
    guard !password.isEmpty else {
      throw .input("wrong-password", "there is no password; --no-password does without one")
    }
    return password
  }

  private static func line(
    _ question: String, _ lines: inout InputLines, _ console: Console
  ) throws(CommandFailure) -> [UInt8] {
    console.message(Array(question.printable.utf8))
    defer { console.message(Array("\n".utf8)) }
    return try SilentTerminal.during { () throws(CommandFailure) in
      Array((try lines.next() ?? "").utf8)
    }
  }
}
