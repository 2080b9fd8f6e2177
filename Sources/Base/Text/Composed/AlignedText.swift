/// A text under normalization, and the bytes of the original text that each of its bytes comes from.
struct AlignedText: Sendable {
  /// A scalar of a changed text.
  struct Change {
    let scalar: UInt32
    /// 1 for an inserted scalar, 0 for one that replaces the next scalar of the text, -n for one that replaces the next
    /// scalar and n more.
    let removal: Int
    /// Bytes of characters that stay as they are, in place of the scalar; empty for a scalar.
    private(set) var kept = 0..<0

    init(scalar: UInt32, removal: Int) {
      (self.scalar, self.removal) = (scalar, removal)
    }

    /// Returns the change that keeps the characters in a range of the text.
    static func kept(_ range: Range<Int>) -> Change {
      var change = Change(scalar: 0, removal: 0)
      change.kept = range
      return change
    }
  }

  /// The bytes of the original text that a byte comes from.
  private struct Origin {
    let start: UInt32
    let end: UInt32

    init(_ start: Int, _ end: Int) {
      (self.start, self.end) = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
    }
  }

  /// The UTF-8 of the text.
  private(set) var bytes: [UInt8] = []
  /// The origin of each byte; empty if each character is its own origin.
  private var origins: [Origin] = []
  /// Whether each character is its own origin.
  private let isOriginal: Bool

  /// Creates an empty text.
  init() { isOriginal = false }

