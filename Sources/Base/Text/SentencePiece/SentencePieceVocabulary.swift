/// The checks of a SentencePiece model's pieces, and what is built of them.
struct SentencePieceVocabulary {
  private typealias Kind = SentencePieceModel.Kind

  private let model: SentencePieceModel

  init(_ model: SentencePieceModel) { self.model = model }

  /// Returns the id of the only unknown piece.
  func unknown() throws(TokenizerError) -> Int32 {
    let ids = model.pieces.indices.filter { model.pieces[$0].kind == .unknown }
    guard let id = ids.first, ids.count == 1 else {
      throw TokenizerError(vocabulary: "it has \(ids.count) unknown tokens instead of one")
    }
    return Int32(id)
  }

  /// Returns the ids of control pieces by text.
  func controlIDs() -> [[UInt8]: Int32] {
    var ids: [[UInt8]: Int32] = [:]
    for (id, piece) in model.pieces.enumerated() where piece.kind == .control {
      ids[Array(model.bytes[piece.bytes])] = Int32(id)
    }
    return ids
  }

  /// Returns the ids of the pieces of bytes, which are named `<0x00>` to `<0xFF>`.
  func byteIDs() throws(TokenizerError) -> [Int32] {
    var ids = [Int32](repeating: -1, count: 256)
    for (id, piece) in model.pieces.enumerated() where piece.kind == .byte {
      let name = String(decoding: model.bytes[piece.bytes], as: UTF8.self)
      guard name.utf8.count == 6, name.hasPrefix("<0x"), name.hasSuffix(">"),
        let byte = UInt8(name.dropFirst(3).dropLast(), radix: 16)
      else {
        throw TokenizerError(vocabulary: "piece \(id), '\(name)', is not the name of a byte")
      }
      ids[Int(byte)] = Int32(id)
    }
    guard !ids.contains(-1) else {
      throw TokenizerError(vocabulary: "it has not all pieces of bytes")
    }
    return ids
  }

  /// Returns a map of the pieces of some kinds, or `nil` if there are none.
  func trie(_ isIncluded: (SentencePieceModel.Kind) -> Bool) throws(TokenizerError) -> ByteTrie? {
    let ids = model.pieces.indices.filter { isIncluded(model.pieces[$0].kind) }
    guard !ids.isEmpty else { return nil }
    return try ByteTrie(
      keys: ids.map { model.pieces[$0].bytes }, in: model.bytes, values: ids.map { Int32($0) })
  }

  /// Returns the segmentation that the model describes.
  func segmenter() throws(TokenizerError) -> any SentencePieceSegmenter {
    let matching = try trie { $0 == .normal || $0 == .userDefined || $0 == .unused }
    guard let matching else { throw TokenizerError(vocabulary: "it has no normal pieces") }
    for (id, piece) in model.pieces.enumerated() {
      let isNormal = [.normal, .userDefined, .unused].contains(piece.kind)
      if isNormal, matching.value(of: model.bytes[piece.bytes]) != Int32(id) {
        let name = String(decoding: model.bytes[piece.bytes], as: UTF8.self)
        throw TokenizerError(vocabulary: "the piece '\(name)' is defined twice")
      }
    }
    switch model.algorithm {
    case .unigram: return try unigram(matching)
    case .bpe, .char: return try bpe(matching)
    case .word: throw TokenizerError(.unsupported(component: "a SentencePiece model of words"))
    }
  }

  private func unigram(_ matching: ByteTrie) throws(TokenizerError) -> UnigramSegmenter {
    let normal = model.pieces.filter { $0.kind == .normal }.map(\.score)
    // As in the reference, which begins with the least positive number.
    let maxScore = max(normal.max() ?? 0, Float.leastNormalMagnitude)
    let scores = model.pieces.map { piece -> Double? in
      switch piece.kind {
      case .normal: Double(piece.score)
      case .userDefined: Double(Float(Double(Float(piece.bytes.count) * maxScore) - 0.1))
      case .unknown, .control, .unused, .byte: nil
      }
    }
    return try UnigramSegmenter(
      trie: matching, scores: scores, minScore: Double(normal.min() ?? 0),
      unknown: try unknown(), precision: .single)
  }

  private func bpe(_ matching: ByteTrie) throws(TokenizerError) -> BPESegmenter {
    BPESegmenter(
      pieces: .init(
        trie: matching, scores: model.pieces.map(\.score),
        isUnused: model.pieces.map { $0.kind == .unused }),
      userDefined: try trie { $0 == .userDefined },
      reserved: try trie { $0 == .control || $0 == .unknown || $0 == .byte },
      unknown: try unknown(), merges: model.algorithm == .bpe,
      splitsAtSpaces: !model.pieces.contains {
        SpaceMark.crossesWords(model.bytes.span.extracting($0.bytes))
      })
  }
}
