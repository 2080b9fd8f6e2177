#if Everything
  import TensorIOBundle
  import TensorIOJSON
  import TensorIOSystem

  extension Transcript {
    /// A form in which a transcript is written.
    public enum Format: String, Sendable, CaseIterable {
      /// A line for each segment.
      case text
      /// Everything, as JSON.
      case json
      /// Subtitles of SubRip.
      case srt
      /// Subtitles of the web.
      case vtt
      /// A table with the times in milliseconds, separated by tabs.
      case tsv
    }

    /// Returns the transcript in a form.
    ///
    /// - Parameter format: The form.
    /// - Returns: The text of a file.
    public func formatted(as format: Format) -> String {
      let lines = segments.filter { !$0.line.isEmpty }
      switch format {
      case .text: return lines.map { $0.spokenLine + "\n" }.joined()
      case .json:
        var writer = JSONWriter()
        column.entryWriter(0, &writer)
        return writer.string + "\n"
      case .srt:
        return lines.enumerated().map { index, segment in
          let (start, end) = (Clock(segment.start), Clock(segment.end))
          return
            "\(index + 1)\n\(start.text(",")) --> \(end.text(","))\n\(segment.prefix)\(segment.cue)\n\n"
        }.joined()
      case .vtt:
        return "WEBVTT\n\n"
          + lines.map { segment in
            let (start, end) = (Clock(segment.start), Clock(segment.end))
            return "\(start.text(".")) --> \(end.text("."))\n\(segment.voice)\(segment.cue)\n\n"
          }.joined()
      case .tsv:
        return "start\tend\ttext\n"
          + lines.map { segment in
            let (start, end) = (Clock(segment.start), Clock(segment.end))
            let text = String(segment.spokenLine.map { $0 == "\t" ? " " : $0 })
            return "\(start.milliseconds)\t\(end.milliseconds)\t\(text)\n"
          }.joined()
      }
    }
  }

  extension Transcript.Segment {
    /// The text without spaces at its ends.
    var line: String { text.trimmed }

    /// The text after the name of the speaker.
    var spokenLine: String { prefix + line }

    /// The name of the speaker before a text; empty without one.
    fileprivate var prefix: String { speaker.map { $0 + ": " } ?? "" }

    /// The name of the speaker as subtitles of the web have it.
    fileprivate var voice: String { speaker.map { "<v \($0)>" } ?? "" }

    /// The text of a subtitle, in which an arrow would separate times.
    fileprivate var cue: String {
      var parts: [String] = []
      var rest = line[...]
      while let range = rest.firstRange(of: "-->") {
        parts.append(String(rest[..<range.lowerBound]))
        rest = rest[range.upperBound...]
      }
      return (parts + [String(rest)]).joined(separator: "->")
    }
  }

  extension Substring {
    /// Returns where a text occurs first; `nil` if it does not.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
      var start = startIndex
      while start < endIndex {
        if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
        start = index(after: start)
      }
      return nil
    }
  }

  /// A time of subtitles.
  private struct Clock {
    let milliseconds: Int

    init(_ seconds: Double) {
      milliseconds = Int(min(max(seconds, 0) * 1000, 1e15).rounded(.toNearestOrEven))
    }

    /// Returns hours, minutes and seconds, with milliseconds after a separator.
    func text(_ separator: String) -> String {
      let (minutes, rest) = milliseconds.quotientAndRemainder(dividingBy: 60_000)
      let parts = [minutes / 60, minutes % 60, rest / 1000].map { Self.padded($0, 2) }
      return parts.joined(separator: ":") + separator + Self.padded(rest % 1000, 3)
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
  }
#endif
