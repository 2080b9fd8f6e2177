import TensorIOBundle
import TensorIOCore

/// Images with the positions of a window, such as that of a convolution or of pooling.
struct WindowedImages {
  let images: ImageShape
  /// The shape of a tensor with a pixel for each position.
  let positions: ImageShape
  private let rows: ImageWindow
  private let columns: ImageWindow

  /// Creates the positions of a window.
  ///
  /// - Throws: `ModelError` if the shapes do not match.
  init(
    _ images: [Int], _ positions: [Int], _ rows: ImageWindow, _ columns: ImageWindow
  ) throws(ModelError) {
    (self.images, self.positions) = (try ImageShape(images), try ImageShape(positions))
    (self.rows, self.columns) = (rows, columns)
    guard self.images.count == self.positions.count,
      rows.positionCount(onAxisOf: self.images.height) == self.positions.height,
      columns.positionCount(onAxisOf: self.images.width) == self.positions.width
    else {
      throw ModelError(
        .runtime, .unsupported("images of the shapes \(images) and \(positions)"))
    }
  }

  /// The window at one position.
  struct Window {
    /// The index of the first channel of the position.
    let position: Int
    fileprivate let images: ImageShape
    fileprivate let item: Int
    fileprivate let (top, left): (Int, Int)
    fileprivate let (rowOffsets, columnOffsets): (Range<Int>, Range<Int>)
    fileprivate let columnCount: Int

    /// The number of pixels of the image in the window.
    var pixelCount: Int { rowOffsets.count * columnOffsets.count }

    /// Calls `body` with the index of each pixel's first channel, and with its number in the window.
    func forEachPixel(_ body: (_ pixel: Int, _ number: Int) -> Void) {
      for row in rowOffsets {
        for column in columnOffsets {
          body(images.index(item, top + row, left + column), row * columnCount + column)
        }
      }
    }
  }

  /// Calls `body` for each position, unless the call is canceled.
  func forEachWindow(in call: borrowing CustomOperatorCall, _ body: (Window) -> Void) {
    for item in 0..<positions.count where !call.isCancelled {
      for row in 0..<positions.height {
        let top = rows.start(ofPosition: row, onAxisOf: images.height)
        let rowOffsets = rows.offsets(atStart: top, onAxisOf: images.height)
        for column in 0..<positions.width {
          let left = columns.start(ofPosition: column, onAxisOf: images.width)
          body(
            Window(
              position: positions.index(item, row, column), images: images, item: item, top: top,
              left: left, rowOffsets: rowOffsets,
              columnOffsets: columns.offsets(atStart: left, onAxisOf: images.width),
              columnCount: columns.size))
        }
      }
    }
  }
}
