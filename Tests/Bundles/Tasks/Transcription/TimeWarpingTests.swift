import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// The alignment of tokens with times.
@Suite struct TimeWarpingTests {
  /// Returns the cost of the cheapest path of all.
  private func cheapest(_ costs: [[Double]], _ row: Int = 0, _ column: Int = 0) -> Double {
    let (rows, columns) = (costs.count, costs[0].count)
    guard row < rows - 1 || column < columns - 1 else { return costs[row][column] }
    var best = Double.infinity
    for (down, right) in [(1, 1), (1, 0), (0, 1)]
    where row + down < rows && column + right < columns {
      best = min(best, cheapest(costs, row + down, column + right))
    }
    return costs[row][column] + best
  }

  @Test func `The path is the cheapest one`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      let (rows, columns) = (
        Int.random(in: 1...5, using: &random), Int.random(in: 1...6, using: &random)
      )
      let costs = (0..<rows).map { _ in
        (0..<columns).map { _ in Double.random(in: -1...1, using: &random) }
      }
      let starts = TimeWarping.starts(costs: costs)
      #expect(starts.count == rows)
      #expect(starts[0] == 0)
      // Between two starts, the path stays in the row above up to the next start, or to the column before it.
      var best = [Double](repeating: .infinity, count: columns)
      for end in 0..<columns where rows == 1 || end <= starts[1] {
        best[end] = costs[0][...end].reduce(0, +)
      }
      for row in 1..<max(1, rows) {
        var next = [Double](repeating: .infinity, count: columns)
        let start = starts[row]
        let before = min(best[start], start > 0 ? best[start - 1] : .infinity)
        var sum = before
        for column in start..<columns {
          sum += costs[row][column]
          next[column] = sum
        }
        best = next
      }
      #expect(abs(best[columns - 1] - cheapest(costs)) < 1e-5, "\(costs) \(starts)")
    }
  }

  @Test func `Equal costs move to the next column, as in the original`() {
    #expect(TimeWarping.starts(costs: [[0, 0, 0], [0, 0, 0]]) == [0, 0])
    #expect(TimeWarping.starts(costs: [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]) == [0, 0, 1])
    #expect(TimeWarping.starts(costs: [[-1, 1, 1], [1, -1, 1], [1, 1, -1]]) == [0, 1, 2])
    #expect(TimeWarping.starts(costs: []).isEmpty)
  }

  @Test func `Medians mirror the ends`() {
    #expect(TimeWarping.medians(of: [5, 1, 4, 2, 3], width: 3) == [1, 4, 2, 3, 2])
    #expect(TimeWarping.medians(of: [3, 1, 2], width: 7) == [3, 1, 2], "too few for the width")
    #expect(TimeWarping.medians(of: [9, 0, 0, 9], width: 7) == [0, 0, 0, 0])
  }
}
