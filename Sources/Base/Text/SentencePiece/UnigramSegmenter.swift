/// The segmentation with the highest sum of scores (the Viterbi algorithm).
///
/// Of equal sums, the one found first counts: of pieces that end at a place, the one that begins first.
struct UnigramSegmenter: SentencePieceSegmenter {
  /// The precision of sums of scores.
  enum Precision: Sendable {
    /// That of SentencePiece.
    case single
    /// That of the package `tokenizers`.
    case double
  }

  /// The difference of the unknown score from the lowest score.
  private static let unknownPenalty = 10.0

  private let trie: DoubleArrayTrie
  private let unknown: Int32
  private let unknownScore: Double
  private let precision: Precision

  /// Creates a segmentation.
  ///
  /// - Parameters:
  ///   - trie: The pieces that can match.
  ///   - scores: The score of each piece, or `nil` to leave the piece out.
  ///   - minScore: The lowest score of a normal piece.
  ///   - unknown: The id of the unknown token.
  ///   - precision: The precision of sums of scores; with `single`, all scores are of this precision.
  /// - Throws: ``TokenizerError`` if the pieces need too much memory.
  init(
    trie: ByteTrie, scores: [Double?], minScore: Double, unknown: Int32, precision: Precision
  ) throws(TokenizerError) {
    self.trie = try DoubleArrayTrie(trie, scores: scores)
    self.unknown = unknown
    self.precision = precision
    let score = minScore - Self.unknownPenalty
    unknownScore = precision == .single ? Double(Float(score)) : score
  }

  /// The end of the best path to a place.
  private struct Node {
    var score = 0.0
    var id: Int32 = 0
    /// The length of the last piece, or 0 if there is no path.
    var length: Int32 = 0

    /// Replaces the path by one with a higher score.
    @inline(__always)
    mutating func offer(_ newScore: Double, _ newID: Int32, length newLength: Int) {
      if length == 0 || newScore > score {
        self = Node(score: newScore, id: newID, length: Int32(truncatingIfNeeded: newLength))
      }
    }
  }

  func segments(of text: Span<UInt8>) -> [Segment] {
    switch precision {
    // The sum of two numbers of single precision, rounded from double precision, is their sum in single precision.
    case .single: segments(of: text) { Double(Float($0 + $1)) }
    case .double: segments(of: text) { $0 + $1 }
    }
  }

  @inline(__always)
  private func segments(
    of text: Span<UInt8>, sum: (Double, Double) -> Double
  ) -> [Segment] {
    var nodes = [Node](repeating: Node(), count: text.count + 1)
    var start = 0
    while start < text.count {
      let scoreHere = nodes[start].score
      let length = characterLength(at: start, in: text)
      var hasSingle = false
      trie.forEachMatch(at: start, in: text) { end, id, pieceScore in
        nodes[end].offer(sum(pieceScore, scoreHere), id, length: end - start)
        if end - start == length { hasSingle = true }
      }
      if !hasSingle {
        nodes[start + length].offer(sum(unknownScore, scoreHere), unknown, length: length)
      }
      start += length
    }
    var segments: [Segment] = []
    segments.reserveCapacity(text.count / 2)
    var end = text.count
    while end > 0 {
      let node = nodes[end]
      segments.append(Segment(id: node.id, length: Int(node.length)))
      end -= Int(node.length)
    }
    segments.reverse()
    return segments
  }
}

extension UnigramSegmenter: WordSegmenter {
  var joinsUnknown: Bool { true }
}
