/// Where tensors lie in one piece of memory.
package struct ArenaPlan: Sendable, Hashable {
  /// The most that the tensors of one side may need.
  package static let limit = 4 << 30
  /// Every tensor begins where all of a processor's loads may.
  private static let alignment = 64

  /// The tensors' places, in order.
  package private(set) var ranges: [Range<Int>] = []
  /// How many bytes there are in all.
  package private(set) var byteCount = 0

  /// Tensors of so many bytes, one after the other; `nil` where that is more than may be.
  package init?(_ byteCounts: [Int]) {
    for count in byteCounts {
      guard count >= 0, count <= Self.limit - byteCount else { return nil }
      ranges.append(byteCount..<byteCount + count)
      byteCount += (count + Self.alignment - 1) / Self.alignment * Self.alignment
      guard byteCount <= Self.limit else { return nil }
    }
  }
}
