import TensorIOBundle
import TensorIOCore

/// The shape of a batch of images, with the channels last.
struct ImageShape: Equatable {
  let count: Int
  let height: Int
  let width: Int
  let channels: Int

  /// Creates the shape from dimensions; throws an error if they are not four.
  init(_ dimensions: [Int]) throws(ModelError) {
    guard dimensions.count == 4 else {
      throw ModelError(.runtime, .unsupported("images of the shape \(dimensions)"))
    }
    (count, height, width, channels) = (dimensions[0], dimensions[1], dimensions[2], dimensions[3])
  }

  /// The index of the first channel of a pixel.
  func index(_ item: Int, _ row: Int, _ column: Int) -> Int {
    ((item * height + row) * width + column) * channels
  }
}

extension TensorInfo {
  /// The dimensions without the first one, the number of items.
  ///
  /// - Throws: `ModelError` if another dimension than the first is unknown.
  func itemDimensions() throws(ModelError) -> [Int] {
    var dimensions: [Int] = []
    for dimension in shape.dimensions.dropFirst() {
      guard let dimension else {
        throw ModelError(
          .runtime, .unsupported("the shape \(shape) of '\(name)', which is not known in advance"))
      }
      dimensions.append(dimension)
    }
    return dimensions
  }
}
