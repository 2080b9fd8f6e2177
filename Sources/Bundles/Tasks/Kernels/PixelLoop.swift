/// Loops over the pixels of large images, which the compiler vectorizes because the memory of the result neither grows nor is cleared.
enum PixelLoop {
  /// Returns the value of each pixel, converted.
  static func map<Value, Result>(_ pixels: [Value], _ convert: (Value) -> Result) -> [Result] {
    unsafe [Result](unsafeUninitializedCapacity: pixels.count) { result, count in
      unsafe pixels.withUnsafeBufferPointer { pixels in
        for index in 0..<pixels.count {
          unsafe result.initializeElement(at: index, to: convert(pixels[index]))
        }
      }
      count = pixels.count
    }
  }

  /// Returns the value of each pixel of a region that a grid is enlarged to, converted; that of NaN outside the grid.
  static func interpolate<Result>(
    _ grid: [Float], _ width: Int, columns: ArraySlice<GridSampling.Position>,
    rows: ArraySlice<GridSampling.Position>, _ convert: (Float) -> Result
  ) -> [Result] {
    unsafe [Result](unsafeUninitializedCapacity: columns.count * rows.count) { result, count in
      // Rows of the grid, enlarged to columns. Adjacent rows of pixels are between the same ones, or share one.
      var (above, below) = (Row(index: -1, values: []), Row(index: -1, values: []))
      for row in rows {
        let (first, last) = row.nearest == nil ? (-1, -1) : (row.lower, row.upper)
        if above.index != first || above.values.isEmpty {
          above =
            below.index == first && !below.values.isEmpty ? below : Row(first, grid, width, columns)
        }
        if below.index != last || below.values.isEmpty {
          below = above.index == last ? above : Row(last, grid, width, columns)
        }
        let target = unsafe UnsafeMutableBufferPointer(
          rebasing: result[count..<count + columns.count])
        unsafe mix(above.values, below.values, row.weight, convert, into: target)
        count += columns.count
      }
    }
  }

  /// Converts the weighted means of two rows.
  private static func mix<Result>(
    _ above: [Float], _ below: [Float], _ weight: Float, _ convert: (Float) -> Result,
    into target: UnsafeMutableBufferPointer<Result>
  ) {
    unsafe above.withUnsafeBufferPointer { above in
      unsafe below.withUnsafeBufferPointer { below in
        for x in 0..<target.count {
          let (first, second) = unsafe (above[x], below[x])
          unsafe target.initializeElement(at: x, to: convert(first + (second - first) * weight))
        }
      }
    }
  }

  /// A row of a grid, enlarged to columns of pixels.
  private struct Row {
    let index: Int
    let values: [Float]

    init(index: Int, values: [Float]) { (self.index, self.values) = (index, values) }

    init(_ index: Int, _ grid: [Float], _ width: Int, _ columns: ArraySlice<GridSampling.Position>)
    {
      self.index = index
      values = columns.map { column in
        guard index >= 0, column.nearest != nil else { return .nan }
        let first = grid[index * width + column.lower]
        return first + (grid[index * width + column.upper] - first) * column.weight
      }
    }
  }
}
