/// Finds the class with the highest score of each cell of a grid, and of each pixel of an image that
/// the grid is enlarged to.
struct ScoreKernel: Sendable {
  private let grid: ScoreGrid
  private let options: SegmentationOptions

  /// The score from which on the only class is chosen, before the activation.
  private let binaryThreshold: Float

  init(_ grid: ScoreGrid, _ options: SegmentationOptions) {
    (self.grid, self.options) = (grid, options)
    binaryThreshold =
      options.activation == .sigmoid ? inverseSigmoid(options.minimumScore) : options.minimumScore
  }

  /// Returns the class of each cell: the first one with the highest score.
  ///
  /// NaN is never the highest score.
  func classes(of scores: [Float]) -> [UInt16] {
    let (count, cells) = (grid.classCount, grid.width * grid.height)
    guard scores.count >= count * cells else { return [] }
    if count == 1 { return scores.map { $0 >= binaryThreshold ? 1 : 0 } }
    return unsafe [UInt16](unsafeUninitializedCapacity: cells) { result, initialized in
      unsafe scores.withUnsafeBufferPointer { scores in
        if grid.scoreStride == 1 {
          for cell in 0..<cells {
            let cellScores = unsafe UnsafeBufferPointer(
              rebasing: scores[cell * count..<(cell + 1) * count])
            unsafe result.initializeElement(at: cell, to: Self.largest(of: cellScores))
          }
        } else {
          unsafe findLargest(scores, cells, &result)
        }
      }
      initialized = cells
    }
  }

  private static func largest(of scores: UnsafeBufferPointer<Float>) -> UInt16 {
    var (best, index) = (-Float.infinity, 0)
    for position in 0..<scores.count {
      let score = unsafe scores[position]
      if score > best { (best, index) = (score, position) }
    }
    return UInt16(truncatingIfNeeded: index)
  }

  /// Finds the classes in planes of scores, one per class.
  @unsafe private func findLargest(
    _ scores: UnsafeBufferPointer<Float>, _ cells: Int,
    _ result: inout UnsafeMutableBufferPointer<UInt16>
  ) {
    unsafe result.initialize(repeating: 0)
    var best = unsafe [Float](scores[..<cells])
    for index in best.indices where best[index].isNaN { best[index] = -.infinity }
    unsafe best.withUnsafeMutableBufferPointer { best in
      for index in 1..<grid.classCount {
        let plane = unsafe UnsafeBufferPointer(
          rebasing: scores[index * cells..<(index + 1) * cells])
        for cell in 0..<cells where unsafe plane[cell] > best[cell] {
          unsafe best[cell] = plane[cell]
          unsafe result[cell] = UInt16(truncatingIfNeeded: index)
        }
      }
    }
  }
}

// MARK: Enlarging

extension ScoreKernel {
  /// Returns the class of each pixel, with scores interpolated linearly between the centers of cells.
  ///
  /// Where the four surrounding cells have the same class, it is the class of the pixel as well,
  /// because its score is the highest in each of them. Only the other pixels are interpolated.
  func classes(
    of scores: [Float], _ cells: [UInt16], at sampling: GridSampling
  ) -> [UInt16] {
    guard cells.count == grid.width * grid.height else { return [] }
    let (width, height) = (sampling.width, sampling.height)
    let runs = runs(sampling.columns)
    return unsafe [UInt16](unsafeUninitializedCapacity: width * height) { result, initialized in
      unsafe scores.withUnsafeBufferPointer { scores in
        var sections: [Section] = []
        var rowCells: (lower: Int, upper: Int)?
        for (y, row) in sampling.rows.enumerated() {
          let line = unsafe UnsafeMutableBufferPointer(
            rebasing: result[y * width..<(y + 1) * width])
          guard row.nearest != nil else {
            unsafe line.initialize(repeating: Segmentation.unknownClass)
            continue
          }
          // Several rows of pixels are between the same two rows of cells.
          if rowCells?.lower != row.lower || rowCells?.upper != row.upper {
            rowCells = (row.lower, row.upper)
            updateSections(&sections, runs, cells, row)
          }
          for section in sections {
            if let index = section.index {
              unsafe line[section.pixels].initialize(repeating: index)
              continue
            }
            for x in section.pixels {
              let column = sampling.columns[x]
              unsafe line.initializeElement(
                at: x,
                to: interpolatedClass(scores, corners(column, row), column.weight, row.weight))
            }
          }
        }
      }
      initialized = width * height
    }
  }

  /// Adjacent pixels of a row that are between the same two columns of cells.
  private struct Run {
    var pixels: Range<Int>
    let column: GridSampling.Position
  }

