#if Everything
  /// The alignment of two sequences that run at different speeds.
  enum TimeWarping {
    /// Returns the column at which each row of the cheapest path begins.
    ///
    /// The path runs from the first to the last element of a table in steps to the next row, the next column or both.
    ///
    /// - Parameter costs: The rows of the table.
    /// - Returns: A column for each row.
    static func starts(costs: [[Double]]) -> [Int] {
      let (rows, columns) = (costs.count, costs.first?.count ?? 0)
      guard rows > 0, columns > 0 else { return [] }
      let width = columns + 1
      var steps = [UInt8](repeating: both, count: (rows + 1) * width)
      var above = [Float](repeating: .infinity, count: width)
      above[0] = 0
      for row in 1...rows {
        var current = [Float](repeating: .infinity, count: width)
        for column in 1...columns {
          let (diagonal, down, right) = (above[column - 1], above[column], current[column - 1])
          // Which of equal steps is taken decides times, so that the order is that of the original.
          let (least, step): (Float, UInt8) =
            if diagonal < down, diagonal < right {
              (diagonal, both)
            } else if down < diagonal, down < right {
              (down, nextRow)
            } else {
              (right, nextColumn)
            }
          current[column] = Float(costs[row - 1][column - 1] + Double(least))
          steps[row * width + column] = step
        }
        above = current
      }
      var starts = [Int](repeating: 0, count: rows)
      var (row, column) = (rows, columns)
      while row > 0, column > 0 {
        starts[row - 1] = column - 1
        let step = steps[row * width + column]
        if step != nextColumn { row -= 1 }
        if step != nextRow { column -= 1 }
      }
      return starts
    }

    private static let (both, nextRow, nextColumn): (UInt8, UInt8, UInt8) = (0, 1, 2)

    /// Returns the medians of numbers and their neighbors; numbers are mirrored at the ends.
    static func medians(of numbers: [Double], width: Int) -> [Double] {
      let half = width / 2
      guard numbers.count > half else { return numbers }
      var window = [Double](repeating: 0, count: width)
      return numbers.indices.map { index in
        for offset in 0..<width {
          var position = index + offset - half
          if position < 0 { position = -position }
          if position >= numbers.count { position = 2 * (numbers.count - 1) - position }
          // Few numbers are sorted fastest as they come.
          var place = offset
          let number = numbers[max(0, position)]
          while place > 0, window[place - 1] > number {
            window[place] = window[place - 1]
            place -= 1
          }
          window[place] = number
        }
        return window[half]
      }
    }
  }
#endif
