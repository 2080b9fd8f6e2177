/// Merges the symbols of a word, the merge of the lowest rank first and of equal ones the leftmost.
struct WordMerger {
  /// The longest word whose merges are found by linear search.
  private static let maxShortCount = 40

  /// The tokens of the word.
  private(set) var tokens: [Segment] = []
  private var merges: [UInt64] = []

  /// Removes all symbols.
  mutating func removeAll() { tokens.removeAll(keepingCapacity: true) }

  /// Adds a symbol.
  mutating func append(_ id: Int32, length: Int) { tokens.append(Segment(id: id, length: length)) }

  /// Adds bytes to the last symbol.
  mutating func extendLast(by length: Int) {
    guard let last = tokens.popLast() else { return }
    append(last.id, length: last.length + length)
  }

  /// Applies all merges; the time is almost linear in the number of symbols.
  mutating func merge(by table: MergeTable) {
    merges.removeAll(keepingCapacity: true)
    guard tokens.count > 1 else { return }
    for index in 1..<tokens.count {
      merges.append(table.merge(tokens[index - 1].id, tokens[index].id))
    }
    merges.append(MergeTable.none)
    if tokens.count <= Self.maxShortCount { mergeShort(by: table) } else { mergeLong(by: table) }
  }

  private mutating func mergeShort(by table: MergeTable) {
    while true {
      var (best, place) = (MergeTable.none, 0)
      for index in 0..<merges.count where merges[index] < best {
        (best, place) = (merges[index], index)
      }
      guard best != MergeTable.none else { return }
      let id = MergeTable.token(of: best)
      tokens[place] = Segment(id: id, length: tokens[place].length + tokens[place + 1].length)
      tokens.remove(at: place + 1)
      merges.remove(at: place + 1)
      if place > 0 { merges[place - 1] = table.merge(tokens[place - 1].id, id) }
      merges[place] =
        place + 1 < tokens.count ? table.merge(id, tokens[place + 1].id) : MergeTable.none
    }
  }

  private mutating func mergeLong(by table: MergeTable) {
    let count = tokens.count
    var next = Array(1...count)
    var previous = Array(-1..<count - 1)
    var heap = MinHeap()
    for index in 0..<count where merges[index] != MergeTable.none {
      heap.append(index, rank: MergeTable.rank(of: merges[index]))
    }
    heap.order()
    while let (place, rank) = heap.popMin() {
      // A place is outdated if its merge has changed.
      guard merges[place] != MergeTable.none, MergeTable.rank(of: merges[place]) == rank else {
        continue
      }
      let removed = next[place]
      tokens[place] = Segment(
        id: MergeTable.token(of: merges[place]),
        length: tokens[place].length + tokens[removed].length)
      tokens[removed] = Segment(id: tokens[removed].id, length: 0)
      merges[removed] = MergeTable.none
      next[place] = next[removed]
      if next[place] < count { previous[next[place]] = place }
      for left in [previous[place], place] where left >= 0 {
        let right = next[left]
        merges[left] =
          right < count ? table.merge(tokens[left].id, tokens[right].id) : MergeTable.none
        if merges[left] != MergeTable.none {
          heap.insert(left, rank: MergeTable.rank(of: merges[left]))
        }
      }
    }
    tokens.removeAll { $0.length == 0 }
  }
}
