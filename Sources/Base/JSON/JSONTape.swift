/// The values of a document as entries that refer to the bytes of the text.
///
/// Each value is one entry. An object's entry is followed by its keys and values alternately, an
/// array's by its elements. Entries do not copy text, so parsing takes one pass and sixteen bytes
/// per value.
final class JSONTape: Sendable {
  let bytes: [UInt8]
  let entries: [JSONEntry]
  /// Whether the values are not needed anymore.
  let isCanceled: @Sendable () -> Bool

  init(bytes: [UInt8], entries: [JSONEntry], isCanceled: @escaping @Sendable () -> Bool) {
    (self.bytes, self.entries, self.isCanceled) = (bytes, entries, isCanceled)
  }

  /// The number of values that are read between two checks whether they are still needed.
  static let checkInterval = 1 << 14
}

/// A value or key of a document.
///
/// ``JSONLimits/maxBytes`` limits every offset, index and count to 28 bits.
struct JSONEntry: Sendable {
  /// The kind of an entry.
  enum Kind: UInt32 {
    case object, array, plainString, escapedString, integer, fraction
    case trueLiteral, falseLiteral, nullLiteral
  }

  /// The offset of the first byte.
  let start: UInt32
  /// The offset after the last byte.
  private(set) var end: UInt32
  /// The index of the entry after this one and its contents.
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

  /// Sets the end of an array or object.
  mutating func close(end: Int, next: Int, count: Int) {
    self.end = UInt32(truncatingIfNeeded: end)
    self.next = UInt32(truncatingIfNeeded: next)
    kindAndCount |= UInt32(truncatingIfNeeded: count)
  }
}

/// A hash table of the keys of all objects in a document, to detect duplicate keys.
///
/// A key is identified by its bytes and its object. The standard library's hash function is seeded
/// per process, so that a text cannot be crafted to cause collisions.
struct JSONKeyTable {
  private struct Slot {
    /// The key's entry; zero marks an empty slot, because entry 0 is the document's root.
    var key: UInt32 = 0
    var owner: UInt32 = 0
    var hash: UInt32 = 0

    var isEmpty: Bool { key == 0 }
  }

  private var slots: [Slot] = []
  private var count = 0

  private static let initialCapacity = 32

  /// Adds a key of an object.
  ///
  /// If the object already has a key with the same bytes, returns that.
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

  /// Doubles the capacity, which stays a power of two.
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
