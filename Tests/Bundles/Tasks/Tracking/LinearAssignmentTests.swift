import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct LinearAssignmentTests {
  /// The smallest sum of all assignments of the rows, or of the columns if there are fewer.
  private static func smallestSum(_ costs: [[Double]], used: Set<Int> = [], row: Int = 0) -> Double
  {
    guard row < costs.count else { return 0 }
    return costs[row].indices.filter { !used.contains($0) }
      .map {
        costs[row][$0] + smallestSum(costs, used: used.union([$0]), row: row + 1)
      }
      .min() ?? .infinity
  }

  @Test func `The sum of costs is the smallest of all assignments`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<400 {
      let (rowCount, columnCount) = (
        Int.random(in: 1...6, using: &random), Int.random(in: 1...6, using: &random)
      )
      let isCoarse = Bool.random(using: &random)
      let costs = (0..<(rowCount * columnCount)).map { _ in
        isCoarse
          ? Double(Int.random(in: -2...2, using: &random))
          : Double.random(in: -5...5, using: &random)
      }
      let columns = LinearAssignment.columns(minimizing: costs, columnCount: columnCount)
      let pairs = columns.enumerated().compactMap { row, column in column.map { (row, $0) } }
      #expect(columns.count == rowCount && pairs.count == min(rowCount, columnCount))
      #expect(Set(pairs.map(\.1)).count == pairs.count)
      let sum = pairs.reduce(0) { $0 + costs[$1.0 * columnCount + $1.1] }
      let matrix = (0..<rowCount).map { row in
        (0..<columnCount).map { costs[row * columnCount + $0] }
      }
      let transposed = (0..<columnCount).map { column in matrix.map { $0[column] } }
      let smallest = Self.smallestSum(rowCount <= columnCount ? matrix : transposed)
      #expect(abs(sum - smallest) < 1e-9)
    }
  }

  @Test func `Without rows or columns, nothing is assigned`() {
    #expect(LinearAssignment.columns(minimizing: [], columnCount: 0).isEmpty)
    #expect(LinearAssignment.columns(minimizing: [], columnCount: 3).isEmpty)
  }
}
