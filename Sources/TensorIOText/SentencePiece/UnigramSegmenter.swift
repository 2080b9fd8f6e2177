/// The segmentation with the highest sum of scores (the Viterbi algorithm).
///
/// Of equal sums, the one found first counts: of pieces that end at a place, the one that begins first.
struct UnigramSegmenter<Score: BinaryFloatingPoint & Sendable>: SentencePieceSegmenter {
  /// The difference of the unknown score from the lowest score.
  private static var unknownPenalty: Score { 10 }

  private let trie: ByteTrie
  /// The score of each piece; `nil` for pieces that are not used.
  private let scores: [Score?]
  private let unknown: Int32
  private let unknownScore: Score

  /// Creates a segmentation.
  ///
  /// - Parameters:
  ///   - trie: The pieces that can match.
  ///   - scores: The score of each piece, or `nil` to leave the piece out.
  ///   - minScore: The lowest score of a normal piece.
  ///   - unknown: The id of the unknown token.
  init(trie: ByteTrie, scores: [Score?], minScore: Score, unknown: Int32) {
    self.trie = trie
    self.scores = scores
    self.unknown = unknown
    unknownScore = minScore - Self.unknownPenalty
  }

  /// The end of the best path to a place.
  private struct Node {
    var score: Score = 0
    var id: Int32 = 0
    /// The place where the last piece begins, or -1 if there is no path.
    var start = -1
  }

  func segments(of text: Span<UInt8>) -> [Segment] {
    var nodes = [Node](repeating: Node(), count: text.count + 1)
    var start = 0
    while start < text.count {
      let scoreHere = nodes[start].score
      let length = characterLength(at: start, in: text)
      var hasSingle = false
      var node = ByteTrie.root
      var end = start
      while end < text.count {
        node = trie.child(of: node, text[end])
        guard node != ByteTrie.none else { break }
        end += 1
        let id = trie.value(of: node)
        guard id != ByteTrie.none, let pieceScore = scores[Int(id)] else { continue }
        let score = pieceScore + scoreHere
        if nodes[end].start < 0 || score > nodes[end].score {
          nodes[end] = Node(score: score, id: id, start: start)
        }
        if end - start == length { hasSingle = true }
      }
      if !hasSingle {
        let score = unknownScore + scoreHere
        let end = start + length
        if nodes[end].start < 0 || score > nodes[end].score {
          nodes[end] = Node(score: score, id: unknown, start: start)
        }
      }
      start += length
    }
    var segments: [Segment] = []
    var end = text.count
    while end > 0 {
      segments.append(Segment(id: nodes[end].id, length: end - nodes[end].start))
      end = nodes[end].start
    }
    segments.reverse()
    return segments
  }
}

extension UnigramSegmenter: WordSegmenter {
  var joinsUnknown: Bool { true }
}
