/// The segmentation by merging adjacent symbols, the pair whose piece has the highest score first and of equal ones the
/// leftmost.
struct BPESegmenter: SentencePieceSegmenter {
  private let trie: ByteTrie
  private let scores: [Float]
  private let isUnused: [Bool]
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
    trie: ByteTrie, scores: [Float], isUnused: [Bool], userDefined: ByteTrie?, reserved: ByteTrie?,
    unknown: Int32, merges: Bool, splitsAtSpaces: Bool
  ) {
    self.trie = trie
    self.scores = scores
    self.isUnused = isUnused
    self.userDefined = userDefined
    self.reserved = reserved
    self.unknown = unknown
    self.merges = merges
    self.splitsAtSpaces = splitsAtSpaces
  }

  private struct Symbol {
    var start: Int
    var length: Int
    var previous: Int
    var next: Int
    var isFrozen: Bool
    /// The symbol's node in the trie, or `none`.
    var node: Int32
  }

  private struct Candidate: Comparable {
    let score: Float
    let left: Int
    let right: Int
    let length: Int
    let node: Int32

    static func < (one: Candidate, other: Candidate) -> Bool {
      one.score != other.score ? one.score > other.score : one.left < other.left
    }
  }

  func segments(of text: Span<UInt8>) -> [Segment] {
    var segments: [Segment] = []
    guard splitsAtSpaces else {
      append(0..<text.count, of: text, to: &segments)
      return segments
    }
    cache.withCache { cache in
      var start = 0
      while start < text.count {
        let end = endOfWord(at: start, in: text)
        append(start..<end, of: text, &cache, to: &segments)
        start = end
      }
    }
    return segments
  }

  /// Appends the pieces of a word, from the cache if possible.
  private func append(
    _ word: Range<Int>, of text: Span<UInt8>, _ cache: inout WordCache,
    to segments: inout [Segment]
  ) {
    guard word.count <= WordCache.maxWordBytes else {
      append(word, of: text, to: &segments)
      return
    }
    let hash = WordCache.hash(word, in: text)
    if let places = cache.places(of: word, in: text, hash: hash) {
      for place in places {
        segments.append(Segment(id: cache.ids[place], length: Int(cache.lengths[place])))
      }
      return
    }
    let first = segments.count
    append(word, of: text, to: &segments)
    cache.insert(
      word, of: text, hash: hash, ids: segments[first...].map(\.id),
      lengths: segments[first...].map { Int32($0.length) })
  }

  /// Returns the next place where a space follows another character, which no piece crosses.
  private func endOfWord(at start: Int, in text: Span<UInt8>) -> Int {
    var index = start
    var wasSpace = true
    while index < text.count {
      let isSpace = Self.isSpace(at: index, in: text)
      if isSpace, !wasSpace { return index }
      wasSpace = isSpace
      index += isSpace ? 3 : 1
    }
    return text.count
  }

  /// Whether the character that stands for a space is at an offset.
  private static func isSpace(at index: Int, in text: Span<UInt8>) -> Bool {
    text[index] == 0xE2 && index + 2 < text.count && text[index + 1] == 0x96
      && text[index + 2] == 0x81
  }

  /// Whether a piece contains a space after another character.
  static func crossesWords(_ piece: Span<UInt8>) -> Bool {
    var wasSpace = true
    var index = 0
    while index < piece.count {
      let isSpace = isSpace(at: index, in: piece)
      if isSpace, !wasSpace { return true }
      wasSpace = isSpace
      index += isSpace ? 3 : 1
    }
    return false
  }

  private func append(
    _ range: Range<Int>, of text: Span<UInt8>, to segments: inout [Segment]
  ) {
    var symbols = characters(of: range, in: text)
    var heap = MinHeap<Candidate>()
    // The length of the left part of unused pieces, to take them apart again.
    var parts: [Int32: Int] = [:]
    if merges {
      for right in symbols.indices.dropFirst() {
        add(right - 1, right, symbols, text, &heap, &parts)
      }
    }
    while let candidate = heap.popMin() {
      let (left, right) = (candidate.left, candidate.right)
      guard symbols[left].length > 0, symbols[right].length > 0,
        symbols[left].length + symbols[right].length == candidate.length
      else { continue }
      symbols[left].length = candidate.length
      symbols[left].node = candidate.node
      symbols[right].length = 0
      symbols[left].next = symbols[right].next
      if symbols[left].next >= 0 { symbols[symbols[left].next].previous = left }
      add(symbols[left].previous, left, symbols, text, &heap, &parts)
      add(left, symbols[left].next, symbols, text, &heap, &parts)
    }
    for symbol in symbols where symbol.length > 0 {
      appendUsed(symbol.start, symbol.length, text, parts, to: &segments)
    }
  }

  private func characters(of range: Range<Int>, in text: Span<UInt8>) -> [Symbol] {
    var symbols: [Symbol] = []
    symbols.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let frozen = userDefined?.longestMatch(at: index, in: text) ?? 0
      let length = frozen > 0 ? frozen : characterLength(at: index, in: text)
      symbols.append(
        Symbol(
          start: index, length: length, previous: symbols.count - 1, next: symbols.count + 1,
          isFrozen: frozen > 0, node: node(from: ByteTrie.root, index..<index + length, text)))
      index += length
    }
    if !symbols.isEmpty { symbols[symbols.count - 1].next = -1 }
    return symbols
  }

  private func node(from start: Int32, _ range: Range<Int>, _ text: Span<UInt8>) -> Int32 {
    var node = start
    for index in range where node != ByteTrie.none { node = trie.child(of: node, text[index]) }
    return node
  }

  private func add(
    _ left: Int, _ right: Int, _ symbols: [Symbol], _ text: Span<UInt8>,
    _ heap: inout MinHeap<Candidate>, _ parts: inout [Int32: Int]
  ) {
    guard left >= 0, right >= 0, !symbols[left].isFrozen, !symbols[right].isFrozen,
      symbols[left].node != ByteTrie.none
    else { return }
    let range = symbols[right].start..<symbols[right].start + symbols[right].length
    let node = node(from: symbols[left].node, range, text)
    guard node != ByteTrie.none, trie.value(of: node) != ByteTrie.none else { return }
    let id = trie.value(of: node)
    if isUnused[Int(id)] { parts[id] = symbols[left].length }
    heap.insert(
      Candidate(
        score: scores[Int(id)], left: left, right: right,
        length: symbols[left].length + symbols[right].length, node: node))
  }

  /// Appends a piece, or the parts of a piece that is not used.
  private func appendUsed(
    _ start: Int, _ length: Int, _ text: Span<UInt8>, _ parts: [Int32: Int],
    to segments: inout [Segment]
  ) {
    var pending = [(start, length)]
    while let (start, length) = pending.popLast() {
      let id = id(of: start..<start + length, text)
      // An unused piece is taken apart once for each of its parts, which are shorter.
      if isUnused[Int(id)], let left = parts[id], left < length {
        pending.append((start + left, length - left))
        pending.append((start, left))
      } else {
        segments.append(Segment(id: id, length: length))
      }
    }
  }

  private func id(of range: Range<Int>, _ text: Span<UInt8>) -> Int32 {
    for trie in [reserved, trie] {
      guard let trie else { continue }
      var node = ByteTrie.root
      for index in range where node != ByteTrie.none { node = trie.child(of: node, text[index]) }
      if node != ByteTrie.none, trie.value(of: node) != ByteTrie.none {
        return trie.value(of: node)
      }
    }
    return unknown
  }
}
