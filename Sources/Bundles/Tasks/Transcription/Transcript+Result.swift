#if Everything
  import TensorIOCore
  import TensorIOSystem

  extension Transcript: TaskResult, ResultRecord {
    static let outputName = "transcript"

    /// The members of the JSON.
    public static let members = [
      Member("text", \.text), Member("language", \.language), Member("duration", \.duration),
      Member("segments", \.segments),
    ]

    /// The name of the result.
    public var key: String { Self.outputName }

    /// The lines of the text.
    public var textLines: [String] {
      let lines = segments.filter { !$0.line.isEmpty }.map { segment in
        let times = [segment.start, segment.end].map { $0.formatted(decimals: 2) }
        return "    \(times[0]) – \(times[1])  \(segment.spokenLine)"
      }
      return ["  \(key)"] + (lines.isEmpty ? ["    no speech"] : lines)
    }

    /// A row for each segment.
    public var tableRows: [ResultRow] {
      segments.enumerated().map { index, segment in
        ResultRow(output: key, index: "\(index)", label: segment.speaker ?? "", value: segment.line)
      }
    }

    /// The text in one line.
    public var summary: String { text.trimmed }
  }

  extension Transcript.Segment: ResultRecord {
    /// The members of the JSON.
    public static let members = [
      Member("start", \.start), Member("end", \.end), Member("text", \.text),
      Member("words") { $0.words.isEmpty ? nil : $0.words },
      Member("tokens") { $0.tokens.map(Int.init) },
      Member("avg_logprob", \.averageLogProbability),
      Member("no_speech_prob", \.silenceProbability),
      Member("compression_ratio", \.compressionRatio), Member("temperature", \.temperature),
      Member("seek", \.seek), Member("speaker", \.speaker),
    ]
  }

  extension Transcript.Word: ResultRecord {
    /// The members of the JSON.
    public static let members = [
      Member("word", \.text), Member("start", \.start), Member("end", \.end),
      Member("probability", \.probability),
    ]
  }
#endif
