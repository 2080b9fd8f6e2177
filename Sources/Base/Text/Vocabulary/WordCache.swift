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
  /// The tokens of all words.
  private(set) var tokens: [Segment] = []

  /// Returns the hash of a word.
  @inline(__always)
  static func hash(_ range: Range<Int>, in text: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range { hash = (hash ^ UInt64(text[index])) &* 0x9E37_79B9_7F4A_7C15 }
    return hash ^ hash >> 32
  }

  /// Returns the places of a word's tokens in `tokens`, or `nil` if the word is not in the cache.
  @inline(__always)
  func places(of range: Range<Int>, in text: Span<UInt8>, hash: UInt64) -> Range<Int>? {
    let slot = slots[Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)]
    guard slot.hash == hash, Int(slot.keyCount) == range.count else { return nil }
    var key = Int(slot.keyStart)
    for index in range {
      if keys[key] != text[index] { return nil }
      key += 1
    }
    return Int(slot.tokenStart)..<Int(slot.tokenStart) + Int(slot.tokenCount)
  }

  /// Adds a word and its tokens, in place of any word with the same slot.
  mutating func insert(
    _ range: Range<Int>, of text: Span<UInt8>, hash: UInt64, tokens newTokens: ArraySlice<Segment>
  ) {
    if keys.count + range.count > Self.maxKeyBytes
      || tokens.count + newTokens.count > Self.maxTokens
    {
      self = WordCache()
    }
    slots[Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)] = Slot(
      hash: hash, keyStart: Int32(keys.count), tokenStart: Int32(tokens.count),
      keyCount: Int16(range.count), tokenCount: Int16(newTokens.count))
    for index in range { keys.append(text[index]) }
    tokens += newTokens
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
