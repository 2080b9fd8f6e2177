import TensorIOSystem

/// Says how much of a download has come: on a terminal in one line that changes, else in a line now
/// and then.
struct DownloadProgress {
  /// The file that the server's headers are written into.
  private let headersPath: String
  private let console: Console
  private var nextReport: ContinuousClock.Instant
  private var hasReported = false

  init(headersPath: String, _ console: Console) {
    (self.headersPath, self.console) = (headersPath, console)
    nextReport = .now + Self.interval(console)
  }

  private static func interval(_ console: Console) -> Duration {
    console.isMessageTerminal ? .milliseconds(200) : .seconds(5)
  }

  /// Notes how many bytes have come.
  mutating func advance(to count: Int) {
    guard !console.isQuiet, ContinuousClock.now >= nextReport else { return }
    nextReport = .now + Self.interval(console)
    hasReported = true
    let whole = contentLength.map { " of \($0.megabytes)" } ?? ""
    let text = "\(count.megabytes)\(whole) MB have come"
    console.writeMessage(
      Array((console.isMessageTerminal ? "\(text)\u{1B}[K\r" : text + "\n").utf8))
  }

  /// Clears the line.
  func finish() {
    if hasReported, console.isMessageTerminal { console.writeMessage(Array("\r\u{1B}[K".utf8)) }
  }

  /// How many bytes the server says there are, behind all redirections.
  private var contentLength: Int? {
    guard let bytes = try? FileBytes.contents(of: headersPath, limit: 1 << 20) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    let field = "content-length:"
    return lines.last { $0.lowercased().hasPrefix(field) }
      .flatMap { Int(String($0.dropFirst(field.count)).filter { !$0.isWhitespace }) }
  }
}
