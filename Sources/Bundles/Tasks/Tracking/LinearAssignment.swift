/// The assignment of rows to columns with the smallest sum of costs.
///
/// The implementation augments the assignment by the shortest path for one row after another, with a
/// potential for each row and column (the algorithm of Jonker and Volgenant). The time is
/// O(rows² · columns).
package enum LinearAssignment {
  /// Returns the column of each row; `nil` for rows without a column, if there are fewer columns.
  ///
  /// - Parameters:
  ///   - costs: The costs in row-major order; they must be finite.
  ///   - columnCount: The number of columns.
  /// - Returns: The assignment, in which no column occurs twice.
  package static func columns(minimizing costs: [Double], columnCount: Int) -> [Int?] {
    guard columnCount > 0 else { return [] }
    let rowCount = costs.count / columnCount
    guard rowCount > columnCount else {
      var solver = AssignmentSolver(costs: costs, rowCount: rowCount, columnCount: columnCount)
      return solver.solve()
    }
    var transposed = [Double](repeating: 0, count: rowCount * columnCount)
    for row in 0..<rowCount {
      for column in 0..<columnCount {
        transposed[column * rowCount + row] = costs[row * columnCount + column]
      }
    }
    var solver = AssignmentSolver(
      costs: transposed, rowCount: columnCount, columnCount: rowCount)
    var columns = [Int?](repeating: nil, count: rowCount)
    for (column, row) in solver.solve().enumerated() {
      if let row { columns[row] = column }
    }
    return columns
  }
}

/// The state of a solution for a matrix that has at least as many columns as rows.
private struct AssignmentSolver {
  private static let none = -1

  private let costs: [Double]
  private let rowCount: Int
  private let columnCount: Int
  private var rowPotentials: [Double]
  private var columnPotentials: [Double]
  private var rowOfColumn: [Int]
  private var columnOfRow: [Int]
  /// The length of the shortest path to each column.
  private var distances: [Double]
  /// The row before each column on its shortest path.
  private var previousRow: [Int]
  /// The columns that are not yet reached, in no order.
  private var unreached: [Int]
  private var reached: [Int] = []

  init(costs: [Double], rowCount: Int, columnCount: Int) {
    (self.costs, self.rowCount, self.columnCount) = (costs, rowCount, columnCount)
    rowPotentials = [Double](repeating: 0, count: rowCount)
    columnPotentials = [Double](repeating: 0, count: columnCount)
    rowOfColumn = [Int](repeating: Self.none, count: columnCount)
    columnOfRow = [Int](repeating: Self.none, count: rowCount)
    distances = [Double](repeating: 0, count: columnCount)
    previousRow = [Int](repeating: Self.none, count: columnCount)
    unreached = []
  }

  mutating func solve() -> [Int?] {
    for row in 0..<rowCount { augment(from: row) }
    return columnOfRow.map { $0 == Self.none ? nil : $0 }
  }

  /// Assigns a row, and other columns to the rows on the way.
  private mutating func augment(from start: Int) {
    let (end, length) = shortestPath(from: start)
    guard end != Self.none else { return }
    rowPotentials[start] += length
    for column in reached where column != end {
      let slack = length - distances[column]
      rowPotentials[rowOfColumn[column]] += slack
      columnPotentials[column] -= slack
    }
    var column = end
    while column != Self.none {
      let row = previousRow[column]
      let next = columnOfRow[row]
      (rowOfColumn[column], columnOfRow[row]) = (row, column)
      column = row == start ? Self.none : next
    }
  }

  /// Returns the nearest column without a row, and its distance.
  private mutating func shortestPath(from start: Int) -> (column: Int, length: Double) {
    unreached = Array(0..<columnCount)
    reached.removeAll(keepingCapacity: true)
    for column in 0..<columnCount { distances[column] = .infinity }
    var (row, length) = (start, 0.0)
    while !unreached.isEmpty {
      let (offset, base) = (row * columnCount, length - rowPotentials[row])
      var (nearest, shortest) = (Self.none, Double.infinity)
      for position in unreached.indices {
        let column = unreached[position]
        let distance = base + costs[offset + column] - columnPotentials[column]
        if distance < distances[column] {
          distances[column] = distance
          previousRow[column] = row
        }
        // A column without a row ends the path.
        if distances[column] < shortest
          || distances[column] == shortest && rowOfColumn[column] == Self.none
        {
          (nearest, shortest) = (position, distances[column])
        }
      }
      guard nearest != Self.none else { break }
      length = shortest
      let column = unreached[nearest]
      unreached.swapAt(nearest, unreached.count - 1)
      unreached.removeLast()
      reached.append(column)
      guard rowOfColumn[column] != Self.none else { return (column, length) }
      row = rowOfColumn[column]
    }
    return (Self.none, 0)
  }
}
