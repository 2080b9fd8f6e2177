/// The pieces of a unigram model with their scores, in a form that finds a child with one comparison.
///
/// The child of a node for a byte is the unit at the node's base plus the byte, if the unit names the node as its
/// parent.
struct DoubleArrayTrie: Sendable {
  private struct Unit {
    /// The node whose child the unit is, or -1 for an unused unit.
    var parent: Int32 = -1
    /// The place of the children, less their bytes.
    var base: Int32 = 0
    /// The piece that ends here, or -1.
    var id: Int32 = -1
  }

  /// The maximum number of units.
  private static let maxUnits = 1 << 25
  /// The maximum number of unused places that are tried for a node before the search begins behind them.
  private static let maxTries = 64

  private var units: [Unit]
  private let scores: [Double]

  /// Creates the trie of the keys of another one.
  ///
  /// - Parameters:
  ///   - trie: The keys.
  ///   - scores: The score of each number of a key; keys with `nil` are left out.
  /// - Throws: ``TokenizerError`` if the trie is too large.
  init(_ trie: ByteTrie, scores: [Double?]) throws(TokenizerError) {
    self.scores = scores.map { $0 ?? 0 }
    units = [Unit](repeating: Unit(), count: 512)
    units[0].parent = 0
    // The first unit that may be unused.
    var free = 1
    var pending: [(node: Int32, unit: Int)] = [(ByteTrie.root, 0)]
    var next = 0
    while next < pending.count {
      let (node, unit) = pending[next]
      next += 1
      let id = trie.value(of: node)
      if id != ByteTrie.none, scores[Int(id)] != nil { units[unit].id = id }
      let children = trie.children(of: node)
      guard !children.isEmpty else { continue }
      let base = try place(children, of: trie, free: &free)
      units[unit].base = Int32(base)
      for child in children {
        let place = base + Int(trie.byte(of: child))
        units[place].parent = Int32(unit)
        pending.append((child, place))
      }
    }
  }

  /// Returns a base whose units for the bytes of some nodes are unused.
  private mutating func place(
    _ children: Range<Int32>, of trie: borrowing ByteTrie, free: inout Int
  ) throws(TokenizerError) -> Int {
    let first = trie.byte(of: children.lowerBound)
    while free < units.count, units[free].parent >= 0 { free += 1 }
    var candidate = max(free, Int(first) + 1)
    var tries = 0
    while true {
      let base = candidate - Int(first)
      while units.count < base + 256 {
        guard units.count < Self.maxUnits else {
          throw TokenizerError(vocabulary: "its tokens have too many different beginnings")
        }
        units += repeatElement(Unit(), count: units.count)
      }
      if isUnused(base, children, trie) {
        if tries > Self.maxTries { free = max(free, candidate - 256) }
        return base
      }
      candidate += 1
      tries += 1
    }
  }

  @inline(__always)
  private func isUnused(
    _ base: Int, _ children: Range<Int32>, _ trie: borrowing ByteTrie
  ) -> Bool {
    for child in children where units[base + Int(trie.byte(of: child))].parent >= 0 { return false }
    return true
  }

  /// Calls a function with the end, the number and the score of each key that begins at an offset.
  @inline(__always)
  func forEachMatch(at start: Int, in text: Span<UInt8>, _ body: (Int, Int32, Double) -> Void) {
    let units = units.span
    let scores = scores.span
    var unit = 0
    var end = start
    while end < text.count {
      let child = Int(units[unit].base) + Int(text[end])
      guard units[child].parent == Int32(truncatingIfNeeded: unit), child > 0 else { return }
      unit = child
      end += 1
      let id = units[unit].id
      if id >= 0 { body(end, id, scores[Int(id)]) }
    }
  }
}
