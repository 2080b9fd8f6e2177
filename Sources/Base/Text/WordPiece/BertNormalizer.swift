/// The settings of BERT's text normalization.
package struct BertNormalization: Sendable, Hashable {
  /// Whether control characters are removed and white space becomes spaces.
  package var cleansText = true
  /// Whether each Chinese character is a word.
  package var separatesChineseCharacters = true
  /// Whether text is converted to lowercase.
  package var lowercases = true
  /// Whether accents are removed; `nil` means as `lowercases`.
  package var stripsAccents: Bool?

  /// Creates the settings of an uncased model.
  package init() {}

  /// The settings of a cased model.
  package static var cased: BertNormalization {
    var cased = BertNormalization()
    cased.lowercases = false
    return cased
  }
}

/// Normalizes text and splits it into words as BERT does: at white space, and around punctuation.
///
/// Categories of characters are those of the standard library's Unicode version.
struct BertNormalizer: Sendable {
  private let settings: BertNormalization
  private let stripsAccents: Bool
  /// The scalars of these classes take the slow path.
  private let specialClasses: ScalarClass
  /// The byte of each ASCII letter and digit after normalization; 0 for other characters.
  private let asciiWordBytes: [UInt8]
  /// Whether each ASCII character ends a word.
  private let endsASCIIWord: [Bool]
  /// The byte of each ASCII character after normalization.
  let asciiBytes: [UInt8]

  /// A combining mark that waits for its place in canonical order.
  private struct Mark {
    let scalar: UInt32
    let combiningClass: UInt8
    let origin: Range<Int>
  }

  init(_ settings: BertNormalization) {
    self.settings = settings
    stripsAccents = settings.stripsAccents ?? settings.lowercases
    var special: ScalarClass = [.space, .punctuation]
    if settings.cleansText { special.insert(.removable) }
    if settings.separatesChineseCharacters { special.insert(.chinese) }
    if settings.lowercases { special.insert(.changesWhenLowercased) }
    if stripsAccents { special.formUnion([.decomposes, .nonspacingMark, .combining]) }
    specialClasses = special
    asciiWordBytes = (0..<UInt8(128)).map { byte in
      let letter = (byte | 0x20) &- UInt8(ascii: "a") < 26
      if letter { return settings.lowercases ? byte | 0x20 : byte }
      return byte &- UInt8(ascii: "0") < 10 ? byte : 0
    }
    endsASCIIWord = (0..<UInt32(128)).map { scalar in
      let kind = ScalarClass(of: scalar)
      if settings.cleansText, kind.contains(.removable) { return false }
      return !kind.isDisjoint(with: [.space, .punctuation])
    }
    let words = asciiWordBytes
    asciiBytes = (0..<UInt8(128)).map { words[Int($0)] == 0 ? $0 : words[Int($0)] }
  }

  /// Calls a function with each word of a valid text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - asciiBody: Receives the range of a word of ASCII letters and digits, or of one punctuation character.
  ///   - body: Receives any other word.
  @inline(__always)
  func forEachWord(
    in text: Span<UInt8>, asciiBody: (Range<Int>) -> Void, _ body: (NormalizedWord) -> Void
  ) {
    var word = NormalizedWord()
    var marks: [Mark] = []
    var index = 0
    let asciiWordBytes = asciiWordBytes.span
    let endsASCIIWord = endsASCIIWord.span
    let table = ScalarClass.table
    while index < text.count {
      let byte = text[index]
      if byte < 0x80, word.isEmpty, marks.isEmpty {
        var end = index
        while end < text.count, text[end] < 0x80, asciiWordBytes[Int(text[end])] != 0 { end += 1 }
        if end > index {
          if end == text.count || text[end] < 0x80 && endsASCIIWord[Int(text[end])] {
            asciiBody(index..<end)
            index = end
            continue
          }
        } else if endsASCIIWord[Int(byte)] {
          let isSpace = byte == UInt8(ascii: " ") || byte < 0x20
          if !isSpace { asciiBody(index..<index + 1) }
          index += 1
          continue
        }
      }
      if byte < 0x80, asciiWordBytes[Int(byte)] != 0 {
        if !marks.isEmpty { Self.flush(&marks, into: &word) }
        word.append(ascii: asciiWordBytes[Int(byte)], at: index)
        index += 1
        continue
      }
      let (scalar, length) = UTF8Text.scalar(at: index, in: text)
      let range = index..<index + length
      index += length
      let kind = ScalarClass(of: scalar, in: table)
      if kind.isDisjoint(with: specialClasses) {
        if !marks.isEmpty { Self.flush(&marks, into: &word) }
        word.append(scalar, from: range)
      } else if settings.cleansText, kind.contains(.removable) {
        continue
      } else if kind.contains(.space) {
        end(&word, &marks, body)
      } else {
        addSpecial(scalar, kind, range, &word, &marks, body)
      }
    }
    end(&word, &marks, body)
  }

