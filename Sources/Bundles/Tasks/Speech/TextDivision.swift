#if Everything
  /// The division of texts into sentences, and of sentences into clauses.
  ///
  /// Voices are trained on single sentences with their marks.
  enum TextDivision {
    /// A part of a sentence with the mark that ends it.
    struct Clause: Equatable {
      var text: String
      var mark: Unicode.Scalar
    }

    private typealias Scalars = [Unicode.Scalar]

    /// The length from which a sentence is divided at a clause or a space.
    static let maxLength = 600

    private static let abbreviations: Set = [
      "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "no", "inc", "jr", "sr",
    ]
    private static let ends = Set<Unicode.Scalar>([".", "!", "?", "…"])
    private static let marks = Set<Unicode.Scalar>([",", ":", ";", ".", "!", "?", "…"])
    private static let closers = Set<Unicode.Scalar>(["\"", "'", "”", "’", ")", "]"])
    private static let openers = Set<Unicode.Scalar>(["(", "\"", "'", "“", "‘", "["])

    /// Divides a text after `.`, `!`, `?` and `…`, and at blank lines, but not after abbreviations and initials, and not before small
    /// letters.
    static func sentences(in text: String) -> [String] {
      paragraphs(in: text).flatMap { sentences(ofParagraph: $0) }
    }

    /// Returns what is between blank lines; line breaks and control characters are spaces.
    private static func paragraphs(in text: String) -> [Scalars] {
      var paragraphs: [Scalars] = []
      var paragraph: Scalars = []
      var isBlank = true
      for scalar in text.unicodeScalars {
        if scalar == "\n" || scalar == "\u{85}" || scalar == "\u{2028}" || scalar == "\u{2029}" {
          if isBlank {
            paragraphs.append(paragraph)
            paragraph = []
          }
          isBlank = true
        } else if !scalar.isSpace {
          isBlank = false
        }
        paragraph.append(scalar.isSpace ? " " : scalar)
      }
      return paragraphs + [paragraph]
    }

    private static func sentences(ofParagraph paragraph: Scalars) -> [String] {
      var sentences: [String] = []
      var (start, index) = (0, 0)
      func append(_ range: Range<Int>) {
        for part in divided(paragraph[range].trimmedSpaces) { sentences.append(part) }
      }
      while index < paragraph.count {
        guard ends.contains(paragraph[index]) else {
          index += 1
          continue
        }
        let first = index
        while index < paragraph.count, ends.contains(paragraph[index]) { index += 1 }
        while index < paragraph.count, closers.contains(paragraph[index]) { index += 1 }
        guard index == paragraph.count || paragraph[index] == " " else { continue }
        if paragraph[first] == ".", isAbbreviation(paragraph[start..<first]) { continue }
        let next = paragraph[index...].first { $0 != " " }
        if next?.properties.isLowercase == true { continue }
        append(start..<index)
        start = index
      }
      append(start..<paragraph.count)
      return sentences
    }

    /// Whether the last word is an abbreviation or an initial.
    private static func isAbbreviation(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
      let end = text.lastIndex { $0 != " " }.map { $0 + 1 } ?? text.startIndex
      // No abbreviation has more letters.
      let word = text[..<end].suffix(16)
      let begin = word.lastIndex(of: " ").map { $0 + 1 } ?? word.startIndex
      let last = String(String.UnicodeScalarView(word[begin...].drop(while: openers.contains)))
        .lowercased()
      return abbreviations.contains(last)
        || last.utf8.count == 1 && last.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }

    /// Divides a long sentence after clauses, or else after spaces.
    private static func divided(_ sentence: ArraySlice<Unicode.Scalar>) -> [String] {
      var parts: [String] = []
      var rest = sentence
      while rest.count > maxLength {
        let head = rest.prefix(maxLength)
        let half = head.startIndex + maxLength / 2
        let mark = head[half...].indices.dropLast().last { index in
          marks.contains(head[index]) && head[index + 1] == " "
        }
        let cut = mark.map { $0 + 1 } ?? head[half...].lastIndex(of: " ") ?? head.endIndex
        parts.append(String(String.UnicodeScalarView(rest[..<cut].trimmedSpaces)))
        rest = rest[cut...].trimmedSpaces
      }
      if !rest.isEmpty { parts.append(String(String.UnicodeScalarView(rest))) }
      return parts
    }

    /// Divides a sentence at its marks; parts without letters or digits are left out.
    static func clauses(of sentence: String) -> [Clause] {
      let scalars = Array(sentence.unicodeScalars)
      let lastWord = scalars.lastIndex(where: \.isWordScalar) ?? -1
      var clauses: [Clause] = []
      var (start, index) = (0, 0)
      func append(_ range: Range<Int>, _ mark: Unicode.Scalar) {
        let part = scalars[range]
        guard part.contains(where: \.isWordScalar) else { return }
        clauses.append(Clause(text: String(String.UnicodeScalarView(part)), mark: mark))
      }
      while index < scalars.count {
        guard marks.contains(scalars[index]) else {
          index += 1
          continue
        }
        let first = index
        while index < scalars.count, marks.contains(scalars[index]) { index += 1 }
        let next = scalars[index...].first { !closers.contains($0) }
        guard next?.isSpace ?? true else { continue }
        // A full stop before other words ends an abbreviation.
        if index == first + 1, scalars[first] == ".", lastWord >= index { continue }
        append(start..<first, scalars[first] == "…" ? "." : scalars[first])
        start = index
      }
      append(start..<scalars.count, ".")
      return clauses
    }
  }

  extension Unicode.Scalar {
    /// Whether the scalar is white space or a control character.
    fileprivate var isSpace: Bool {
      properties.isWhitespace || properties.generalCategory == .control
    }

    /// Whether the scalar is a letter, a digit or `_`.
    fileprivate var isWordScalar: Bool {
      switch properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber:
        true
      default: self == "_"
      }
    }
  }

  extension ArraySlice<Unicode.Scalar> {
    /// The scalars without spaces at both ends.
    fileprivate var trimmedSpaces: ArraySlice {
      let end = lastIndex { $0 != " " }.map { $0 + 1 } ?? startIndex
      return self[..<end].drop { $0 == " " }
    }
  }
#endif
