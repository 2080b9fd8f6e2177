import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// A yes-or-no question on the terminal.
struct ConfirmationPrompt {
  private let console: Console

  init(_ console: Console) {
    self.console = console
  }

  /// Asks for confirmation of a removal, and returns whether the user confirmed it.
  ///
  /// - Throws: A usage error if standard input is not a terminal.
  func confirmRemoval(_ text: String) throws(OperationError) -> Bool {
    guard console.isInputTerminal else {
      throw .usage("standard input is not a terminal; confirm the removal with --yes")
    }
    return try confirm(text)
  }

  /// Asks a question, and returns whether the response is `y` or `yes`.
  func confirm(_ text: String) throws(OperationError) -> Bool {
    console.writeMessage(Array("\(text.sanitizedForTerminal) [y/N] ".utf8))
    var lines = try LineReader(console)
    let response = try lines.next() ?? ""
    return ["y", "yes"].contains(response.lowercased())
  }
}

/// Reads standard input line by line.
struct LineReader {
  /// The maximum length of a line in bytes.
  private static let maxLineLength = 1 << 20

  private let stream: any ByteStream
  private var buffer: [UInt8] = []

  init(
    _ console: Console, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(OperationError) {
    stream = try console.openInputStream(isCancelled)
  }

  /// Returns the next line without its terminator; `nil` after the last.
  mutating func next() throws(OperationError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      guard buffer.count <= Self.maxLineLength else {
        throw .input("oversized-file", "standard input has a line of more than 1 MiB")
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

/// Reads the password of a secret key from the terminal or from standard input.
enum PasswordPrompt {
  /// Asks for the password of an existing key.
  static func existingPassword(for key: String, _ console: Console) throws(OperationError)
    -> [UInt8]
  {
    var lines = try LineReader(console)
    return try readHiddenLine("password of \(key): ", &lines, console)
  }

  /// Asks for a new password, twice.
  static func newPassword(for key: String, _ console: Console) throws(OperationError) -> [UInt8] {
    var lines = try LineReader(console)
    let password = try readHiddenLine("password for \(key): ", &lines, console)
    guard !password.isEmpty else {
      throw .input(
        "empty-password", "the password is empty; for a key without one, use --no-password")
    }
    guard try readHiddenLine("repeat the password: ", &lines, console) == password else {
      throw .input("password-mismatch", "the passwords do not match")
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
