/// The normalization of SentencePiece: replacement rules, white space and a space before the text.
struct SentencePieceNormalizer: Sendable {
  /// A normalized text, and the offset in the original text of each of its bytes and of its end.
  struct Result {
    var bytes: [UInt8] = []
    var offsets: [Int] = []
  }

  private static let maxReplacementBytes = 1 << 16

  private let rules: PrecompiledCharacterMap?
  private let userDefined: ByteTrie?
  /// The bytes that stay as they are before an ASCII character or the end.
  private let unchanged: [Bool]
  /// Whether no rule or piece begins with a space before a character of ASCII or the end.
  private let keepsSpaces: Bool
  private let addsPrefix: Bool
  private let addsSuffix: Bool
  private let removesExtraSpaces: Bool
  private let space: [UInt8]

  init(_ model: SentencePieceModel, userDefined: ByteTrie?) throws(TokenizerError) {
    rules =
      model.charsmap.isEmpty ? nil : try PrecompiledCharacterMap(model.bytes[model.charsmap])
    self.userDefined = userDefined
    let rules = rules
    unchanged = (UInt8.min...UInt8.max).map { byte in
      let isDefined = userDefined.map { $0.child(of: ByteTrie.root, byte) != ByteTrie.none }
      return byte < 0x80 && byte != UInt8(ascii: " ") && isDefined != true
        && rules?.leavesUnchanged(byte) != false
    }
    let spaceByte = UInt8(ascii: " ")
    let definesSpaces = userDefined.map {
      $0.child(of: ByteTrie.root, spaceByte) != ByteTrie.none
    }
    keepsSpaces = definesSpaces != true && rules?.leavesUnchanged(spaceByte) != false
    addsPrefix = model.addsDummyPrefix && !model.treatsSpaceAsSuffix
    addsSuffix = model.addsDummyPrefix && model.treatsSpaceAsSuffix
    removesExtraSpaces = model.removesExtraSpaces
    space = model.escapesSpaces ? SpaceMark.bytes : [UInt8(ascii: " ")]
  }

  /// The next characters of a text and their replacement.
  private struct Prefix {
    /// The bytes of the text, or of the rules if `isReplaced`.
    var source: Range<Int>
    let isReplaced: Bool
    let length: Int
  }

  private func prefix(at index: Int, in text: Span<UInt8>) -> Prefix {
    if let userDefined {
      let length = userDefined.longestMatch(at: index, in: text)
      if length > 0 {
        return Prefix(source: index..<index + length, isReplaced: false, length: length)
      }
    }
    if let (length, replacement) = rules?.match(at: index, in: text) {
      return Prefix(source: replacement, isReplaced: true, length: length)
    }
    let length = UTF8Text.length(after: text[index])
    return Prefix(source: index..<index + length, isReplaced: false, length: length)
  }

  @inline(__always)
  private func byte(_ index: Int, of prefix: Prefix, in text: Span<UInt8>) -> UInt8 {
    if prefix.isReplaced, let rules { rules.byte(index) } else { text[index] }
  }

  /// Returns the normalization of a valid text.
  ///
  /// - Throws: ``TokenizerError`` if the rules make the text enormous.
  func normalize(_ text: Span<UInt8>) throws(TokenizerError) -> Result {
    var result = Result()
    var index = 0
    while removesExtraSpaces, index < text.count {
      let prefix = prefix(at: index, in: text)
      guard prefix.source.count == 1,
        byte(prefix.source.lowerBound, of: prefix, in: text) == UInt8(ascii: " ")
      else { break }
      index += prefix.length
    }
    guard index < text.count else {
      result.offsets = [index]
      return result
    }
    result.bytes.reserveCapacity(text.count + text.count / 2 + 3)
    result.offsets.reserveCapacity(text.count + text.count / 2 + 4)
    if addsPrefix { appendSpace(at: index, to: &result) }
    let maxCount = min(32 * text.count + Self.maxReplacementBytes, UTF8Text.maxBytes)
    var isAfterSpace = removesExtraSpaces
    while index < text.count {
      if unchanged[Int(text[index])], index + 1 == text.count || text[index + 1] < 0x80 {
        result.bytes.append(text[index])
        result.offsets.append(index)
        index += 1
        isAfterSpace = false
        continue
      }
      if keepsSpaces, text[index] == UInt8(ascii: " "),
        index + 1 == text.count || text[index + 1] < 0x80
      {
        if !isAfterSpace { appendSpace(at: index, to: &result) }
        isAfterSpace = removesExtraSpaces
        index += 1
        continue
      }
      let prefix = prefix(at: index, in: text)
      var isEmpty = true
      var last: UInt8 = 0
      for place in prefix.source {
        last = byte(place, of: prefix, in: text)
        if last == UInt8(ascii: " ") {
          if isAfterSpace, isEmpty { continue }
          appendSpace(at: index, to: &result)
        } else {
          result.bytes.append(last)
          result.offsets.append(index)
        }
        isEmpty = false
      }
      if !isEmpty { isAfterSpace = last == UInt8(ascii: " ") }
      if !removesExtraSpaces { isAfterSpace = false }
      index += prefix.length
      guard result.bytes.count <= maxCount else {
        throw TokenizerError(.unsuitableText(message: "its normalization is too long"))
      }
    }
    if removesExtraSpaces { removeTrailingSpaces(&result, &index) }
    if addsSuffix { appendSpace(at: index, to: &result) }
    result.offsets.append(index)
    return result
  }

  private func appendSpace(at offset: Int, to result: inout Result) {
    for byte in space {
      result.bytes.append(byte)
      result.offsets.append(offset)
    }
  }

  private func removeTrailingSpaces(_ result: inout Result, _ end: inout Int) {
    while result.bytes.count >= space.count, result.bytes.suffix(space.count) == space[...] {
      end = result.offsets[result.offsets.count - space.count]
      result.bytes.removeLast(space.count)
      result.offsets.removeLast(space.count)
    }
  }
}
