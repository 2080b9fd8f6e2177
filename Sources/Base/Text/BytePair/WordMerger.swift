/// Merges the symbols of a word, the merge of the lowest rank first and of equal ones the leftmost.
struct WordMerger {
  /// The longest word whose merges are found by linear search.
  private static let maxShortCount = 64

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
    merges.append(MergeTable.apart)
    var start = 0
    var hasMerges = false
    for index in merges.indices {
      if MergeTable.isMerge(merges[index]) { hasMerges = true }
      // The symbols of a part are merged with no others.
      guard merges[index] == MergeTable.apart,
        table.separatesSymbols || index == merges.count - 1
      else { continue }
      if hasMerges {
        let part = start..<index + 1
        if part.count <= Self.maxShortCount {
          Self.mergeShort(part, of: &tokens, &merges, by: table)
        } else {
          Self.mergeLong(part, of: &tokens, &merges, by: table)
        }
      }
      (start, hasMerges) = (index + 1, false)
    }
    // Those that are part of the one before.
    tokens.removeAll { $0.length == 0 }
  }

  private static func mergeShort(
    _ part: Range<Int>, of allTokens: inout [Segment], _ allMerges: inout [UInt64],
    by table: MergeTable
  ) {
    var tokens = allTokens.mutableSpan
    var merges = allMerges.mutableSpan
    var end = part.upperBound
    while true {
      var (best, place) = (MergeTable.none, 0)
      for index in part.lowerBound..<end where merges[index] < best {
        (best, place) = (merges[index], index)
      }
      guard MergeTable.isMerge(best) else { break }
      let id = MergeTable.token(of: best)
      tokens[place] = Segment(id: id, length: tokens[place].length + tokens[place + 1].length)
      end -= 1
      for index in place + 1..<end {
        tokens[index] = tokens[index + 1]
        merges[index] = merges[index + 1]
      }
      if place > part.lowerBound { merges[place - 1] = table.merge(tokens[place - 1].id, id) }
      merges[place] = place + 1 < end ? table.merge(id, tokens[place + 1].id) : MergeTable.none
    }
    for index in end..<part.upperBound { tokens[index] = Segment(id: 0, length: 0) }
  }

  /// The places of the tokens before and after another one.
  private struct Neighbors {
    var previous: Int
    var next: Int
  }

  private static func mergeLong(
    _ part: Range<Int>, of allTokens: inout [Segment], _ allMerges: inout [UInt64],
    by table: MergeTable
  ) {
    var links = part.map { Neighbors(previous: $0 - 1, next: $0 + 1) }
    var neighbors = links.mutableSpan
    var tokens = allTokens.mutableSpan
    var merges = allMerges.mutableSpan
    let first = part.lowerBound
    var heap = MinHeap()
    for index in part where MergeTable.isMerge(merges[index]) {
      heap.append(index, rank: MergeTable.rank(of: merges[index]))
    }
    heap.order()
    while let (place, rank) = heap.popMin() {
      // A place is outdated if its merge has changed.
      guard MergeTable.isMerge(merges[place]), MergeTable.rank(of: merges[place]) == rank else {
        continue
      }
      let removed = neighbors[place - first].next
      let id = MergeTable.token(of: merges[place])
      tokens[place] = Segment(id: id, length: tokens[place].length + tokens[removed].length)
      tokens[removed] = Segment(id: id, length: 0)
      merges[removed] = MergeTable.none
      let (previous, next) = (neighbors[place - first].previous, neighbors[removed - first].next)
      neighbors[place - first].next = next
      merges[place] = MergeTable.none
      if next < part.upperBound {
        neighbors[next - first].previous = place
        merges[place] = table.merge(id, tokens[next].id)
        if MergeTable.isMerge(merges[place]) {
          heap.insert(place, rank: MergeTable.rank(of: merges[place]))
        }
      }
      if previous >= first {
        merges[previous] = table.merge(tokens[previous].id, id)
        if MergeTable.isMerge(merges[previous]) {
          heap.insert(previous, rank: MergeTable.rank(of: merges[previous]))
        }
      }
    }
  }
}
