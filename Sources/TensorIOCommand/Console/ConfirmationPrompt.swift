import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// Something that a person at the terminal is asked.
struct ConfirmationPrompt {
  private let console: Console

  init(_ console: Console) {
    self.console = console
  }

  /// Whether the answer is yes; silence is no.
  func confirm(_ text: String) throws(OperationError) -> Bool {
    console.writeMessage(Array("\(text.sanitizedForTerminal) [y/N] ".utf8))
    var lines = try LineReader(console)
    let answer = try lines.next() ?? ""
    return ["y", "yes"].contains(answer.lowercased())
  }
}

/// The lines of the standard input, one after the other.
struct LineReader {
  /// A longer line is no answer to anything.
  private static let maxLineLength = 1 << 20

  private let stream: any ByteStream
  private var buffer: [UInt8] = []

  init(
    _ console: Console, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(OperationError) {
    stream = try console.openInputStream(isCancelled)
  }

  /// The next line without its end; `nil` behind the last.
  mutating func next() throws(OperationError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      guard buffer.count <= Self.maxLineLength else {
        throw .input("oversized-file", "standard input has a line of more than a megabyte")
      }
      let more = try stream.readBytes(upTo: 1 << 12, waitForAll: false)
      guard !more.isEmpty else {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : String(decoding: buffer, as: UTF8.self)
      }
      buffer += more
    }
  }
}

/// The password of a secret key, from a person or a script.
enum PasswordPrompt {
  /// Asks for the password of a key that there is.
  static func existingPassword(for key: String, _ console: Console) throws(OperationError) -> [UInt8] {
    var lines = try LineReader(console)
    return try readHiddenLine("password of \(key): ", &lines, console)
  }

  /// Asks for a new password, twice.
  static func newPassword(for key: String, _ console: Console) throws(OperationError) -> [UInt8] {
    var lines = try LineReader(console)
    let password = try readHiddenLine("password for \(key): ", &lines, console)
    guard try readHiddenLine("the same once more: ", &lines, console) == password else {
      throw .input("wrong-password", "the two passwords are not the same")
    }
    guard !password.isEmpty else {
      throw .input("wrong-password", "there is no password; --no-password does without one")
    }
    return password
  }

  private static func readHiddenLine(
    _ question: String, _ lines: inout LineReader, _ console: Console
  ) throws(OperationError) -> [UInt8] {
    console.writeMessage(Array(question.sanitizedForTerminal.utf8))
    defer { console.writeMessage(Array("\n".utf8)) }
    return try HiddenInput.withEchoDisabled { () throws(OperationError) in
      Array((try lines.next() ?? "").utf8)
    }
  }
}
