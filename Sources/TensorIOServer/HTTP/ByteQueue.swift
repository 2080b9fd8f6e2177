/// Bytes that have come and were not read yet.
struct ByteQueue {
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to where there is no end of a line.
  private var searched = 0

  /// Beyond this an empty queue gives its memory back.
  private static let keptCapacity = 4 << 10

  var count: Int { bytes.count - start }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: ArraySlice<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      (start, searched) = (0, searched - start)
    }
    bytes.append(contentsOf: more)
  }

  /// Moves as many bytes as there are, and no more than some, behind others.
  mutating func move(upTo limit: Int, to target: inout [UInt8]) -> Int {
    let count = min(limit, count)
    target.append(contentsOf: bytes[start..<start + count])
    skip(to: start + count)
    return count
  }

  /// What stands before the next CR LF; `nil` as long as that has not come.
  ///
  /// A line is too long as soon as no end that may still come could make it short enough, so that
  /// the answer does not depend on how the bytes were cut on their way.
  mutating func line(
    within limit: Int, else refusal: () -> Refusal
  ) throws(Refusal) -> ArraySlice<UInt8>? {
    guard let end = bytes[searched...].firstIndex(of: .lineFeed) else {
      searched = bytes.count
      if count >= limit + 2 { throw refusal() }
      return nil
    }
    if end + 1 - start > limit + 2 { throw refusal() }
    guard end > start, bytes[end - 1] == .carriageReturn else {
      throw .malformed("a line ends with CR and LF")
    }
    let line = bytes[start..<end - 1]
    skip(to: end + 1)
    return line
  }

  private mutating func skip(to place: Int) {
    (start, searched) = (place, place)
    guard isEmpty else { return }
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    (start, searched) = (0, 0)
  }
}
