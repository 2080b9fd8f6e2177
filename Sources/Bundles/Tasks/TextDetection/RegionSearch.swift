import TensorIOImage

/// Finds the connected regions of a map of probabilities, row by row.
///
/// A region is a list of runs: the first and last column of each of its stretches of a row. Nothing is stored per pixel, so
/// that maps of noise cost no more than others.
struct RegionSearch {
  /// Adjacent pixels of a row.
  private struct Run {
    var row: Int32
    var first: Int32
    var last: Int32
  }

  /// The runs of all regions, row by row.
  private var runs: [Run] = []
  /// The index of an earlier run of the same region, or that of the run itself.
  private var parents: [Int32] = []

  /// Finds the pixels above a threshold, which is what a region consists of.
  ///
  /// - Parameters:
  ///   - map: The probabilities, row by row; those that are not a number are below every threshold.
  ///   - width: The number of columns.
  ///   - threshold: The threshold.
  ///   - dilates: Whether a pixel also belongs to a region if the one to the left, the one above, or the one above that does,
  ///     which closes gaps.
  init(_ map: [Float], width: Int, threshold: Float, dilates: Bool) {
    guard width > 0 else { return }
    let height = map.count / width
    let values = map.span
    // The columns of a row that are set in it and in the row above.
    var (current, above) = (
      [UInt8](repeating: 0, count: width), [UInt8](repeating: 0, count: width)
    )
    var previousRow = 0..<0
    for row in 0..<height {
      let start = row * width
      for column in 0..<width { current[column] = values[start + column] > threshold ? 1 : 0 }
      let begin = runs.count
      var first: Int32 = -1
      var left: UInt8 = 0
      for column in 0..<width {
        let own = dilates ? current[column] | above[column] : current[column]
        if own | (dilates ? left : 0) != 0 {
          if first < 0 { first = Int32(column) }
        } else if first >= 0 {
          runs.append(Run(row: Int32(row), first: first, last: Int32(column) - 1))
          first = -1
        }
        left = own
      }
      if first >= 0 { runs.append(Run(row: Int32(row), first: first, last: Int32(width) - 1)) }
      parents += Int32(begin)..<Int32(runs.count)
      connect(begin..<runs.count, to: previousRow)
      previousRow = begin..<runs.count
      swap(&current, &above)
    }
  }

  /// Connects the runs of a row with those of the row above that touch them, also at corners.
  private mutating func connect(_ row: Range<Int>, to above: Range<Int>) {
    var next = above.lowerBound
    for index in row {
      while next < above.upperBound, runs[next].last < runs[index].first - 1 { next += 1 }
      var other = next
      while other < above.upperBound, runs[other].first <= runs[index].last + 1 {
        let (one, two) = (root(of: index), root(of: other))
        if one != two { parents[max(one, two)] = Int32(min(one, two)) }
        other += 1
      }
    }
  }

  private mutating func root(of run: Int) -> Int {
    var index = run
    while parents[index] != Int32(index) {
      parents[index] = parents[Int(parents[index])]
      index = Int(parents[index])
    }
    return index
  }

  /// A region.
  struct Region {
    /// The ends of the rows, whose convex hull is that of all pixels.
    var points: [AffineMap.Point] = []
    /// The number of pixels.
    var area = 0
    /// The sum of the probabilities.
    var sum = 0.0
  }

  /// Returns the largest regions, from top to bottom.
  ///
  /// - Parameters:
  ///   - map: The probabilities.
  ///   - width: The number of columns.
  ///   - limit: The maximum number of regions.
  /// - Returns: The regions.
  mutating func regions(in map: [Float], width: Int, limit: Int) -> [Region] {
    var areas: [Int: Int] = [:]
    for index in runs.indices {
      areas[root(of: index), default: 0] += Int(runs[index].last - runs[index].first) + 1
    }
    var chosen = areas.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
    if chosen.count > limit { chosen.removeSubrange(limit...) }
    chosen.sort { $0.key < $1.key }
    var positions: [Int: Int] = [:]
    for (position, region) in chosen.enumerated() { positions[region.key] = position }
    var regions = chosen.map { Region(area: $0.value) }
    let values = map.span
    for index in runs.indices {
      guard let position = positions[root(of: index)] else { continue }
      let run = runs[index]
      let y = Double(run.row)
      regions[position].points.append(.init(x: Double(run.first), y: y))
      if run.last > run.first {
        regions[position].points.append(.init(x: Double(run.last), y: y))
      }
      let start = Int(run.row) * width
      var sum = 0.0
      for column in Int(run.first)...Int(run.last) {
        let value = values[start + column]
        if value == value { sum += Double(value) }
      }
      regions[position].sum += sum
    }
    return regions
  }
}
