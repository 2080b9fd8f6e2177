/// Whole characters from bytes that arrive in pieces.
struct UTF8Assembler: Sendable {
  private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

  /// Whether each byte that is part of no character becomes U+FFFD, and not each longest beginning of a character.
  let replacesEachByte: Bool
  /// The beginning of a character.
  private var held: [UInt8] = []

  init(replacesEachByte: Bool) { self.replacesEachByte = replacesEachByte }

  /// Adds bytes, and returns the characters that are complete.
  mutating func append(_ bytes: [UInt8]) -> [UInt8] { characters(of: held + bytes, isLast: false) }

  /// Returns what replaces the beginning of a character that is not completed.
  mutating func finish() -> [UInt8] { characters(of: held, isLast: true) }

  private mutating func characters(of bytes: [UInt8], isLast: Bool) -> [UInt8] {
    held = []
    let span = bytes.span
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let (length, isWhole) = UTF8Text.beginning(at: index, in: span)
      if isWhole {
        result += bytes[index..<index + length]
      } else if !isLast, index + length == bytes.count, length > 0 {
        held = Array(bytes[index...])
        return result
      } else {
        for _ in 0..<(replacesEachByte ? max(length, 1) : 1) { result += Self.replacement }
      }
      index += max(length, 1)
    }
    return result
  }
}
