import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Comparisons of merges with a simple search for the best one after each merge.
struct PieceMergerTests {
  private static let letters = Array("abc".utf8)

  private struct Piece {
    let text: [UInt8]
    let score: Float
  }

  private func pieces(_ generator: inout SeededGenerator) -> [Piece] {
    var texts = Set(Self.letters.map { [$0] })
    for _ in 0..<25 {
      let length = Int.random(in: 2...6, using: &generator)
      texts.insert((0..<length).map { _ in Self.letters.randomElement(using: &generator) ?? 0 })
    }
    return texts.sorted { $0.lexicographicallyPrecedes($1) }.map {
      // Equal, negative and zero scores.
      Piece(text: $0, score: [-3.5, -0.0, 0, 1, 2.25].randomElement(using: &generator) ?? 0)
    }
  }

  private func expected(_ word: [UInt8], _ pieces: [Piece]) -> [[UInt8]] {
    var symbols = word.map { [$0] }
    while true {
      let places = symbols.indices.dropLast().compactMap { place -> (score: Float, place: Int)? in
        pieces.first { $0.text == symbols[place] + symbols[place + 1] }.map { (-$0.score, place) }
      }
      guard let best = places.min(by: { $0 < $1 }) else { return symbols }
      symbols[best.place...best.place + 1] = [symbols[best.place] + symbols[best.place + 1]]
    }
  }

  @Test func `Merges of random words equal those of a simple search`() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<10 {
      let pieces = pieces(&generator)
      let vocabulary = try TokenVocabulary(pieces.map(\.text))
      let table = PieceMerger.Pieces(
        trie: vocabulary.trie, scores: pieces.map(\.score),
        isUnused: pieces.map { _ in false })
      for length in [0, 1, 2, 9, 40, 41, 120] {
        let word = (0..<length).map { _ in Self.letters.randomElement(using: &generator) ?? 0 }
        var merger = PieceMerger()
        for index in word.indices {
          merger.append(
            .init(
              index..<index + 1, isFrozen: false,
              node: table.trie.node(of: index..<index + 1, in: word.span)))
        }
        merger.merge(by: table, in: word.span)
        #expect(merger.symbols.map { Array(word[$0.range]) } == expected(word, pieces))
      }
    }
  }
}
