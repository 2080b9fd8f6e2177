/// The rows of a table of decompositions: each scalar and what it decomposes into in one step.
struct DecompositionRows: Sequence, IteratorProtocol {
  private var rows: IndexingIterator<[Substring.UTF8View.SubSequence]>
  private var scalar: UInt32 = 0

  /// Reads a table of numbers in base 36.
  init(_ text: StaticString) {
    rows = Substring(String(describing: text)).utf8.split(separator: UInt8(ascii: ","))
      .makeIterator()
  }

  /// Returns the next scalar and its parts.
  mutating func next() -> (scalar: UInt32, parts: [UInt32])? {
    guard let row = rows.next() else { return nil }
    let numbers = row.split(separator: UInt8(ascii: " ")).map(Self.number)
    scalar += numbers.first ?? 0
    return (scalar, Array(numbers.dropFirst()))
  }

  private static func number(_ digits: Substring.UTF8View.SubSequence) -> UInt32 {
    digits.reduce(0) { number, digit in
      number * 36 + UInt32(digit < UInt8(ascii: "a") ? digit - 48 : digit - 87)
    }
  }
}
