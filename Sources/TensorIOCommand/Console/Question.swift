import TensorIOCore

/// Something that a person at the terminal is asked.
struct Question {
  private let console: Console

  init(_ console: Console) {
    self.console = console
  }

  /// Whether the answer is yes; silence is no.
  func isAffirmed(_ text: String) throws(CommandFailure) -> Bool {
    console.message(Array("\(text.printable) [y/N] ".utf8))
    var lines = try InputLines(console)
    let answer = try lines.next() ?? ""
    return ["y", "yes"].contains(answer.lowercased())
  }
}

/// The lines of the standard input, one after the other.
struct InputLines {
  /// A longer line is no answer to anything.
  private static let longest = 1 << 20

  private let stream: any ByteStream
  private var rest: [UInt8] = []

  init(
    _ console: Console, isEnded: @escaping @Sendable () -> Bool = { false }
  ) throws(CommandFailure) {
    stream = try console.inputStream(isEnded)
  }

  /// The next line without its end; `nil` behind the last.
  mutating func next() throws(CommandFailure) -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      guard rest.count <= Self.longest else {
        throw .input("oversized-file", "standard input has a line of more than a megabyte")
      }
      let more = try stream.bytes(upTo: 1 << 12, all: false)
      guard !more.isEmpty else {
        defer { rest = [] }
        return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
      }
      rest += more
    }
  }
}
