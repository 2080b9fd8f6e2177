/// A version that is made of numbers with dots between them.
struct DottedVersion: Comparable {
  private let numbers: [UInt64]

  /// Reads a version; `nil` when it is made of something else.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: ASCII.dot, omittingEmptySubsequences: false)
    let numbers = parts.map { part in
      part.allSatisfy(\.isDigit) ? UInt64(String(Substring(part))) : nil
    }
    guard !numbers.contains(nil) else { return nil }
    let read = numbers.compactMap(\.self)
    // 1.0 is the same as 1.
    self.numbers = Array(read.prefix((read.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  static func < (left: DottedVersion, right: DottedVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}
