import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Prints a transcript while its sound arrives.
struct LiveTranscript {
  /// How what is not final is shown.
  enum Form {
    /// Not at all.
    case none
    /// In the last line of the terminal, which is replaced.
    case line
    /// As lines of JSON, in which final segments are as well.
    case json
  }

  let console: Console
  let form: Form
  private var hasLine = false

  /// The width of the last line of a terminal whose width is unknown.
  private static let usualWidth = 80

  init(_ console: Console, _ form: Form) { (self.console, self.form) = (console, form) }

  /// Transcribes sound until it ends, and prints it.
  ///
  /// - Returns: The transcript.
  mutating func print(
    _ sound: LiveSound, by live: LiveTranscription
  ) throws(OperationError) -> Transcript {
    defer { sound.stop() }
    while let samples = try sound.next() {
      live.append(samples)
      let update = try OperationError.rethrowing { () throws(ModelError) in
        try live.update(writesPartialText: form != .none)
      }
      if let update { print(update) }
    }
    let count = live.segments.count
    let transcript = try OperationError.rethrowing { () throws(ModelError) in try live.finish() }
    clearLine()
    for segment in transcript.segments.dropFirst(count) { print(segment) }
    if form == .json {
      console.writeJSONObject(.compact) { writer in
        writer.member("type", "transcript")
        writer.member("text", transcript.text)
        writer.member("language", transcript.language)
        writer.member("duration", transcript.duration)
        // Speakers are known when all segments are.
        guard transcript.segments.contains(where: { $0.speaker != nil }) else { return }
        writer.strings("speakers", transcript.segments.map { $0.speaker ?? "" })
      }
    }
    return transcript
  }

  private mutating func print(_ update: LiveTranscription.Update) {
    clearLine()
    for segment in update.segments { print(segment) }
    let text = update.partialText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    switch form {
    case .none: break
    case .line:
      guard !text.isEmpty else { return }
      let width = (console.messageColumns ?? Self.usualWidth) - 1
      let shown = String(text.suffix(width)).sanitizedForTerminal
      console.rewriteProgressLine(shown)
      hasLine = true
    case .json:
      console.writeJSONObject(.compact) { writer in
        writer.member("type", "partial")
        writer.member("text", text)
        writer.member("duration", update.duration)
      }
    }
  }

  private func print(_ segment: Transcript.Segment) {
    guard form == .json else {
      console.writeText(segment.formatted)
      return
    }
    console.writeJSONObject(.compact) { writer in
      writer.member("type", "segment")
      writer.member("text", segment.text)
      writer.member("start", segment.start)
      writer.member("end", segment.end)
    }
  }

  private mutating func clearLine() {
    guard hasLine else { return }
    console.writeMessage(Array("\r\u{1B}[K".utf8))
    hasLine = false
  }
}

extension Transcript.Segment {
  /// The line of the segment in a transcript as text.
  var formatted: String {
    Transcript(text: text, language: "", duration: end, segments: [self]).formatted(as: .text)
  }
}
