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
    case object, array, plainString, escapedString, integer, fraction, trueLiteral, falseLiteral, nullLiteral
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

  var kind: Kind { Kind(rawValue: kindAndCount >> JSONEntry.countBits) ?? .nullLiteral }

  var count: Int { Int(kindAndCount & (1 << JSONEntry.countBits - 1)) }

  var range: Range<Int> { Int(start)..<Int(end) }

  /// Says where an array or object ends, once that is known.
  mutating func close(end: Int, next: Int, count: Int) {
    self.end = UInt32(truncatingIfNeeded: end)
    self.next = UInt32(truncatingIfNeeded: next)
    kindAndCount |= UInt32(truncatingIfNeeded: count)
  }
}

/// The keys of all objects of a document, so that a second one of a name is found at once.
///
/// One table serves all objects: a key is looked up together with the object that it is in. The
/// hash is the standard library's, seeded anew in every process, so no text can be written to
/// make all keys collide.
struct JSONKeyTable {
  private struct Slot {
    /// The key's entry; zero is the document's root, which is no key, so it marks an empty slot.
    var key: UInt32 = 0
    var owner: UInt32 = 0
    var hash: UInt32 = 0

    var isEmpty: Bool { key == 0 }
  }

  private var slots: [Slot] = []
  private var count = 0

  private static let initialCapacity = 32

  /// Adds a key of an object, unless the object has one of the same bytes; then returns that.
  mutating func insert(
    _ key: Int, of owner: Int, in entries: [JSONEntry], over bytes: [UInt8]
  ) -> Int? {
    if count * 2 >= slots.count { grow() }
    let text = JSONString(entries[key], in: bytes)
    let new = Slot(
      key: UInt32(truncatingIfNeeded: key), owner: UInt32(truncatingIfNeeded: owner),
      hash: UInt32(truncatingIfNeeded: text.hash(of: owner)))
    var index = initialIndex(of: new)
    while !slots[index].isEmpty {
      let old = slots[index]
      if old.hash == new.hash, old.owner == new.owner,
        JSONString(entries[Int(old.key)], in: bytes) == text
      {
        return Int(old.key)
      }
      index = nextIndex(after: index)
    }
    slots[index] = new
    count += 1
    return nil
  }

  private func initialIndex(of slot: Slot) -> Int { Int(slot.hash) & (slots.count - 1) }

  private func nextIndex(after index: Int) -> Int { (index + 1) & (slots.count - 1) }

  /// Doubles the room; the capacity stays a power of two.
  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: max(old.count * 2, JSONKeyTable.initialCapacity))
    for slot in old where !slot.isEmpty {
      var index = initialIndex(of: slot)
      while !slots[index].isEmpty { index = nextIndex(after: index) }
      slots[index] = slot
    }
  }
}
