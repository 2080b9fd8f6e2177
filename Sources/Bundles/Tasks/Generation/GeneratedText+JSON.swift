#if Everything
  package import TensorIOGeneration
  package import TensorIOJSON

  extension JSONWriter {
    /// Writes what is known about a text.
    package mutating func members(of text: GeneratedText) {
      member("text", text.text)
      member("end", text.end.rawValue)
      member("prompt_tokens", text.promptTokenCount)
      member("cached_tokens", text.reusedTokenCount)
      key("tokens")
      numbers(text.tokens)
      member("prompt_seconds", text.promptDuration / .seconds(1))
      member("seconds", text.duration / .seconds(1))
    }
  }
#endif
