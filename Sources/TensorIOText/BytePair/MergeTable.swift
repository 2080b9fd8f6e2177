/// The merges of byte-pair encoding: for two adjacent tokens, the rank of their merge and the merged token.
///
/// The table uses open addressing with a random seed, so that a file cannot cause collisions.
struct MergeTable: Sendable {
  /// No merge; every merge is less.
  static let none = UInt64.max
  private static let empty = UInt64.max

  private var keys: [UInt64]
  private var merges: [UInt64]
  private let mask: Int
  private let seed = UInt64.random(in: .min ... .max)

  /// Creates an empty table for a number of merges.
  init(capacity: Int) {
    var size = 16
    while size < 2 * capacity { size *= 2 }
    mask = size - 1
    keys = [UInt64](repeating: Self.empty, count: size)
    merges = [UInt64](repeating: Self.none, count: size)
  }

  private static func key(_ left: Int32, _ right: Int32) -> UInt64 {
    UInt64(UInt32(bitPattern: left)) << 32 | UInt64(UInt32(bitPattern: right))
  }

  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    var mixed = (key ^ seed) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 32) &* 0x94D0_49BB_1331_11EB
    var slot = Int(truncatingIfNeeded: mixed >> 29) & mask
    while keys[slot] != key, keys[slot] != Self.empty { slot = (slot + 1) & mask }
    return slot
  }

  /// Adds a merge; of merges of the same tokens, the last one counts.
  mutating func insert(_ left: Int32, _ right: Int32, rank: Int, merged: Int32) {
    let key = Self.key(left, right)
    let slot = slot(of: key)
    keys[slot] = key
    merges[slot] = UInt64(rank) << 32 | UInt64(UInt32(bitPattern: merged))
  }

  /// Returns the merge of two tokens, or `none`; merges with a lower rank are less.
  @inline(__always)
  func merge(_ left: Int32, _ right: Int32) -> UInt64 {
    merges[slot(of: Self.key(left, right))]
  }

  /// Returns the token that a merge results in.
  @inline(__always)
  static func token(of merge: UInt64) -> Int32 { Int32(truncatingIfNeeded: merge) }
}
