/// The merges of byte-pair encoding: for two adjacent tokens, the rank of their merge and the merged token.
///
/// The table uses open addressing with a random factor, so that a file cannot cause collisions.
struct MergeTable: Sendable {
  /// No merge of two tokens that other merges may bring together; every merge is less.
  static let none = UInt64.max - 1
  /// No merge of two symbols that are adjacent in no token.
  static let apart = UInt64.max
  private static let empty = UInt64.max

  private struct Slot {
    var key = MergeTable.empty
    var merge = MergeTable.apart
  }

  /// A merge of two tokens.
  struct Merge {
    let left: Int32
    let right: Int32
    let merged: Int32
  }

  private var slots: [Slot]
  private let shift: UInt64
  private let factor = UInt64.random(in: .min ... .max) | 1
  /// Whether symbols with the merge `apart` are in different tokens after all merges: whether each token is built from
  /// symbols, with the same ends by all merges.
  private(set) var separatesSymbols = true

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - merges: The merges in order of rank; of merges of the same tokens, the last one counts.
  ///   - symbols: The tokens that words consist of before any merge.
  init(_ merges: [Merge], symbols: some Sequence<Int32>) {
    var bits: UInt64 = 4
    while 1 << bits < 4 * merges.count { bits += 1 }
    shift = 64 - bits
    slots = [Slot](repeating: Slot(), count: 1 << Int(bits))
    // The first and the last symbol of each token that is built from symbols; negative for others.
    var ends: [(first: Int32, last: Int32)] = []
    func end(_ token: Int32) -> (first: Int32, last: Int32) {
      ends.indices.contains(Int(token)) ? ends[Int(token)] : (-1, -1)
    }
    func set(_ token: Int32, _ both: (first: Int32, last: Int32)) {
      while ends.count <= Int(token) { ends.append((-1, -1)) }
      ends[Int(token)] = both
    }
    for symbol in symbols { set(symbol, (symbol, symbol)) }
    for (rank, merge) in merges.enumerated() {
      insert(
        merge.left, merge.right,
        UInt64(rank) << 32 | UInt64(UInt32(bitPattern: merge.merged)))
      let (left, right, known) = (end(merge.left), end(merge.right), end(merge.merged))
      guard left.first >= 0, right.first >= 0 else {
        separatesSymbols = false
        continue
      }
      let both = (first: left.first, last: right.last)
      if known.first >= 0, known != both { separatesSymbols = false }
      set(merge.merged, both)
      if self.merge(left.last, right.first) == Self.apart {
        insert(left.last, right.first, Self.none)
      }
    }
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

  private mutating func insert(_ left: Int32, _ right: Int32, _ merge: UInt64) {
    let key = Self.key(left, right)
    slots[slot(of: key)] = Slot(key: key, merge: merge)
  }

  /// Returns the merge of two tokens, `none` or `apart`; merges with a lower rank are less.
  @inline(__always)
  func merge(_ left: Int32, _ right: Int32) -> UInt64 {
    slots[slot(of: Self.key(left, right))].merge
  }

  /// Whether two tokens are merged.
  @inline(__always)
  static func isMerge(_ merge: UInt64) -> Bool { merge < none }

  /// Returns the rank of a merge.
  @inline(__always)
  static func rank(of merge: UInt64) -> UInt32 { UInt32(merge >> 32) }

  /// Returns the token that a merge results in.
  @inline(__always)
  static func token(of merge: UInt64) -> Int32 { Int32(truncatingIfNeeded: merge) }
}