  private func end(
    _ word: inout NormalizedWord, _ marks: inout [Mark], _ body: (NormalizedWord) -> Void
  ) {
    if !marks.isEmpty { Self.flush(&marks, into: &word) }
    if !word.isEmpty { body(word) }
    word.removeAll()
  }

  /// Adds a scalar that changes or ends a word.
  private func addSpecial(
    _ scalar: UInt32, _ kind: ScalarClass, _ range: Range<Int>, _ word: inout NormalizedWord,
    _ marks: inout [Mark], _ body: (NormalizedWord) -> Void
  ) {
    let isSeparate = settings.separatesChineseCharacters && kind.contains(.chinese)
    if isSeparate { end(&word, &marks, body) }
    guard stripsAccents else {
      addLowercased(scalar, range, &word, &marks, body)
      if isSeparate { end(&word, &marks, body) }
      return
    }
    var parts: [UInt32] = []
    CanonicalDecomposition.shared.forEach(of: scalar) { parts.append($0) }
    for part in parts {
      let kind = ScalarClass(of: part)
      if kind.contains(.nonspacingMark) { continue }
      if kind.contains(.combining), let mark = Unicode.Scalar(part) {
        let combiningClass = mark.properties.canonicalCombiningClass.rawValue
        // Marks of one sequence are sorted by class; equal classes keep their order.
        let place = marks.lastIndex { $0.combiningClass <= combiningClass }.map { $0 + 1 } ?? 0
        marks.insert(
          Mark(scalar: part, combiningClass: combiningClass, origin: range), at: place)
        if marks.count > 64 { Self.flush(&marks, into: &word) }
      } else {
        addLowercased(part, range, &word, &marks, body)
      }
    }
    if isSeparate { end(&word, &marks, body) }
  }

  private func addLowercased(
    _ scalar: UInt32, _ range: Range<Int>, _ word: inout NormalizedWord, _ marks: inout [Mark],
    _ body: (NormalizedWord) -> Void
  ) {
    guard settings.lowercases, let character = Unicode.Scalar(scalar),
      character.properties.changesWhenLowercased
    else {
      add(scalar, range, &word, &marks, body)
      return
    }
    for lower in character.properties.lowercaseMapping.unicodeScalars {
      add(lower.value, range, &word, &marks, body)
    }
  }

  private func add(
    _ scalar: UInt32, _ range: Range<Int>, _ word: inout NormalizedWord, _ marks: inout [Mark],
    _ body: (NormalizedWord) -> Void
  ) {
    let kind = ScalarClass(of: scalar)
    if kind.contains(.space) {
      end(&word, &marks, body)
    } else if kind.contains(.punctuation) {
      end(&word, &marks, body)
      word.append(scalar, from: range)
      end(&word, &marks, body)
    } else {
      if !marks.isEmpty { Self.flush(&marks, into: &word) }
      word.append(scalar, from: range)
    }
  }

  private static func flush(_ marks: inout [Mark], into word: inout NormalizedWord) {
    for mark in marks { word.append(mark.scalar, from: mark.origin) }
    marks.removeAll(keepingCapacity: true)
  }
}
