#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOSystem

  extension Speech: TaskResult, ResultRecord {
    /// The members of the JSON.
    public static let members = [
      Member("rate", \.sampleRate), Member("seconds", \.duration), Member("sentences", \.sentences),
    ]

    /// The name of the result.
    public var key: String { SpeechTask.format.names[0] }

    /// The lines of the sentences.
    public var textLines: [String] {
      ["  \(key)"]
        + sentences.map { sentence in
          let times = [sentence.start, sentence.end].map { $0.formatted(decimals: 2) }
          return "    \(times[0]) – \(times[1])  \(sentence.text)"
        }
    }

    /// A row for each sentence.
    public var tableRows: [ResultRow] {
      sentences.enumerated().map { index, sentence in
        ResultRow(output: key, index: "\(index)", label: "", value: sentence.text)
      }
    }

    /// The length in one line.
    public var summary: String { "\(duration.formatted(decimals: 2)) s of sound" }

    /// Symbols that were left out.
    public var notes: [String] {
      guard !missingSymbols.isEmpty else { return [] }
      let symbols = missingSymbols.map { "'\($0)'" }.joined(separator: ", ")
      return ["the voice has no sound for \(symbols)"]
    }
  }

  extension Speech.Sentence: ResultRecord {
    /// The members of the JSON.
    public static let members = [
      Member("text", \.text), Member("phonemes", \.phonemes), Member("start", \.start),
      Member("end", \.end),
    ]
  }
#endif
