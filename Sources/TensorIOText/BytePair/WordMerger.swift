/// Merges the symbols of a word, the merge of the lowest rank first and of equal ones the leftmost.
struct WordMerger {
  /// The longest word whose merges are found by linear search.
  private static let maxShortCount = 40

  /// The tokens of the word.
  var ids: [Int32] = []
  /// The number of bytes of each token.
  var lengths: [Int32] = []
  private var merges: [UInt64] = []

  /// Removes all symbols.
  mutating func removeAll() {
    ids.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  /// Adds a symbol.
  mutating func append(_ id: Int32, length: Int32) {
    ids.append(id)
    lengths.append(length)
  }

  /// Applies all merges; the time is almost linear in the number of symbols.
  mutating func merge(by table: MergeTable) {
    merges.removeAll(keepingCapacity: true)
    guard ids.count > 1 else { return }
    for index in 1..<ids.count { merges.append(table.merge(ids[index - 1], ids[index])) }
    merges.append(MergeTable.none)
    if ids.count <= Self.maxShortCount { mergeShort(by: table) } else { mergeLong(by: table) }
  }

  private mutating func mergeShort(by table: MergeTable) {
    while true {
      var (best, place) = (MergeTable.none, 0)
      for index in 0..<merges.count where merges[index] < best {
        (best, place) = (merges[index], index)
      }
      guard best != MergeTable.none else { return }
      ids[place] = MergeTable.token(of: best)
      lengths[place] += lengths[place + 1]
      ids.remove(at: place + 1)
      lengths.remove(at: place + 1)
      merges.remove(at: place + 1)
      if place > 0 { merges[place - 1] = table.merge(ids[place - 1], ids[place]) }
      merges[place] =
        place + 1 < ids.count ? table.merge(ids[place], ids[place + 1]) : MergeTable.none
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
    let count = ids.count
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
      ids[place] = MergeTable.token(of: candidate.merge)
      lengths[place] += lengths[removed]
      lengths[removed] = 0
      merges[removed] = MergeTable.none
      next[place] = next[removed]
      if next[place] < count { previous[next[place]] = place }
      for left in [previous[place], place] where left >= 0 {
        let right = next[left]
        merges[left] = right < count ? table.merge(ids[left], ids[right]) : MergeTable.none
        if merges[left] != MergeTable.none {
          heap.insert(Candidate(merge: merges[left], place: left))
        }
      }
    }
    var kept = 0
    for index in 0..<count where lengths[index] > 0 {
      (ids[kept], lengths[kept]) = (ids[index], lengths[index])
      kept += 1
    }
    ids.removeLast(count - kept)
    lengths.removeLast(count - kept)
  }
}
