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

  /// A possible merge; it is outdated if the merge at the place has changed.
  private struct Candidate: Comparable {
    let merge: UInt64
    let place: Int

    static func < (one: Candidate, other: Candidate) -> Bool {
      one.merge != other.merge ? one.merge < other.merge : one.place < other.place
    }
  }

  private mutating func mergeLong(by table: MergeTable) {
    let count = tokens.count
    var next = Array(1...count)
    var previous = Array(-1..<count - 1)
    var heap = MinHeap<Candidate>()
    for index in 0..<count where merges[index] != MergeTable.none {
      heap.insert(Candidate(merge: merges[index], place: index))
    }
    while let candidate = heap.popMin() {
      let place = candidate.place
      guard merges[place] == candidate.merge else { continue }
      let removed = next[place]
      tokens[place] = Segment(
        id: MergeTable.token(of: candidate.merge),
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
          heap.insert(Candidate(merge: merges[left], place: left))
        }
      }
    }
    tokens.removeAll { $0.length == 0 }
  }
}
