#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON

  /// The phonemes of English words, in the letters of Kokoro, from files such as those of the package misaki.
  struct Lexicon: Sendable {
    private let tables: [[String: String]]

    /// The maximum size of a file.
    private static let maxBytes = 32 << 20

    /// Reads the files, the first of which that has a word counts.
    ///
    /// - Throws: A ``ModelError`` if a file is no JSON object of texts, or of objects with the text `DEFAULT`.
    init(_ files: [String], of bundle: ModelBundle) throws(ModelError) {
      tables = try files.map { (file) throws(ModelError) in
        let bytes = try bundle.bytes(ofAsset: file, limit: Self.maxBytes)
        do throws(JSONError) {
          return try Self.table(bytes)
        } catch {
          throw ModelError(
            .bundle, .unreadableFile("assets/\(file)", detail: "\(error)"), file: bundle.path)
        }
      }
    }

    /// Creates a lexicon of tables.
    init(_ tables: [[String: String]]) { self.tables = tables }

    private static func table(_ bytes: [UInt8]) throws(JSONError) -> [String: String] {
      let root = try JSONDocument(parsing: bytes, limits: JSONLimits(bytes: maxBytes)).root
      var table: [String: String] = [:]
      for member in root.members.map(Array.init) ?? [] {
        table[member.name] = member.value.string ?? member.value["DEFAULT"]?.string
      }
      return table
    }

    /// Small words as they are in sentences.
    private static let weakForms = [
      "a": "ɐ", "the": "ðə", "an": "ən", "to": "tʊ", "of": "ʌv", "and": "ænd", "in": "ɪn",
      "is": "ɪz", "at": "æt", "it": "ɪt", "for": "fɔɹ", "from": "fɹʌm", "on": "ɔn", "as": "æz",
    ]
    private static let abbreviations = [
      "mr": "mister", "mrs": "missus", "ms": "miz", "dr": "doctor", "st": "saint", "vs": "versus",
    ]
    private static let endings = [
      ("'s", "z"), ("s", "z"), ("es", "ᵻz"), ("ed", "d"), ("ing", "ɪŋ"), ("ly", "li"),
    ]
    /// The length from which a word is not looked up without its endings.
    private static let maxLength = 64

    /// Returns the phonemes of a clause; unknown words are spelled.
    func phonemes(of text: String) -> String {
      Self.words(in: text).map { word in
        phonemes(ofWord: word)
          ?? word.uppercased().map { phonemes(ofWord: String($0)) ?? "" }.joined(separator: " ")
      }.joined(separator: " ")
    }

    /// Returns the words of a text, with numbers as words.
    private static func words(in text: String) -> [String] {
      var words: [String] = []
      var word = ""
      var hasApostrophe = false
      func end() {
        if word.hasSuffix("'") { word.removeLast() }
        if word.first?.isNumber == true {
          words += EnglishNumbers.words(ofDigits: word)
        } else if !word.isEmpty {
          words.append(word)
        }
        (word, hasApostrophe) = ("", false)
      }
      for scalar in text.unicodeScalars {
        let letter = scalar == "’" ? "'" : scalar
        let isLetter = letter.isASCII && letter.properties.isAlphabetic
        let isDigit = ("0"..."9").contains(letter)
        let isOfNumber = word.first?.isNumber ?? isDigit
        if isLetter || isDigit, isDigit != isOfNumber { end() }
        // What follows an apostrophe has small letters.
        if isLetter, hasApostrophe, !letter.properties.isLowercase { end() }
        if isLetter || isDigit {
          word.unicodeScalars.append(letter)
        } else if letter == "'", !word.isEmpty, !isOfNumber, !hasApostrophe {
          word.append("'")
          hasApostrophe = true
        } else {
          end()
        }
      }
      end()
      return words
    }

    /// Returns the phonemes of a word; `nil` for an unknown one.
    func phonemes(ofWord given: String) -> String? {
      guard given.utf8.count <= Self.maxLength else { return nil }
      let word = Self.abbreviations[given.lowercased()] ?? given
      let lower = word.lowercased()
      if let weak = Self.weakForms[lower] { return weak }
      for table in tables {
        for form in [word, lower, lower.prefix(1).uppercased() + lower.dropFirst()] {
          if let phonemes = table[form] { return phonemes }
        }
      }
      for (ending, sounds) in Self.endings where lower.hasSuffix(ending) {
        guard lower.utf8.count > ending.utf8.count + 2 else { continue }
        let stem = String(lower.dropLast(ending.utf8.count))
        guard let found = phonemes(ofWord: stem) ?? phonemes(ofWord: stem + "e") else { continue }
        return found + Self.sounds(of: ending, after: found, otherwise: sounds)
      }
      return nil
    }

    private static func sounds(
      of ending: String, after stem: String, otherwise sounds: String
    ) -> String {
      guard let last = stem.unicodeScalars.last.map(String.init) else { return sounds }
      switch ending {
      case "s", "'s":
        return "ptkfθ".contains(last) ? "s" : "szʃʒʧʤ".contains(last) ? "ᵻz" : "z"
      case "ed": return "td".contains(last) ? "ᵻd" : "pkfθsʃʧ".contains(last) ? "t" : "d"
      default: return sounds
      }
    }
  }
#endif
