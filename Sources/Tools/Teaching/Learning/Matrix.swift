/// Rows of numbers of equal length.
struct Matrix: Sendable {
  /// The number of columns.
  let columns: Int
  /// The rows, one after the other.
  private(set) var values: [Double]

  /// Creates a matrix without rows.
  init(columns: Int) { (self.columns, values) = (columns, []) }

  /// Creates a matrix of its rows.
  init(columns: Int, values: [Double]) { (self.columns, self.values) = (columns, values) }

  /// The number of rows.
  var rows: Int { columns == 0 ? 0 : values.count / columns }

  /// Returns a row.
  subscript(row: Int) -> ArraySlice<Double> { values[row * columns..<(row + 1) * columns] }

  /// Appends a row.
  mutating func append(_ row: some Collection<Double>) { values += row }

  /// Returns the product of a row with a row of another matrix with as many columns.
  func product(_ row: Int, _ other: Matrix, _ otherRow: Int) -> Double {
    Self.product(values, row * columns, other.values, otherRow * columns, columns)
  }

  /// Returns the sum of the products of numbers of two parts of arrays.
  static func product(
    _ left: [Double], _ leftStart: Int, _ right: [Double], _ rightStart: Int, _ count: Int
  ) -> Double {
    product(
      left.span.extracting(leftStart..<leftStart + count),
      right.span.extracting(rightStart..<rightStart + count))
  }

  /// Returns the sum of the products of numbers; both have as many.
  ///
  /// Four sums let the processor add without waiting for the previous addition.
  static func product(_ left: Span<Double>, _ right: Span<Double>) -> Double {
    let count = min(left.count, right.count)
    var sums = SIMD4<Double>()
    var index = 0
    while index + 4 <= count {
      let factors = SIMD4<Double>(
        left[index], left[index + 1], left[index + 2], left[index + 3])
      let others = SIMD4<Double>(
        right[index], right[index + 1], right[index + 2], right[index + 3])
      sums += factors * others
      index += 4
    }
    var sum = sums.sum()
    while index < count {
      sum += left[index] * right[index]
      index += 1
    }
    return sum
  }
}

extension Matrix {
  /// An orthonormal basis of the rows, as rows of a matrix.
  ///
  /// Each row is made orthogonal twice: the rounding errors of the first time matter for rows that are almost a sum of
  /// others, such as the embeddings of similar images.
  var rowBasis: Matrix {
    var basis = Matrix(columns: columns)
    for row in 0..<rows {
      var rest = Array(self[row])
      let length = Self.product(rest, 0, rest, 0, columns).squareRoot()
      for _ in 0..<2 {
        for other in 0..<basis.rows {
          let part = Self.product(rest, 0, basis.values, other * columns, columns)
          for column in 0..<columns {
            rest[column] -= part * basis.values[other * columns + column]
          }
        }
      }
      let restLength = Self.product(rest, 0, rest, 0, columns).squareRoot()
      guard restLength > length * Self.smallestIndependentPart else { continue }
      basis.append(rest.map { $0 / restLength })
    }
    return basis
  }

  /// The part of a row that has to be independent of the rows before it; less is a rounding error.
  private static let smallestIndependentPart = 1e-10

  /// Returns the products of all rows with all rows of another matrix, a row for each of this matrix.
  func products(with other: Matrix) -> Matrix {
    var result = Matrix(columns: other.rows)
    for row in 0..<rows { result.append((0..<other.rows).map { product(row, other, $0) }) }
    return result
  }

  /// Returns the sums of another matrix's rows, weighted by the numbers in each row.
  func combining(_ other: Matrix) -> Matrix {
    var result = Matrix(columns: other.columns)
    for row in 0..<rows {
      var sum = [Double](repeating: 0, count: other.columns)
      for column in 0..<columns {
        let factor = values[row * columns + column]
        for index in 0..<other.columns {
          sum[index] += factor * other.values[column * other.columns + index]
        }
      }
      result.append(sum)
    }
    return result
  }

  /// Returns the rows at some indices.
  func selecting(_ indices: [Int]) -> Matrix {
    var result = Matrix(columns: columns)
    for index in indices { result.append(self[index]) }
    return result
  }

  /// The rows at unit length; zero rows are unchanged.
  var normalized: Matrix {
    var result = Matrix(columns: columns)
    for row in 0..<rows {
      let length = product(row, self, row).squareRoot()
      result.append(length > 0 ? self[row].map { $0 / length } : Array(self[row]))
    }
    return result
  }
}
