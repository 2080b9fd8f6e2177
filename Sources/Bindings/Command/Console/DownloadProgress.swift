import TensorIOSystem

/// Reports the progress of a download: in one updated line on a terminal, or in a line every few
/// seconds.
struct DownloadProgress {
  /// The file with the response headers.
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

  /// Reports the number of bytes received, at most once per interval.
  mutating func advance(to count: Int) {
    guard !console.isQuiet, ContinuousClock.now >= nextReport else { return }
    nextReport = .now + Self.interval(console)
    hasReported = true
    let total = contentLength.map { " of \($0.megabytes)" } ?? ""
    let text = "downloaded \(count.megabytes)\(total) MB"
    console.writeMessage(
      Array((console.isMessageTerminal ? "\(text)\u{1B}[K\r" : text + "\n").utf8))
  }

  /// Clears the progress line.
  func finish() {
    if hasReported, console.isMessageTerminal { console.writeMessage(Array("\r\u{1B}[K".utf8)) }
  }

  /// The `Content-Length` of the last response; earlier ones are redirections.
  private var contentLength: Int? {
    guard let bytes = try? FileBytes.contents(of: headersPath, limit: 1 << 20) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    let field = "content-length:"
    return lines.last { $0.lowercased().hasPrefix(field) }
      .flatMap { Int(String($0.dropFirst(field.count)).filter { !$0.isWhitespace }) }
  }
}
