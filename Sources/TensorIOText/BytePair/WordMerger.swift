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
    merges.append(MergeTable.none)
    if tokens.count <= Self.maxShortCount {
      Self.mergeShort(&tokens, &merges, by: table)
    } else {
      Self.mergeLong(&tokens, &merges, by: table)
    }
    // Those that are part of the one before.
    tokens.removeAll { $0.length == 0 }
  }

  private static func mergeShort(
    _ allTokens: inout [Segment], _ allMerges: inout [UInt64], by table: MergeTable
  ) {
    var tokens = allTokens.mutableSpan
    var merges = allMerges.mutableSpan
    var count = tokens.count
    while true {
      var (best, place) = (MergeTable.none, 0)
      for index in 0..<count where merges[index] < best {
        (best, place) = (merges[index], index)
      }
      guard best != MergeTable.none else { break }
      let id = MergeTable.token(of: best)
      tokens[place] = Segment(id: id, length: tokens[place].length + tokens[place + 1].length)
      count -= 1
      for index in place + 1..<count {
        tokens[index] = tokens[index + 1]
        merges[index] = merges[index + 1]
      }
      if place > 0 { merges[place - 1] = table.merge(tokens[place - 1].id, id) }
      merges[place] =
        place + 1 < count ? table.merge(id, tokens[place + 1].id) : MergeTable.none
    }
    for index in count..<tokens.count { tokens[index] = Segment(id: 0, length: 0) }
  }

  /// The places of the tokens before and after another one.
  private struct Neighbors {
    var previous: Int32
    var next: Int32
  }

  private static func mergeLong(
    _ allTokens: inout [Segment], _ allMerges: inout [UInt64], by table: MergeTable
  ) {
    let count = allTokens.count
    var links = (0..<Int32(count)).map { Neighbors(previous: $0 - 1, next: $0 + 1) }
    var neighbors = links.mutableSpan
    var tokens = allTokens.mutableSpan
    var merges = allMerges.mutableSpan
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
      let removed = Int(neighbors[place].next)
      let id = MergeTable.token(of: merges[place])
      tokens[place] = Segment(id: id, length: tokens[place].length + tokens[removed].length)
      tokens[removed] = Segment(id: id, length: 0)
      merges[removed] = MergeTable.none
      let (previous, next) = (Int(neighbors[place].previous), Int(neighbors[removed].next))
      neighbors[place].next = Int32(next)
      merges[place] = MergeTable.none
      if next < count {
        neighbors[next].previous = Int32(place)
        merges[place] = table.merge(id, tokens[next].id)
        if merges[place] != MergeTable.none {
          heap.insert(place, rank: MergeTable.rank(of: merges[place]))
        }
      }
      if previous >= 0 {
        merges[previous] = table.merge(tokens[previous].id, id)
        if merges[previous] != MergeTable.none {
          heap.insert(previous, rank: MergeTable.rank(of: merges[previous]))
        }
      }
    }
  }
}