  /// Adjacent pixels of a row with the same class; `nil` for those whose scores are interpolated.
  private struct Section {
    var pixels: Range<Int>
    let index: UInt16?
  }

  private func runs(_ columns: [GridSampling.Position]) -> [Run] {
    var runs: [Run] = []
    for (x, column) in columns.enumerated() {
      if let last = runs.last?.column, last.lower == column.lower, last.upper == column.upper,
        (last.nearest == nil) == (column.nearest == nil)
      {
        runs[runs.count - 1].pixels = runs[runs.count - 1].pixels.lowerBound..<x + 1
      } else {
        runs.append(Run(pixels: x..<x + 1, column: column))
      }
    }
    return runs
  }

  /// Finds the sections of the rows of pixels between two rows of cells.
  private func updateSections(
    _ sections: inout [Section], _ runs: [Run], _ cells: [UInt16], _ row: GridSampling.Position
  ) {
    sections.removeAll(keepingCapacity: true)
    for run in runs {
      var index: UInt16? = Segmentation.unknownClass
      if run.column.nearest != nil {
        let corners = corners(run.column, row)
        let first = cells[corners.0]
        let isUniform =
          cells[corners.1] == first && cells[corners.2] == first && cells[corners.3] == first
        index = isUniform ? first : nil
      }
      if let last = sections.last, last.index == index {
        sections[sections.count - 1].pixels = last.pixels.lowerBound..<run.pixels.upperBound
      } else {
        sections.append(Section(pixels: run.pixels, index: index))
      }
    }
  }

  private typealias Corners = (Int, Int, Int, Int)

  /// Returns the four cells around a position.
  private func corners(_ column: GridSampling.Position, _ row: GridSampling.Position) -> Corners {
    let (upper, lower) = (row.lower * grid.width, row.upper * grid.width)
    return (upper + column.lower, upper + column.upper, lower + column.lower, lower + column.upper)
  }

  @unsafe private func interpolatedClass(
    _ scores: UnsafeBufferPointer<Float>, _ corners: Corners, _ x: Float, _ y: Float
  ) -> UInt16 {
    if grid.classCount == 1 {
      return unsafe interpolated(scores, 0, corners, x, y) >= binaryThreshold ? 1 : 0
    }
    var (best, index) = (-Float.infinity, 0)
    for position in 0..<grid.classCount {
      let score = unsafe interpolated(scores, position, corners, x, y)
      if score > best { (best, index) = (score, position) }
    }
    return UInt16(truncatingIfNeeded: index)
  }

  @inline(__always)
  @unsafe private func interpolated(
    _ scores: UnsafeBufferPointer<Float>, _ index: Int, _ corners: Corners, _ x: Float, _ y: Float
  ) -> Float {
    let (stride, offset) = (grid.cellStride, index * grid.scoreStride)
    let first = unsafe scores[corners.0 * stride + offset]
    let third = unsafe scores[corners.2 * stride + offset]
    let upper = unsafe first + (scores[corners.1 * stride + offset] - first) * x
    let lower = unsafe third + (scores[corners.3 * stride + offset] - third) * x
    return upper + (lower - upper) * y
  }
}

// MARK: Confidences

extension ScoreKernel {
  /// Returns the probability of the class of each cell.
  func confidences(of scores: [Float], _ classes: [UInt16]) -> [Float] {
    classes.enumerated().map { cell, index in
      probability(of: index) { scores[cell * grid.cellStride + $0 * grid.scoreStride] }
    }
  }

  /// Returns the probability of the class of each pixel.
  func confidences(
    of scores: [Float], _ classes: [UInt16], at sampling: GridSampling
  ) -> [Float] {
    unsafe scores.withUnsafeBufferPointer { scores in
      classes.enumerated().map { pixel, index in
        let (y, x) = pixel.quotientAndRemainder(dividingBy: sampling.width)
        let (column, row) = (sampling.columns[x], sampling.rows[y])
        let corners = corners(column, row)
        return probability(of: index) {
          unsafe interpolated(scores, $0, corners, column.weight, row.weight)
        }
      }
    }
  }

  private func probability(of index: UInt16, _ score: (Int) -> Float) -> Float {
    guard index != Segmentation.unknownClass else { return 0 }
    if grid.classCount == 1 {
      let object = options.activation == .sigmoid ? sigmoid(score(0)) : score(0)
      return index == 1 ? object : 1 - object
    }
    switch options.activation {
    case .none: return score(Int(index))
    case .sigmoid: return sigmoid(score(Int(index)))
    case .softmax:
      // Relative to the highest score, which is that of the class, so that nothing overflows.
      let highest = score(Int(index))
      let sum = (0..<grid.classCount).reduce(Float(0)) { $0 + exponential(score($1) - highest) }
      return 1 / sum
    }
  }
}
