import TensorIOImage

/// The positions in a model's output grid that correspond to the pixels of the caller's image.
struct GridSampling: Sendable {
  /// Two adjacent cells and the weight of the second one.
  struct Position: Sendable {
    let lower: Int
    let upper: Int
    let weight: Float
    /// The cell that contains the position; `nil` if it is outside the grid.
    let nearest: Int?
  }

  /// The size of the caller's image.
  let (width, height): (Int, Int)
  /// The positions by column and by row of the image.
  let (columns, rows): ([Position], [Position])
  let gridWidth: Int

  /// Creates the positions for the image of a run.
  ///
  /// The rotation of a region of interest is ignored: rows of the image are rows of the grid.
  init(_ geometry: ImageGeometry, _ grid: ScoreGrid) {
    (width, height) = (geometry.imageWidth, geometry.imageHeight)
    gridWidth = grid.width
    let map = geometry.imageToModel
    columns = Self.positions(
      count: width, scale: map.a, offset: map.tx, modelSize: geometry.modelWidth, cells: grid.width)
    rows = Self.positions(
      count: height, scale: map.d, offset: map.ty, modelSize: geometry.modelHeight,
      cells: grid.height)
  }

  /// Creates the positions in a grid whose cells are points at multiples of a distance in the model's input.
  init(_ geometry: ImageGeometry, _ grid: KeypointGrid, strides: (x: Double, y: Double)) {
    (width, height) = (geometry.imageWidth, geometry.imageHeight)
    gridWidth = grid.width
    let map = geometry.imageToModel
    columns = Self.positions(
      count: width, map.a, map.tx, Double(geometry.modelWidth), strides.x, cells: grid.width)
    rows = Self.positions(
      count: height, map.d, map.ty, Double(geometry.modelHeight), strides.y, cells: grid.height)
  }

  private static func positions(
    count: Int, _ scale: Double, _ offset: Double, _ side: Double, _ stride: Double, cells: Int
  ) -> [Position] {
    (0..<count).map { pixel in
      let place = (Double(pixel) + 0.5) * scale + offset
      let position = min(max(place / stride, 0), Double(cells - 1))
      let lower = Int(position)
      return Position(
        lower: lower, upper: min(lower + 1, cells - 1), weight: Float(position - Double(lower)),
        nearest: (0..<side).contains(place) ? Int(position.rounded()) : nil)
    }
  }

  /// Returns the positions of pixels along one axis, whose centers are mapped to the grid.
  private static func positions(
    count: Int, scale: Double, offset: Double, modelSize: Int, cells: Int
  ) -> [Position] {
    (0..<count).map { pixel in
      let position =
        ((Double(pixel) + 0.5) * scale + offset) / Double(max(1, modelSize)) * Double(cells)
      let clamped = min(max(position - 0.5, 0), Double(cells - 1))
      let lower = Int(clamped)
      return Position(
        lower: lower, upper: min(lower + 1, cells - 1), weight: Float(clamped - Double(lower)),
        nearest: (0..<Double(cells)).contains(position) ? Int(position) : nil)
    }
  }

  /// Returns the value of each pixel, interpolated linearly between the centers of cells; NaN outside
  /// the grid.
  func interpolated(_ values: [Float]) -> [Float] {
    interpolated(values, columns: 0..<width, rows: 0..<height) { $0 }
  }

  /// Returns the value of each pixel of a region of the image, interpolated linearly between the
  /// centers of cells, and converted; that of NaN outside the grid.
  func interpolated<Value>(
    _ values: [Float], columns columnRange: Range<Int>, rows rowRange: Range<Int>,
    _ convert: (Float) -> Value
  ) -> [Value] {
    PixelLoop.interpolate(
      values, gridWidth, columns: columns[columnRange], rows: rows[rowRange], convert)
  }

  /// Returns the class of the cell that contains each pixel.
  func nearest(_ classes: [UInt16]) -> [UInt16] {
    rows.flatMap { row -> [UInt16] in
      guard let y = row.nearest else {
        return [UInt16](repeating: Segmentation.unknownClass, count: width)
      }
      return columns.map { column in
        column.nearest.map { classes[y * gridWidth + $0] } ?? Segmentation.unknownClass
      }
    }
  }
}