  /// Creates a text that is not changed yet.
  init(_ text: [UInt8]) {
    bytes = text
    isOriginal = true
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// Returns the bytes of the original text for a range of bytes.
  @inline(__always)
  func origin(of range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let start = Int(origin(at: range.lowerBound).start)
    return start..<max(start, Int(origin(at: range.upperBound - 1).end))
  }

  @inline(__always)
  private func origin(at index: Int) -> Origin {
    if !isOriginal { return origins[index] }
    if bytes[index] < 0x80 { return Origin(index, index + 1) }
    var start = index
    while bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return Origin(start, start + UTF8Text.length(after: bytes[start]))
  }

  /// Reserves memory for a number of bytes.
  mutating func reserveCapacity(_ count: Int) {
    bytes.reserveCapacity(count)
    origins.reserveCapacity(count)
  }

  /// Adds bytes of another text with their origins.
  mutating func append(_ range: Range<Int>, of other: AlignedText) {
    let source = other.bytes.span
    bytes.append(addingCapacity: range.count) { new in
      for index in range { new.append(source[index]) }
    }
    if other.isOriginal {
      for index in range { origins.append(other.origin(at: index)) }
    } else {
      let source = other.origins.span
      origins.append(addingCapacity: range.count) { new in
        for index in range { new.append(source[index]) }
      }
    }
  }

  /// Returns a part of the text.
  func part(_ range: Range<Int>) -> AlignedText {
    var part = AlignedText()
    part.append(range, of: self)
    return part
  }

  /// Adds bytes that come from a byte of another text.
  mutating func append(_ inserted: [UInt8], from place: Int, of other: AlignedText) {
    let origin = other.origin(at: place)
    bytes += inserted
    origins.append(addingCapacity: inserted.count) { new in
      for _ in inserted { new.append(origin) }
    }
  }

  /// Adds the characters that stand for bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - other: The text that they come from.
  ///   - place: Returns the place in that text of the byte with an index.
  @inline(__always)
  mutating func append(
    charactersFor bytes: Span<UInt8>, from other: AlignedText, place: (Int) -> Int
  ) {
    let scalars = ByteAlphabet.scalars
    for index in bytes.indices {
      append(scalars[Int(bytes[index])], other.origin(at: place(index)))
    }
  }

  /// Adds a scalar.
  @inline(__always)
  private mutating func append(_ scalar: UInt32, _ origin: Origin) {
    UTF8Text.append(scalar, to: &bytes)
    while origins.count < bytes.count { origins.append(origin) }
  }

  /// Calls a function with each scalar and its range of bytes.
  @inline(__always)
  func forEachScalar(_ body: (UInt32, Range<Int>) -> Void) {
    forEachScalar(of: 0..<bytes.count, body)
  }

  @inline(__always)
  private func forEachScalar(of range: Range<Int>, _ body: (UInt32, Range<Int>) -> Void) {
    let span = bytes.span
    var index = range.lowerBound
    while index < range.upperBound {
      let (scalar, length) = UTF8Text.scalar(at: index, in: span)
      body(scalar, index..<index + length)
      index += length
    }
  }

  /// Replaces the text by scalars that replace its scalars in order, or are inserted.
  ///
  /// An inserted scalar comes from the byte before it.
  mutating func transform(_ changes: [Change]) {
    self = transformed(by: changes)
  }

  private func transformed(by changes: [Change]) -> AlignedText {
    var result = AlignedText()
    result.reserveCapacity(bytes.count)
    var offset = 0
    for change in changes {
      if change.kept.isEmpty {
        replace(by: change.scalar, change.removal, &offset, in: &result)
      } else if change.kept.lowerBound == offset {
        result.append(change.kept, of: self)
        offset = change.kept.upperBound
      } else {
        // Scalars that were removed at the beginning of the text are still to be replaced, as in the reference.
        forEachScalar(of: change.kept) { scalar, _ in
          replace(by: scalar, 0, &offset, in: &result)
        }
      }
    }
    return result
  }

  /// Adds a scalar with the origin of the scalar at an offset, or of the one before it, and advances the offset.
  @inline(__always)
  private func replace(
    by scalar: UInt32, _ removal: Int, _ offset: inout Int, in result: inout AlignedText
  ) {
    let place = removal > 0 ? offset - 1 : offset
    let isInside = bytes.indices.contains(place)
    result.append(scalar, isInside ? origin(at: place) : Origin(0, offset > 0 ? end : 0))
    guard removal <= 0 else { return }
    for _ in 0...(-removal) where offset < bytes.count {
      offset += UTF8Text.length(after: bytes[offset])
    }
  }

  private var end: Int { bytes.isEmpty ? 0 : Int(origin(at: bytes.count - 1).end) }

  /// Replaces scalars by others of the same length in UTF-8.
  ///
  /// - Parameter replacement: Returns the scalar that replaces another one, or `nil` if it has another length.
  /// - Returns: Whether all scalars were replaced; if not, those before the first one with another length were.
  @inline(__always)
  mutating func replaceInPlace(_ replacement: (UInt32) -> UInt32?) -> Bool {
    var index = 0
    while index < bytes.count {
      let (scalar, length) = UTF8Text.scalar(at: index, in: bytes.span)
      guard let new = replacement(scalar) else { return false }
      if new != scalar { UTF8Text.write(new, length: length, at: index, in: &bytes) }
      index += length
    }
    return true
  }

  /// Replaces scalars by others, which come from the same bytes.
  ///
  /// - Parameter replacement: Adds the scalars that replace another one to an empty array, or returns `false` to keep it.
  @inline(__always)
  mutating func replaceScalars(_ replacement: (UInt32, inout [UInt32]) -> Bool) {
    let old = self
    var result = AlignedText()
    var scalars: [UInt32] = []
    // The end of the bytes that were kept or replaced.
    var end = 0
    old.forEachScalar { scalar, range in
      guard replacement(scalar, &scalars) else { return }
      if end == 0 { result.reserveCapacity(old.bytes.count) }
      result.append(end..<range.lowerBound, of: old)
      for scalar in scalars { result.append(scalar, old.origin(at: range.lowerBound)) }
      scalars.removeAll(keepingCapacity: true)
      end = range.upperBound
    }
    guard end > 0 else { return }
    result.append(end..<old.bytes.count, of: old)
    self = result
  }

  /// Removes scalars.
  @inline(__always)
  mutating func filter(_ isKept: (UInt32) -> Bool) {
    replaceScalars { scalar, _ in !isKept(scalar) }
  }

  /// Replaces ranges of bytes, in order, by the same bytes.
  mutating func replace(_ matches: [Range<Int>], by content: [UInt8]) {
    guard !matches.isEmpty else { return }
    let old = self
    var result = AlignedText()
    result.reserveCapacity(old.bytes.count + matches.count * content.count)
    var start = 0
    for match in matches where !match.isEmpty {
      result.append(start..<match.lowerBound, of: old)
      result.append(content, from: match.upperBound - 1, of: old)
      start = match.upperBound
    }
    result.append(start..<old.bytes.count, of: old)
    self = result
  }

  /// Inserts bytes at the beginning, unless the text is empty.
  mutating func prepend(_ content: [UInt8]) {
    guard !isEmpty else { return }
    let old = self
    var result = AlignedText()
    result.reserveCapacity(old.bytes.count + content.count)
    result.append(content, from: 0, of: old)
    result.append(0..<old.bytes.count, of: old)
    self = result
  }
}
