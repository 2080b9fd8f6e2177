/// A text under normalization, and the bytes of the original text that each of its bytes comes from.
struct AlignedText: Sendable {
  /// A scalar of a changed text.
  struct Change {
    let scalar: UInt32
    /// 1 for an inserted scalar, 0 for one that replaces the next scalar of the text, -n for one that replaces the next
    /// scalar and n more.
    let removal: Int
    /// Characters of ASCII that stay as they are, in place of the scalar; empty for a scalar.
    private(set) var kept = 0..<0

    init(scalar: UInt32, removal: Int) {
      (self.scalar, self.removal) = (scalar, removal)
    }

    /// Returns the change that keeps characters of ASCII in a range of the text.
    static func kept(_ range: Range<Int>) -> Change {
      var change = Change(scalar: 0, removal: 0)
      change.kept = range
      return change
    }
  }

  /// The UTF-8 of the text.
  private(set) var bytes: [UInt8] = []
  /// The start of each byte's origin.
  private(set) var starts: [Int] = []
  /// The end of each byte's origin.
  private(set) var ends: [Int] = []

  /// Creates an empty text.
  init() {}

  /// Creates a text that is not changed yet.
  init(_ text: [UInt8]) {
    bytes = text
    starts.reserveCapacity(text.count)
    ends.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let length = UTF8Text.length(after: text[index])
      for _ in 0..<length {
        starts.append(index)
        ends.append(index + length)
      }
      index += length
    }
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// Returns the bytes of the original text for a range of bytes.
  func origin(of range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let start = starts[range.lowerBound]
    return start..<max(start, ends[range.upperBound - 1])
  }

  /// Reserves memory for a number of bytes.
  mutating func reserveCapacity(_ count: Int) {
    bytes.reserveCapacity(count)
    starts.reserveCapacity(count)
    ends.reserveCapacity(count)
  }

  /// Adds bytes of another text with their origins.
  mutating func append(_ range: Range<Int>, of other: borrowing AlignedText) {
    bytes += other.bytes[range]
    starts += other.starts[range]
    ends += other.ends[range]
  }

  /// Adds bytes that come from a byte of another text.
  mutating func append(_ inserted: [UInt8], from place: Int, of other: borrowing AlignedText) {
    for byte in inserted {
      bytes.append(byte)
      starts.append(other.starts[place])
      ends.append(other.ends[place])
    }
  }

  /// Calls a function with each scalar and its range of bytes.
  @inline(__always)
  func forEachScalar(_ body: (UInt32, Range<Int>) -> Void) {
    let span = bytes.span
    var index = 0
    while index < span.count {
      let (scalar, length) = UTF8Text.scalar(at: index, in: span)
      body(scalar, index..<index + length)
      index += length
    }
  }

  /// Replaces the text by scalars that replace its scalars in order, or are inserted.
  ///
  /// An inserted scalar comes from the byte before it.
  mutating func transform(_ changes: [Change]) {
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
        for index in change.kept { replace(by: UInt32(bytes[index]), 0, &offset, in: &result) }
      }
    }
    self = result
  }

  /// Adds a scalar with the origin of the scalar at an offset, or of the one before it, and advances the offset.
  @inline(__always)
  private func replace(
    by scalar: UInt32, _ removal: Int, _ offset: inout Int, in result: inout AlignedText
  ) {
    let place = removal > 0 ? offset - 1 : offset
    let start = result.bytes.count
    UTF8Text.append(scalar, to: &result.bytes)
    let isInside = bytes.indices.contains(place)
    let origin =
      isInside ? starts[place]..<max(starts[place], ends[place]) : 0..<(offset > 0 ? end : 0)
    for _ in start..<result.bytes.count {
      result.starts.append(origin.lowerBound)
      result.ends.append(origin.upperBound)
    }
    guard removal <= 0 else { return }
    for _ in 0...(-removal) where offset < bytes.count {
      offset += UTF8Text.length(after: bytes[offset])
    }
  }

  private var end: Int { ends.last ?? 0 }

  /// Removes scalars.
  mutating func filter(_ isKept: (UInt32) -> Bool) {
    var result = AlignedText()
    forEachScalar { scalar, range in
      if isKept(scalar) { result.append(range, of: self) }
    }
    self = result
  }

  /// Replaces ranges of bytes, in order, by the same bytes.
  mutating func replace(_ matches: [Range<Int>], by content: [UInt8]) {
    guard !matches.isEmpty else { return }
    var result = AlignedText()
    result.reserveCapacity(bytes.count + matches.count * content.count)
    var start = 0
    for match in matches where !match.isEmpty {
      result.append(start..<match.lowerBound, of: self)
      result.append(content, from: match.upperBound - 1, of: self)
      start = match.upperBound
    }
    result.append(start..<bytes.count, of: self)
    self = result
  }

  /// Inserts bytes at the beginning, unless the text is empty.
  mutating func prepend(_ content: [UInt8]) {
    guard !isEmpty else { return }
    var result = AlignedText()
    result.append(content, from: 0, of: self)
    result.append(0..<bytes.count, of: self)
    self = result
  }
}
