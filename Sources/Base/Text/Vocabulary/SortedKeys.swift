/// The lexicographic order of byte strings.
enum SortedKeys {
  /// A key with its first bytes as a number, so that most comparisons do not read the bytes.
  private struct Entry {
    let prefix: UInt64
    let index: Int
  }

  /// Returns the indices of the keys in lexicographic order; equal keys keep their order.
  static func order(of ranges: [Range<Int>], in bytes: [UInt8]) -> [Int] {
    var entries = ranges.indices.map { Entry(prefix: prefix(of: ranges[$0], in: bytes), index: $0) }
    entries.sort { one, other in
      if one.prefix != other.prefix { return one.prefix < other.prefix }
      return isLess(one.index, other.index, ranges, bytes)
    }
    return entries.map(\.index)
  }

  private static func prefix(of range: Range<Int>, in bytes: [UInt8]) -> UInt64 {
    var prefix: UInt64 = 0
    for position in 0..<8 {
      let index = range.lowerBound + position
      prefix = prefix << 8 | (index < range.upperBound ? UInt64(bytes[index]) : 0)
    }
    return prefix
  }

  private static func isLess(
    _ one: Int, _ other: Int, _ ranges: [Range<Int>], _ bytes: [UInt8]
  ) -> Bool {
    let (first, second) = (ranges[one], ranges[other])
    for position in 0..<min(first.count, second.count) {
      let (left, right) = (
        bytes[first.lowerBound + position], bytes[second.lowerBound + position]
      )
      if left != right { return left < right }
    }
    return first.count != second.count ? first.count < second.count : one < other
  }
}
