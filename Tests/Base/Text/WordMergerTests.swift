import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Comparisons of merges with a simple search for the best one after each merge.
struct WordMergerTests {
  private static let symbols: Range<Int32> = 0..<4

  /// Returns random merges, whose tokens may be built in several ways, or not at all.
  private func merges(_ generator: inout SeededGenerator, inOrder: Bool) -> [MergeTable.Merge] {
    var merges: [MergeTable.Merge] = []
    var ids: Range<Int32> = 0..<(inOrder ? 4 : 30)
    for _ in 0..<24 {
      let pair = (
        Int32.random(in: ids, using: &generator), Int32.random(in: ids, using: &generator)
      )
      guard !inOrder || !merges.contains(where: { ($0.left, $0.right) == pair }) else { continue }
      let merged = inOrder ? ids.upperBound : Int32.random(in: 0..<30, using: &generator)
      merges.append(.init(left: pair.0, right: pair.1, merged: merged))
      if inOrder { ids = ids.lowerBound..<ids.upperBound + 1 }
    }
    return merges
  }

  private func expected(_ word: [Int32], _ merges: [MergeTable.Merge]) -> [[Int32]] {
    var tokens = word.map { [$0, 1] }
    while true {
      let places = tokens.indices.dropLast().compactMap { place -> (rank: Int, place: Int)? in
        merges.lastIndex { $0.left == tokens[place][0] && $0.right == tokens[place + 1][0] }
          .map { ($0, place) }
      }
      guard let best = places.min(by: { $0 < $1 }) else { return tokens }
      let length = tokens[best.place][1] + tokens[best.place + 1][1]
      tokens[best.place...best.place + 1] = [[merges[best.rank].merged, length]]
    }
  }

  @Test(arguments: [true, false])
  func `Merges of random words equal those of a simple search`(inOrder: Bool) {
    var generator = SeededGenerator(seed: inOrder ? 1 : 2)
    var separating = 0
    var merged = 0
    for _ in 0..<10 {
      let merges = merges(&generator, inOrder: inOrder)
      let table = MergeTable(merges, symbols: Self.symbols)
      if table.separatesSymbols { separating += 1 }
      for length in [0, 1, 2, 7, 63, 64, 65, 150] {
        let word = (0..<length).map { _ in Int32.random(in: Self.symbols, using: &generator) }
        var merger = WordMerger()
        for symbol in word { merger.append(symbol, length: 1) }
        merger.merge(by: table)
        #expect(merger.tokens.map { [$0.id, Int32($0.length)] } == expected(word, merges))
        if merger.tokens.count < word.count { merged += 1 }
      }
    }
    #expect(separating == (inOrder ? 10 : 0))
    #expect(merged > 10)
  }

  @Test func `Symbols that no token joins are apart`() {
    let table = MergeTable(
      [.init(left: 0, right: 1, merged: 4), .init(left: 4, right: 2, merged: 5)],
      symbols: Self.symbols)
    #expect(MergeTable.token(of: table.merge(0, 1)) == 4)
    #expect(MergeTable.token(of: table.merge(4, 2)) == 5)
    // 1 and 2 are adjacent in token 5.
    #expect(table.merge(1, 2) == MergeTable.none)
    #expect(table.merge(2, 0) == MergeTable.apart)
    #expect(!MergeTable.isMerge(MergeTable.none) && !MergeTable.isMerge(MergeTable.apart))
  }
}
