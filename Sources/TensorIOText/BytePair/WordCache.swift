import Synchronization

/// The tokens of recent words, in bounded memory.
struct WordCache {
  private static let slotCount = 1 << 13
  private static let maxKeyBytes = 1 << 18
  private static let maxTokens = 1 << 17
  /// The maximum length of a word that is cached.
  static let maxWordBytes = 48

  private struct Slot {
    var hash: UInt64 = 0
    var keyStart: Int32 = 0
    var tokenStart: Int32 = 0
    var keyCount: Int16 = 0
    var tokenCount: Int16 = 0
  }

  private var slots = [Slot](repeating: Slot(), count: WordCache.slotCount)
  private var keys: [UInt8] = []
  private var ids: [Int32] = []
  private var lengths: [Int32] = []

  /// Returns the hash of a word.
  @inline(__always)
  static func hash(_ range: Range<Int>, in text: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range { hash = (hash ^ UInt64(text[index])) &* 0x9E37_79B9_7F4A_7C15 }
    return hash ^ hash >> 32
  }

  /// Appends the tokens of a word, and returns whether the word is in the cache.
  @inline(__always)
  func append(
    _ range: Range<Int>, of text: Span<UInt8>, hash: UInt64, to tokens: inout [Token]
  ) -> Bool {
    let slot = slots[Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)]
    guard slot.hash == hash, Int(slot.keyCount) == range.count else { return false }
    var key = Int(slot.keyStart)
    for index in range {
      if keys[key] != text[index] { return false }
      key += 1
    }
    var start = range.lowerBound
    for index in Int(slot.tokenStart)..<Int(slot.tokenStart) + Int(slot.tokenCount) {
      let end = start + Int(lengths[index])
      tokens.append(Token(id: ids[index], range: start..<end))
      start = end
    }
    return true
  }

  /// Adds a word and its tokens, in place of any word with the same slot.
  mutating func insert(
    _ range: Range<Int>, of text: Span<UInt8>, hash: UInt64, tokens: WordMerger
  ) {
    if keys.count + range.count > Self.maxKeyBytes || ids.count + tokens.ids.count > Self.maxTokens
    {
      self = WordCache()
    }
    slots[Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)] = Slot(
      hash: hash, keyStart: Int32(keys.count), tokenStart: Int32(ids.count),
      keyCount: Int16(range.count), tokenCount: Int16(tokens.ids.count))
    for index in range { keys.append(text[index]) }
    ids += tokens.ids
    lengths += tokens.lengths
  }
}

/// A cache that calls share; a call that finds it in use has its own.
final class SharedWordCache: Sendable {
  private let idle = Mutex<WordCache?>(nil)

  /// Calls a function with a cache.
  func withCache<Result>(_ body: (inout WordCache) -> Result) -> Result {
    var cache = idle.withLock { $0.take() } ?? WordCache()
    let result = body(&cache)
    idle.withLock { $0 = cache }
    return result
  }
}
