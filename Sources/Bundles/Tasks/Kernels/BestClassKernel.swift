/// Finds the highest of several scores for each row of a tensor.
///
/// NaN is never the highest score; the result is negative infinity if there is no other.
struct BestClassKernel {
  private typealias Lanes = SIMD8<Float>

  /// The scores and other numbers of all rows.
  private let values: [Float]
  /// The index of the first score of the first row.
  private let start: Int
  /// The number of scores of a row.
  private let scoreCount: Int
  /// The number of rows.
  private let rowCount: Int
  /// The distance between the scores of a row.
  private let scoreStride: Int
  /// The distance between the first scores of rows.
  private let rowStride: Int
  /// The class of the first score.
  private let firstClass: Int

  /// Creates a kernel for a matrix with a row per object.
  ///
  /// - Parameters:
  ///   - values: The matrix, in row-major order.
  ///   - rows: The number of objects.
  ///   - columns: The number of columns.
  ///   - scores: The columns with the scores that are compared.
  ///   - firstClass: The class of the first of them.
  init(
    rowsOf values: [Float], rows: Int, columns: Int, scores: Range<Int>, firstClass: Int = 0
  ) {
    precondition(values.count >= rows * columns && scores.lowerBound >= firstClass)
    precondition(scores.upperBound <= columns)
    (self.values, start, scoreCount, rowCount) = (values, scores.lowerBound, scores.count, rows)
    (scoreStride, rowStride, self.firstClass) = (1, columns, firstClass)
  }

  /// Creates a kernel for a matrix with a column per object, of which some rows are scores.
  init(columnsOf values: [Float], rows: Int, columns: Int, scores: Range<Int>) {
    precondition(values.count >= rows * columns && scores.lowerBound >= 0)
    precondition(scores.upperBound <= rows)
    self.values = values
    (start, scoreCount, rowCount) = (scores.lowerBound * columns, scores.count, columns)
    (scoreStride, rowStride, firstClass) = (columns, 1, 0)
  }

  /// Returns the highest score of each row.
  func bestScores() -> [Float] {
    var best = [Float](repeating: -.infinity, count: rowCount)
    unsafe values.withUnsafeBufferPointer { values in
      unsafe best.withUnsafeMutableBufferPointer { best in
        if scoreStride == 1 {
          for row in 0..<rowCount {
            unsafe best[row] = bestOfContiguous(values, at: start + row * rowStride)
          }
        } else {
          // Blocks of rows, so that their best scores stay in the first-level cache.
          for block in stride(from: 0, to: rowCount, by: 2_048) {
            let rows = block..<min(block + 2_048, rowCount)
            for score in 0..<scoreCount {
              unsafe raise(best, rows, to: values, from: start + score * scoreStride)
            }
          }
        }
      }
    }
    return best
  }

  /// Returns the first class of a row with a score; `nil` if there is none.
  func index(of score: Float, row: Int) -> Int? {
    let first = start + row * rowStride
    return (0..<scoreCount).first { values[first + $0 * scoreStride] == score }
      .map { $0 + firstClass }
  }

  /// Returns the probability of a score among all columns of its row, which are the logarithms of
  /// relative probabilities.
  func softmax(of score: Float, row: Int) -> Float {
    var sum: Float = 0
    for value in values[row * rowStride..<(row + 1) * rowStride] {
      sum += exponential(value - score)
    }
    return 1 / sum
  }

  @unsafe private func bestOfContiguous(
    _ values: UnsafeBufferPointer<Float>, at first: Int
  ) -> Float {
    var lanes = Lanes(repeating: -.infinity)
    var index = 0
    if scoreCount >= Lanes.scalarCount {
      while index + Lanes.scalarCount <= scoreCount {
        let next = unsafe Self.load(values, first + index)
        lanes.replace(with: next, where: next .> lanes)
        index += Lanes.scalarCount
      }
    }
    var best = -Float.infinity
    for lane in 0..<Lanes.scalarCount where lanes[lane] > best { best = lanes[lane] }
    while index < scoreCount {
      let next = unsafe values[first + index]
      if next > best { best = next }
      index += 1
    }
    return best
  }

  @unsafe private func raise(
    _ best: UnsafeMutableBufferPointer<Float>, _ rows: Range<Int>,
    to values: UnsafeBufferPointer<Float>, from first: Int
  ) {
    guard let target = UnsafeMutableRawPointer(best.baseAddress) else { return }
    var row = rows.lowerBound
    while row + Lanes.scalarCount <= rows.upperBound {
      let offset = row * MemoryLayout<Float>.stride
      let next = unsafe Self.load(values, first + row)
      var lanes = unsafe target.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
      lanes.replace(with: next, where: next .> lanes)
      unsafe target.storeBytes(of: lanes, toByteOffset: offset, as: Lanes.self)
      row += Lanes.scalarCount
    }
    while row < rows.upperBound {
      let next = unsafe values[first + row]
      if unsafe next > best[row] { unsafe best[row] = next }
      row += 1
    }
  }

  @unsafe private static func load(_ values: UnsafeBufferPointer<Float>, _ index: Int) -> Lanes {
    unsafe UnsafeRawBufferPointer(values).loadUnaligned(
      fromByteOffset: index * MemoryLayout<Float>.stride, as: Lanes.self)
  }
}
