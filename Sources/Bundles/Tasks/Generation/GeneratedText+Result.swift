#if Everything
  public import TensorIOGeneration

  extension GeneratedText: TaskResult {
    static let outputName = "text"

    /// The name of the text among the outputs.
    public var key: String { Self.outputName }

    /// The text.
    public var content: String { text }

    /// The lines of the text.
    public var textLines: [String] {
      ["  \(key)"]
        + text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
    }

    /// The text in one line.
    public var summary: String { text.split(whereSeparator: \.isNewline).joined(separator: " ") }
  }
#endif
