#if Everything
  /// The conversion of phonemes from one alphabet to another.
  struct PhonemeLetters {
    private let table: [[Unicode.Scalar]: String]
    private let longest: Int

    private init(_ table: KeyValuePairs<String, String>) {
      self.table = Dictionary(
        table.map { (Array($0.key.unicodeScalars), $0.value) }, uniquingKeysWith: { $1 })
      longest = self.table.keys.map(\.count).max() ?? 0
    }

    /// Returns phonemes in the other alphabet; the longest sequence that the table has counts.
    func converted(_ phonemes: String) -> String {
      let scalars = Array(phonemes.unicodeScalars)
      var result = String.UnicodeScalarView()
      var index = 0
      while index < scalars.count {
        let length = (1...longest).reversed().first { length in
          index + length <= scalars.count && table[Array(scalars[index..<index + length])] != nil
        }
        if let length {
          result += (table[Array(scalars[index..<index + length])] ?? "").unicodeScalars
        } else {
          result.append(scalars[index])
        }
        index += length ?? 1
      }
      return String(result)
    }

    /// From the letters of Kokoro, which has one for each diphthong, to those of `espeak-ng`.
    static let toESpeak = PhonemeLetters([
      "A": "eɪ", "I": "aɪ", "W": "aʊ", "Y": "ɔɪ", "O": "oʊ", "ʤ": "dʒ", "ʧ": "tʃ", "ᵊ": "ə",
      "T": "ɾ", "ɜɹ": "ɜː", "əɹ": "ɚ", "i": "iː", "u": "uː", "ɑ": "ɑː", "ɔ": "ɔː",
    ])
    /// From the letters of `espeak-ng` to those of Kokoro.
    static let toKokoro = PhonemeLetters([
      "eɪ": "A", "aɪ": "I", "aʊ": "W", "ɔɪ": "Y", "oʊ": "O", "dʒ": "ʤ", "tʃ": "ʧ", "ɚ": "əɹ",
      "ɜː": "ɜɹ", "ɐ": "ə", "ː": "", "r": "ɹ", "x": "k", "ʲ": "", "\u{0329}": "", "əl": "ᵊl",
    ])
  }
#endif
