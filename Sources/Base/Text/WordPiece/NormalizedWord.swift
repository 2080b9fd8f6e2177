/// A normalized word, and the bytes of the original text that each of its bytes comes from.
struct NormalizedWord {
  /// The UTF-8 of the word.
  private(set) var bytes: [UInt8] = []
  /// The start of each byte's origin.
  private(set) var starts: [Int] = []
  /// The end of each byte's origin.
  private(set) var ends: [Int] = []

  var isEmpty: Bool { bytes.isEmpty }

  /// The bytes of the original text that the word comes from.
  var origin: Range<Int> {
    guard let start = starts.first, let end = ends.last, start <= end else { return 0..<0 }
    return start..<end
  }

  @inline(__always)
  mutating func append(ascii byte: UInt8, at offset: Int) {
    bytes.append(byte)
    starts.append(offset)
    ends.append(offset + 1)
  }

  mutating func append(_ scalar: UInt32, from range: Range<Int>) {
    UTF8Text.append(scalar, to: &bytes)
    while starts.count < bytes.count {
      starts.append(range.lowerBound)
      ends.append(range.upperBound)
    }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
