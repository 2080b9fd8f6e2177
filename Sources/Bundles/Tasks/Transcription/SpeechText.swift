#if Everything
  import TensorIOBundle
  import TensorIOGeneration
  import TensorIOSystem
  import TensorIOText

  /// The texts of a speech model's tokens.
  struct SpeechText: Sendable {
    private let tokenizer: any Tokenizer
    private let bytes: StreamingDetokenizer
    /// Tokens from this one on have no text.
    private let end: Int32

    /// Creates the texts of a vocabulary, of which the tokens before `end` have one.
    init(_ tokenizer: any Tokenizer, end: Int32) {
      (self.tokenizer, self.end) = (tokenizer, end)
      bytes = StreamingDetokenizer(tokenizer, continuesText: true)
    }

    /// A text without tokens.
    var empty: WrittenText { WrittenText(tokenizer) }

    /// Whether a token has a text.
    func isText(_ token: Int32) -> Bool { token < end }

    /// Returns the text of tokens, without those that have none.
    func text(of tokens: [Int32]) -> String {
      String(decoding: tokens.filter(isText).flatMap(bytes.bytes(of:)), as: UTF8.self)
    }

    /// Returns the tokens of a text, without those that tokenizers add.
    func tokens(of text: String) throws(ModelError) -> [Int32] {
      do throws(TokenizerError) {
        return try tokenizer.tokenize(text).map(\.id)
      } catch {
        throw ModelError(.input, .invalidValue(.init(error.description)))
      }
    }

    /// Divides tokens into words.
    ///
    /// A word begins with a space, or is punctuation; in languages without spaces, it is a character. A character of several
    /// tokens is not divided.
    func words(of tokens: [Int32], language: String) -> [(text: String, tokens: [Int32])] {
      let isSpaced = !Self.languagesWithoutSpaces.contains(language)
      var words: [(text: String, tokens: [Int32])] = []
      for piece in characters(of: tokens) {
        let isNew =
          !isSpaced || piece.text.hasPrefix(" ") || Self.isPunctuation(piece.text.trimmed)
        if isNew || words.isEmpty {
          words.append(piece)
        } else {
          words[words.count - 1].text += piece.text
          words[words.count - 1].tokens += piece.tokens
        }
      }
      return words
    }

    /// Returns the shortest sequences of tokens whose texts are complete characters.
    private func characters(of tokens: [Int32]) -> [(text: String, tokens: [Int32])] {
      var pieces: [(text: String, tokens: [Int32])] = []
      var current: (bytes: [UInt8], tokens: [Int32]) = ([], [])
      for token in tokens {
        current.bytes += bytes.bytes(of: token)
        current.tokens.append(token)
        // A text that is invalid whatever follows ends as well.
        guard !current.bytes.endsWithinCharacter else { continue }
        pieces.append((String(decoding: current.bytes, as: UTF8.self), current.tokens))
        current = ([], [])
      }
      if !current.tokens.isEmpty {
        pieces.append((String(decoding: current.bytes, as: UTF8.self), current.tokens))
      }
      return pieces
    }

    private static let languagesWithoutSpaces: Set = ["zh", "ja", "th", "lo", "my", "yue"]

    /// Whether a text is a character of ASCII that is neither a letter, a digit nor a space.
    private static func isPunctuation(_ text: String) -> Bool {
      guard text.utf8.count == 1, let byte = text.utf8.first else { return text.isEmpty }
      return (33...47).contains(byte) || (58...64).contains(byte) || (91...96).contains(byte)
        || (123...126).contains(byte)
    }
  }

  extension [UInt8] {
    /// Whether UTF-8 ends before the last byte of a character.
    fileprivate var endsWithinCharacter: Bool {
      guard let start = lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return false }
      let length =
        switch self[start] {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
      return count - start < length
    }
  }
#endif
