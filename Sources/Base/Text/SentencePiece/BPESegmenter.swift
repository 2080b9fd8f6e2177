/// The segmentation by merging adjacent symbols, the pair whose piece has the highest score first and of equal ones the
/// leftmost.
struct BPESegmenter: SentencePieceSegmenter {
  private let pieces: PieceMerger.Pieces
  /// Symbols that are never merged.
  private let userDefined: ByteTrie?
  /// Pieces that match only as they are.
  private let reserved: ByteTrie?
  private let unknown: Int32
  private let merges: Bool
  /// Whether the words of a text are independent.
  private let splitsAtSpaces: Bool
  private let cache = SharedWordCache()

  /// Creates a segmentation; without merges, pieces are characters.
  init(
    pieces: PieceMerger.Pieces, userDefined: ByteTrie?, reserved: ByteTrie?, unknown: Int32,
    merges: Bool, splitsAtSpaces: Bool
  ) {
    self.pieces = pieces
    self.userDefined = userDefined
    self.reserved = reserved
    self.unknown = unknown
    self.merges = merges
    self.splitsAtSpaces = splitsAtSpaces
  }

  func segments(of text: Span<UInt8>) -> [Segment] {
    var segments: [Segment] = []
    segments.reserveCapacity(text.count / 2)
    guard merges else {
      forEachCharacter(of: 0..<text.count, in: text) { range, _, node in
        segments.append(Segment(id: id(of: range, node, text), length: range.count))
      }
      return segments
    }
    var merger = PieceMerger()
    guard splitsAtSpaces else {
      append(0..<text.count, of: text, &merger, to: &segments)
      return segments
    }
    cache.withCache { cache in
      var start = 0
      while start < text.count {
        let end = SpaceMark.endOfWord(at: start, in: text)
        append(start..<end, of: text, &cache, &merger, to: &segments)
        start = end
      }
    }
    return segments
  }

  /// Appends the pieces of a word, from the cache if possible.
  private func append(
    _ word: Range<Int>, of text: Span<UInt8>, _ cache: inout WordCache,
    _ merger: inout PieceMerger, to segments: inout [Segment]
  ) {
    guard word.count <= WordCache.maxWordBytes else {
      append(word, of: text, &merger, to: &segments)
      return
    }
    let hash = WordCache.hash(word, in: text)
    if let places = cache.places(of: word, in: text, hash: hash) {
      for place in places { segments.append(cache.tokens[place]) }
      return
    }
    let first = segments.count
    append(word, of: text, &merger, to: &segments)
    cache.insert(word, of: text, hash: hash, tokens: segments[first...])
  }

  private func append(
    _ word: Range<Int>, of text: Span<UInt8>, _ merger: inout PieceMerger,
    to segments: inout [Segment]
  ) {
    merger.removeAll()
    forEachCharacter(of: word, in: text) { range, isFrozen, node in
      merger.append(.init(range, isFrozen: isFrozen, node: node))
    }
    merger.merge(by: pieces, in: text)
    for symbol in merger.symbols {
      let id = id(of: symbol.range, symbol.node, text)
      if pieces.isUnused[Int(id)] {
        appendParts(of: symbol.range, text, merger.parts, to: &segments)
      } else {
        segments.append(Segment(id: id, length: symbol.length))
      }
    }
  }

  /// Calls a function with each character, whether it is never merged, and its node in the trie.
  @inline(__always)
  private func forEachCharacter(
    of word: Range<Int>, in text: Span<UInt8>, _ body: (Range<Int>, Bool, Int32) -> Void
  ) {
    var index = word.lowerBound
    while index < word.upperBound {
      let frozen = userDefined?.longestMatch(at: index, in: text) ?? 0
      let range = index..<index + (frozen > 0 ? frozen : characterLength(at: index, in: text))
      body(range, frozen > 0, pieces.trie.node(of: range, in: text))
      index = range.upperBound
    }
  }

  /// Appends a piece, or the parts of a piece that is not used.
  private func appendParts(
    of range: Range<Int>, _ text: Span<UInt8>, _ parts: [Int32: Int],
    to segments: inout [Segment]
  ) {
    var pending = [range]
    while let range = pending.popLast() {
      let id = id(of: range, pieces.trie.node(of: range, in: text), text)
      // An unused piece is taken apart once for each of its parts, which are shorter.
      if pieces.isUnused[Int(id)], let left = parts[id], left < range.count {
        let middle = range.lowerBound + left
        pending.append(middle..<range.upperBound)
        pending.append(range.lowerBound..<middle)
      } else {
        segments.append(Segment(id: id, length: range.count))
      }
    }
  }

  /// Returns the id of a range with a node in the trie.
  @inline(__always)
  private func id(of range: Range<Int>, _ node: Int32, _ text: Span<UInt8>) -> Int32 {
    if let reserved {
      let node = reserved.node(of: range, in: text)
      if node != ByteTrie.none, reserved.value(of: node) != ByteTrie.none {
        return reserved.value(of: node)
      }
    }
    guard node != ByteTrie.none, pieces.trie.value(of: node) != ByteTrie.none else {
      return unknown
    }
    return pieces.trie.value(of: node)
  }
}
