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

  private static let firstCapacity = 32

  /// Adds a key of an object, unless the object has one of the same bytes; then returns that.
  mutating func insert(
    _ key: Int, of owner: Int, in entries: [JSONEntry], over bytes: [UInt8]
  ) -> Int? {
    if count * 2 >= slots.count { grow() }
    let text = JSONText(entries[key], in: bytes)
    let new = Slot(
      key: UInt32(truncatingIfNeeded: key), owner: UInt32(truncatingIfNeeded: owner),
      hash: UInt32(truncatingIfNeeded: text.hash(of: owner)))
    var index = home(of: new)
    while !slots[index].isEmpty {
      let old = slots[index]
      if old.hash == new.hash, old.owner == new.owner,
        JSONText(entries[Int(old.key)], in: bytes) == text
      {
        return Int(old.key)
      }
      index = after(index)
    }
    slots[index] = new
    count += 1
    return nil
  }

  private func home(of slot: Slot) -> Int { Int(slot.hash) & (slots.count - 1) }

  private func after(_ index: Int) -> Int { (index + 1) & (slots.count - 1) }

  /// Doubles the room; the capacity stays a power of two.
  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: max(old.count * 2, JSONKeyTable.firstCapacity))
    for slot in old where !slot.isEmpty {
      var index = home(of: slot)
      while !slots[index].isEmpty { index = after(index) }
      slots[index] = slot
    }
  }
}
