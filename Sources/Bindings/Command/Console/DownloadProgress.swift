import TensorIOLibrary
import TensorIOSystem

/// Reports the progress of a download: in one updated line on a terminal, or in a line every few
/// seconds.
struct DownloadProgress {
  /// The file with the response headers.
  private let headersPath: String
  private let console: Console
  private var nextReport: ContinuousClock.Instant
  private var hasReported = false
  /// The number of bytes that an earlier attempt received.
  var start = 0

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
    let length = DownloadHeaders(headersPath)?.contentLength
    let total = length.map { " of \((start + $0).megabytes)" } ?? ""
    let text = "downloaded \(count.megabytes)\(total) MB"
    if console.isMessageTerminal {
      console.rewriteProgressLine(text)
    } else {
      console.writeMessage(Array("\(text)\n".utf8))
    }
  }

  /// Clears the progress line.
  func finish() {
    if hasReported, console.isMessageTerminal { console.writeMessage(Array("\r\u{1B}[K".utf8)) }
  }
}
