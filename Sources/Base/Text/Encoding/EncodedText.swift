/// The tokens of one or two texts as a model takes them.
package struct EncodedText: Sendable, Hashable {
  /// The text that a token belongs to.
  package enum Source: UInt8, Sendable, Hashable {
    case first, second
  }

  /// The ids, special tokens and padding included.
  package internal(set) var ids: [Int32] = []
  /// 1 for each token, 0 for padding.
  package internal(set) var mask: [Int32] = []
  /// The segment of each token; 0 for padding.
  package internal(set) var segments: [Int32] = []
  /// The bytes that each token stands for in its text; empty for special tokens and padding.
  package internal(set) var ranges: [Range<Int>] = []
  /// The text of each token; `nil` for special tokens and padding.
  package internal(set) var sources: [Source?] = []
  /// Whether tokens of a text are missing.
  package internal(set) var isTruncated = false

  /// The number of ids.
  package var count: Int { ids.count }

  mutating func append(
    _ id: Int32, segment: Int32, range: Range<Int> = 0..<0, source: Source? = nil
  ) {
    ids.append(id)
    mask.append(1)
    segments.append(segment)
    ranges.append(range)
    sources.append(source)
  }

  /// Adds padding up to a length.
  mutating func pad(to length: Int, with id: Int32, onLeft: Bool) {
    let missing = length - count
    guard missing > 0 else { return }
    let place = onLeft ? 0 : count
    ids.insert(contentsOf: repeatElement(id, count: missing), at: place)
    mask.insert(contentsOf: repeatElement(0, count: missing), at: place)
    segments.insert(contentsOf: repeatElement(0, count: missing), at: place)
    ranges.insert(contentsOf: repeatElement(0..<0, count: missing), at: place)
    sources.insert(contentsOf: repeatElement(nil, count: missing), at: place)
  }
}
