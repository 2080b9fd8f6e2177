/// The text of tokens that are added one at a time.
///
/// A part of the text is given out as soon as no later token can change it, and never ends within a character. All parts together
/// are the text that ``Tokenizer/decode(_:skippingSpecialTokens:)`` returns for all tokens. They differ only where the bytes of
/// `<0xE6>`-like tokens are not UTF-8: there, the characters before the invalid bytes are in the stream, while decoding at once
/// replaces the bytes of all adjacent tokens of this kind. Invalid bytes become U+FFFD.
///
/// ```swift
/// var detokenizer = StreamingDetokenizer(tokenizer, continuesText: true)
/// for await id in ids { print(detokenizer.append(id), terminator: "") }
/// print(detokenizer.finish())
/// ```
package struct StreamingDetokenizer: Sendable {
  /// A step, and what it needs to know of the tokens before.
  private struct Step {
    var decoding: TokenDecoding
    /// Whether the tokens are pieces of one token.
    let isJoined: Bool
    var isFirst: Bool
    /// The number of characters that may still be removed from the beginning of the text.
    var strippable = 0
    /// A token, or its pieces, that is decoded later.
    var held: [UInt8]?
    var assembler = UTF8Assembler(replacesEachByte: false)
  }

  private let tokenizer: any Tokenizer
  private let skipsSpecialTokens: Bool
  /// Whether characters of tokens of bytes are given out before a token of another kind follows.
  private let isEager: Bool
  private var steps: [Step] = []
  private var output: [UInt8] = []

  /// Creates the beginning of a text.
  ///
  /// - Parameters:
  ///   - tokenizer: The tokenizer of the tokens.
  ///   - skippingSpecialTokens: Whether special tokens have no text.
  ///   - continuesText: Whether other text is before the tokens, as before those that a model generates. If so, a space before the
  ///     first word is part of the text.
  package init(
    _ tokenizer: any Tokenizer, skippingSpecialTokens: Bool = true, continuesText: Bool = false
  ) {
    self.init(tokenizer, skippingSpecialTokens, continuesText: continuesText, isEager: true)
  }

  init(
    _ tokenizer: any Tokenizer, _ skipsSpecialTokens: Bool, continuesText: Bool, isEager: Bool
  ) {
    self.tokenizer = tokenizer
    self.skipsSpecialTokens = skipsSpecialTokens
    self.isEager = isEager
    var isJoined = false
    for decoding in tokenizer.decodings {
      var step = Step(decoding: decoding, isJoined: isJoined, isFirst: !continuesText)
      switch decoding {
      case .stripped(let character, let start, let stop) where isJoined:
        if continuesText {
          step.decoding = .stripped(character, start: 0, stop: stop)
        } else {
          step.strippable = start
        }
      case .byteFallback: step.assembler = UTF8Assembler(replacesEachByte: true)
      case .joined, .utf8: isJoined = true
      default: break
      }
      steps.append(step)
    }
  }

  /// Adds a token, and returns the text that is certain now; an id without a token has none.
  package mutating func append(_ id: Int32) -> String {
    guard !(skipsSpecialTokens && tokenizer.isSpecial(id)),
      let token = tokenizer.bytesToDecode(of: id)
    else { return "" }
    push(Array(token), at: 0)
    return takeOutput()
  }

  /// Returns the bytes of a token that is alone, which need not be whole characters.
  package func bytes(of id: Int32) -> [UInt8] {
    guard let token = tokenizer.bytesToDecode(of: id) else { return [] }
    return steps.reduce(Array(token)) { bytes, step in
      step.decoding.decode(bytes, isFirst: step.isFirst, isLast: false)
    }
  }

  /// Returns the rest of the text, after the last token.
  package mutating func finish() -> String {
    for index in steps.indices { end(index) }
    return takeOutput()
  }

  private mutating func takeOutput() -> String {
    defer { output.removeAll(keepingCapacity: true) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Passes a token to a step, or adds it to the output after the last one.
  private mutating func push(_ token: [UInt8], at index: Int) {
    guard index < steps.count else {
      output += token
      return
    }
    switch steps[index].decoding {
    case .joined: push(token, at: index + 1)
    case .stripped(let character, _, stop: 0) where steps[index].isJoined:
      push(strip(token, character, at: index), at: index + 1)
    case _ where steps[index].isJoined:
      // Other steps after the tokens were joined need all of the text.
      steps[index].held = (steps[index].held ?? []) + token
    case .wordEnds:
      // The last token is decoded in another way.
      if let last = steps[index].held { decode(last, at: index, isLast: false) }
      steps[index].held = token
    case .byteFallback:
      guard let byte = TokenDecoding.byte(of: token) else {
        endBytes(at: index)
        push(token, at: index + 1)
        return
      }
      if isEager {
        let characters = steps[index].assembler.append([byte])
        if !characters.isEmpty { push(characters, at: index + 1) }
      } else {
        steps[index].held = (steps[index].held ?? []) + [byte]
      }
    case .utf8:
      let bytes = steps[index].decoding.decode(token, isFirst: false, isLast: false)
      push(steps[index].assembler.append(bytes), at: index + 1)
    default: decode(token, at: index, isLast: false)
    }
  }

  private mutating func decode(_ token: [UInt8], at index: Int, isLast: Bool) {
    let decoded = steps[index].decoding.decode(
      token, isFirst: steps[index].isFirst, isLast: isLast)
    steps[index].isFirst = false
    push(decoded, at: index + 1)
  }

  /// Returns a piece of the text without the characters that are removed from the beginning.
  private mutating func strip(
    _ piece: [UInt8], _ character: Unicode.Scalar, at index: Int
  ) -> [UInt8] {
    let scalar = Array(String(Character(character)).utf8)
    var rest = piece[...]
    while steps[index].strippable > 0, !rest.isEmpty {
      guard rest.starts(with: scalar) else {
        steps[index].strippable = 0
        break
      }
      rest = rest.dropFirst(scalar.count)
      steps[index].strippable -= 1
    }
    return Array(rest)
  }

  /// Passes what a step holds to the next one.
  private mutating func end(_ index: Int) {
    switch steps[index].decoding {
    case .byteFallback where !steps[index].isJoined: endBytes(at: index)
    case .utf8 where !steps[index].isJoined:
      let rest = steps[index].assembler.finish()
      if !rest.isEmpty { push(rest, at: index + 1) }
    default:
      if let held = steps[index].held.take() { decode(held, at: index, isLast: true) }
    }
  }

  /// Ends a run of tokens of bytes, which is text only as a whole.
  private mutating func endBytes(at index: Int) {
    if isEager {
      let rest = steps[index].assembler.finish()
      if !rest.isEmpty { push(rest, at: index + 1) }
      return
    }
    guard let bytes = steps[index].held.take() else { return }
    guard UTF8Text.firstInvalidOffset(in: bytes.span) != nil else {
      return push(bytes, at: index + 1)
    }
    // Each byte becomes U+FFFD.
    var assembler = UTF8Assembler(replacesEachByte: true)
    for _ in bytes { push(assembler.append([0xFF]), at: index + 1) }
  }
}

extension Tokenizer {
  /// Returns the bytes that a token adds to a text that other tokens begin, or `nil` for an id without a token.
  ///
  /// The bytes may begin or end within a character.
  ///
  /// - Parameters:
  ///   - id: The id of the token.
  ///   - skippingSpecialTokens: Whether special tokens have no bytes.
  /// - Returns: The bytes.
  package func bytes(of id: Int32, skippingSpecialTokens: Bool = true) -> [UInt8]? {
    guard let token = bytesToDecode(of: id) else { return nil }
    if skippingSpecialTokens, isSpecial(id) { return [] }
    var bytes = Array(token)
    var isJoined = false
    for decoding in decodings {
      switch decoding {
      case .joined: isJoined = true
      // Only the ends of the text are changed.
      case .stripped where isJoined: break
      default: bytes = decoding.decode(bytes, isFirst: false, isLast: false)
      }
    }
    return bytes
  }
}
