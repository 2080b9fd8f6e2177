/// The values of a document in the order of its text, over the text's own bytes.
///
/// A value is one entry; an object's entry is followed by its keys and values in turn, an array's
/// by its elements. No entry holds a copy of anything, so that reading costs one pass and sixteen
/// bytes a value, and whatever is wrong with a value can be told with its place.
final class JSONTape: Sendable {
  let bytes: [UInt8]
  let entries: [JSONEntry]

  init(bytes: [UInt8], entries: [JSONEntry]) {
    self.bytes = bytes
    self.entries = entries
  }
}

/// One value, or one key, of a document.
///
/// ``JSONLimits/maximumBytes`` keeps every offset, index and count below 28 bits.
struct JSONEntry: Sendable {
  /// What the bytes of an entry are.
  enum Kind: UInt32 {
    case object, array, plainString, escapedString, integer, fraction, yes, no, null
  }

  /// The first byte.
  let start: UInt32
  /// The byte after the last.
  private(set) var end: UInt32
  /// The entry after this one and all that it holds.
  private(set) var next: UInt32
  /// The kind in the upper four bits, the number of elements or members in the rest.
  private var kindAndCount: UInt32

  private static let countBits: UInt32 = 28

  init(_ kind: Kind, start: Int, end: Int, next: Int) {
    self.start = UInt32(truncatingIfNeeded: start)
    self.end = UInt32(truncatingIfNeeded: end)
    self.next = UInt32(truncatingIfNeeded: next)
    kindAndCount = kind.rawValue << JSONEntry.countBits
  }

  var kind: Kind { Kind(rawValue: kindAndCount >> JSONEntry.countBits) ?? .null }

  var count: Int { Int(kindAndCount & (1 << JSONEntry.countBits - 1)) }

  var range: Range<Int> { Int(start)..<Int(end) }

  /// Says where an array or object ends, once that is known.
  mutating func close(end: Int, next: Int, count: Int) {
    self.end = UInt32(truncatingIfNeeded: end)
    self.next = UInt32(truncatingIfNeeded: next)
    kindAndCount |= UInt32(truncatingIfNeeded: count)
  }
}
