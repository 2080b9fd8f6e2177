/// A set of Unicode scalars.
struct ScalarSet: Sendable, Hashable {
  /// Sorted ranges that do not touch.
  private(set) var ranges: [ClosedRange<UInt32>]
  /// Membership of the scalars 0 to 63.
  private var low: UInt64 = 0
  /// Membership of the scalars 64 to 127.
  private var high: UInt64 = 0

  /// Creates a set of ranges.
  init(_ ranges: [ClosedRange<UInt32>]) {
    var merged: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    self.ranges = merged
    for range in merged where range.lowerBound < 128 {
      for value in range.lowerBound...min(range.upperBound, 127) {
        if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
      }
    }
  }

  /// The scalars that are not in the set.
  var complement: ScalarSet {
    var gaps: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    for range in ranges {
      if range.lowerBound > start { gaps.append(start...range.lowerBound - 1) }
      start = range.upperBound + 1
    }
    if start <= 0x10_FFFF { gaps.append(start...0x10_FFFF) }
    return ScalarSet(gaps)
  }

  /// The only scalar of the set, or `nil` if it has another number of scalars.
  var single: UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }

  /// Returns the scalars of either set.
  func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

  /// Returns the scalars of both sets.
  func intersection(_ other: ScalarSet) -> ScalarSet {
    complement.union(other.complement).complement
  }

  /// Whether the set has a scalar.
  @inline(__always)
  func contains(_ value: UInt32) -> Bool {
    if value < 64 { return low >> UInt64(value) & 1 == 1 }
    if value < 128 { return high >> UInt64(value - 64) & 1 == 1 }
    var (first, end) = (0, ranges.count)
    while first < end {
      let middle = (first + end) >> 1
      if ranges[middle].upperBound < value { first = middle + 1 } else { end = middle }
    }
    return first < ranges.count && ranges[first].contains(value)
  }

  /// `\d`: the digits of ASCII.
  static let digits = ScalarSet([0x30...0x39])
  /// `\w`: the letters and digits of ASCII, and the underscore.
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  /// `\s`: space, tab, line feed, form feed and carriage return.
  static let space = ScalarSet([0x09...0x0A, 0x0C...0x0D, 0x20...0x20])
  /// `.`: everything but the line feed.
  static let notLineFeed = ScalarSet([0x0A...0x0A]).complement
  /// `.` of ECMAScript: everything but the ends of lines.
  static let notLineTerminator = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).complement

  /// All scalars.
  static let all = ScalarSet([0...0x10_FFFF])
  /// `\d` of Unicode: decimal numbers.
  static let decimalNumbers = ScalarCategories.set(named: "Nd") ?? digits
  /// `\w` of Unicode: letters, marks, decimal and letter numbers, connecting punctuation, and circled and squared letters; and
  /// the other numbers of Latin-1, as in Oniguruma.
  static let wordCharacters = ["L", "M", "Nd", "Nl", "Pc"].compactMap(ScalarCategories.set(named:))
    .reduce(
      ScalarSet([
        0xB2...0xB3, 0xB9...0xB9, 0xBC...0xBE, 0x24B6...0x24E9, 0x1_F130...0x1_F149,
        0x1_F150...0x1_F169, 0x1_F170...0x1_F189,
      ])
    ) { $0.union($1) }
  /// `\s` of Unicode: white space.
  static let whiteSpace = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A,
    0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
  ])
  /// `\s` of ECMAScript: white space, ends of lines and the byte order mark.
  static let scriptSpace = whiteSpace.intersection(ScalarSet([0x85...0x85]).complement)
    .union(ScalarSet([0xFEFF...0xFEFF]))
}
