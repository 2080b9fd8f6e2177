/// Merges the characters of a word into pieces, the pair whose piece has the highest score first and of equal ones the
/// leftmost.
struct PieceMerger {
  /// The pieces that characters are merged into.
  struct Pieces: Sendable {
    let trie: ByteTrie
    let scores: [Float]
    /// Whether a piece is taken apart again after all merges.
    let isUnused: [Bool]
  }

  /// A character, or several that were merged.
  struct Symbol {
    let start: Int
    fileprivate(set) var length: Int
    /// Whether the symbol is never merged.
    let isFrozen: Bool
    /// The symbol's node in the trie, or `none`.
    fileprivate(set) var node: Int32
    /// The node of the piece that the symbol and the next one form, or `none`.
    fileprivate var merged = ByteTrie.none
    /// The score of that piece.
    fileprivate var score: Float = 0

    init(_ range: Range<Int>, isFrozen: Bool, node: Int32) {
      (start, length) = (range.lowerBound, range.count)
      self.isFrozen = isFrozen
      self.node = node
    }

    /// The bytes of the symbol.
    var range: Range<Int> { start..<start + length }
  }

  /// The longest word whose merges are found by linear search.
  private static let maxShortCount = 40

  /// The symbols of the word.
  private(set) var symbols: [Symbol] = []
  /// The length of the left part of unused pieces, to take them apart again.
  private(set) var parts: [Int32: Int] = [:]

  /// Removes all symbols.
  mutating func removeAll() {
    symbols.removeAll(keepingCapacity: true)
    if !parts.isEmpty { parts = [:] }
  }

  /// Adds a symbol.
  mutating func append(_ symbol: Symbol) { symbols.append(symbol) }

  /// Applies all merges; the time is almost linear in the number of symbols.
  mutating func merge(by pieces: Pieces, in text: Span<UInt8>) {
    guard symbols.count > 1 else { return }
    for right in 1..<symbols.count { pair(right - 1, right, pieces, text) }
    if symbols.count <= Self.maxShortCount {
      mergeShort(by: pieces, in: text)
    } else {
      mergeLong(by: pieces, in: text)
    }
  }

  /// Finds the piece that two symbols form.
  @inline(__always)
  private mutating func pair(_ left: Int, _ right: Int, _ pieces: Pieces, _ text: Span<UInt8>) {
    symbols[left].merged = ByteTrie.none
    guard !symbols[left].isFrozen, !symbols[right].isFrozen else { return }
    var node = symbols[left].node
    for index in symbols[right].range {
      guard node != ByteTrie.none else { return }
      node = pieces.trie.child(of: node, text[index])
    }
    guard node != ByteTrie.none, pieces.trie.value(of: node) != ByteTrie.none else { return }
    let id = pieces.trie.value(of: node)
    if pieces.isUnused[Int(id)] { parts[id] = symbols[left].length }
    symbols[left].merged = node
    symbols[left].score = pieces.scores[Int(id)]
  }

  private mutating func mergeShort(by pieces: Pieces, in text: Span<UInt8>) {
    while true {
      var (place, best) = (-1, Float.zero)
      for index in 0..<symbols.count - 1 where symbols[index].merged != ByteTrie.none {
        if place < 0 || symbols[index].score > best {
          (place, best) = (index, symbols[index].score)
        }
      }
      guard place >= 0 else { return }
      symbols[place].length += symbols[place + 1].length
      symbols[place].node = symbols[place].merged
      symbols[place].merged = ByteTrie.none
      symbols.remove(at: place + 1)
      if place > 0 { pair(place - 1, place, pieces, text) }
      if place + 1 < symbols.count { pair(place, place + 1, pieces, text) }
    }
  }

  /// Returns a number that is less for higher scores.
  private static func rank(of score: Float) -> UInt32 {
    // The sum is positive if both are zeros.
    let bits = (score + 0).bitPattern
    return bits >> 31 == 0 ? 0x7FFF_FFFF - bits : bits
  }

  private mutating func mergeLong(by pieces: Pieces, in text: Span<UInt8>) {
    let count = symbols.count
    var next = Array(1...count)
    var previous = Array(-1..<count - 1)
    var heap = MinHeap()
    for place in symbols.indices where symbols[place].merged != ByteTrie.none {
      heap.append(place, rank: Self.rank(of: symbols[place].score))
    }
    heap.order()
    while let (place, rank) = heap.popMin() {
      // A place is outdated if the piece that its symbol and the next one form has changed.
      guard symbols[place].merged != ByteTrie.none, Self.rank(of: symbols[place].score) == rank
      else { continue }
      let removed = next[place]
      symbols[place].length += symbols[removed].length
      symbols[place].node = symbols[place].merged
      symbols[place].merged = ByteTrie.none
      symbols[removed].length = 0
      symbols[removed].merged = ByteTrie.none
      next[place] = next[removed]
      if next[place] < count { previous[next[place]] = place }
      for left in [previous[place], place] where left >= 0 && next[left] < count {
        pair(left, next[left], pieces, text)
        if symbols[left].merged != ByteTrie.none {
          heap.insert(left, rank: Self.rank(of: symbols[left].score))
        }
      }
    }
    symbols.removeAll { $0.length == 0 }
  }
}
