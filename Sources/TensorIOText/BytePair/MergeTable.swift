/// The merges of byte-pair encoding: for two adjacent tokens, the rank of their merge and the merged token.
///
/// The table uses open addressing with a random seed, so that a file cannot cause collisions.
struct MergeTable: Sendable {
  /// No merge; every merge is less.
  static let none = UInt64.max
  private static let empty = UInt64.max

  private struct Slot {
    var key = MergeTable.empty
    var merge = MergeTable.none
  }

  private var slots: [Slot]
  private let shift: UInt64
  private let factor = UInt64.random(in: .min ... .max) | 1

  /// Creates an empty table for a number of merges.
  init(capacity: Int) {
    var bits: UInt64 = 4
    while 1 << bits < 2 * capacity { bits += 1 }
    shift = 64 - bits
    slots = [Slot](repeating: Slot(), count: 1 << Int(bits))
  }

  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    var mixed = key &* factor
    mixed = (mixed ^ mixed >> 32) &* factor
    var slot = Int(truncatingIfNeeded: mixed >> shift)
    while slots[slot].key != key, slots[slot].key != Self.empty {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  /// Adds a merge; of merges of the same tokens, the last one counts.
  mutating func insert(_ left: Int32, _ right: Int32, rank: Int, merged: Int32) {
    let key = Self.key(left, right)
    let slot = slot(of: key)
    slots[slot] = Slot(key: key, merge: UInt64(rank) << 32 | UInt64(UInt32(bitPattern: merged)))
  }

  /// Returns the merge of two tokens, or `none`; merges with a lower rank are less.
  @inline(__always)
  func merge(_ left: Int32, _ right: Int32) -> UInt64 {
    slots[slot(of: Self.key(left, right))].merge
  }

  /// Returns the rank of a merge.
  @inline(__always)
  static func rank(of merge: UInt64) -> UInt32 { UInt32(merge >> 32) }

  /// Returns the token that a merge results in.
  @inline(__always)
  static func token(of merge: UInt64) -> Int32 { Int32(truncatingIfNeeded: merge) }
}
