/// Items that are sorted by the group to which each belongs, so that their weights are added one after the other.
///
/// A loop over unsorted items that adds to the sum of each one's group waits for the last addition to that group.
struct ItemGroups: Sendable {
  /// The items, those of a group after each other.
  private let items: [Int32]
  /// The end of each group.
  private let ends: [Int]

  /// Sorts items.
  ///
  /// - Parameters:
  ///   - groups: The group of each item.
  ///   - count: The number of groups.
  init(_ groups: [Int32], count: Int) {
    var positions = [Int](repeating: 0, count: count + 1)
    for group in groups { positions[Int(group) + 1] += 1 }
    for group in 0..<count { positions[group + 1] += positions[group] }
    ends = Array(positions.dropFirst())
    var items = [Int32](repeating: 0, count: groups.count)
    for (item, group) in groups.enumerated() {
      items[positions[Int(group)]] = Int32(item)
      positions[Int(group)] += 1
    }
    self.items = items
  }

  /// Returns values of the items in the order of the groups.
  func ordered<Value>(_ values: [Value]) -> [Value] { items.map { values[Int($0)] } }

  /// Returns the sum of the weights in each group.
  func sums(_ weights: [Int32]) -> [Int] {
    var start = 0
    return ends.map { end in
      defer { start = end }
      return items[start..<end].reduce(0) { $0 + Int(weights[Int($1)]) }
    }
  }

  /// Returns the sum of weights times values in each group; the values are in the order of the groups.
  func sums(_ weights: [Int32], times values: [Double]) -> [Double] {
    let weights = ordered(weights)
    var start = 0
    return ends.map { end in
      defer { start = end }
      return values.sum(start..<end, weightedBy: weights)
    }
  }
}

extension [Double] {
  /// Returns the sum of values times weights.
  func sum(weightedBy weights: [Int32]) -> Double { sum(weights.indices, weightedBy: weights) }

  /// Returns the sum of values times weights in a range.
  ///
  /// Four sums do not wait for each other.
  fileprivate func sum(_ range: Range<Int>, weightedBy weights: [Int32]) -> Double {
    var sums = SIMD4<Double>()
    var index = range.lowerBound
    while index + 4 <= range.upperBound {
      let factors = SIMD4(
        weights[index], weights[index + 1], weights[index + 2], weights[index + 3])
      sums +=
        SIMD4<Double>(factors)
        * SIMD4(self[index], self[index + 1], self[index + 2], self[index + 3])
      index += 4
    }
    return (index..<range.upperBound).reduce(sums.sum()) { $0 + Double(weights[$1]) * self[$1] }
  }
}
