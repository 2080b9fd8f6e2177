import TensorIOBundle

/// The window of a convolution or pooling along one axis of an image.
struct ImageWindow {
  let size: Int
  let stride: Int
  let isPadded: Bool

  /// The largest size and stride that is accepted.
  private static let maxLength = 1 << 16

  /// Creates the windows along the height and the width.
  ///
  /// - Throws: `ModelError` if the attributes are invalid or not supported.
  static func windows(
    _ attributes: TensorFlowAttributes, sizes: [Int]
  ) throws(ModelError) -> (rows: ImageWindow, columns: ImageWindow) {
    try attributes.requireChannelsLast()
    let padding = try attributes.string("padding")
    guard padding == "SAME" || padding == "VALID" else {
      throw ModelError(.runtime, .unsupported("the padding '\(padding)'"))
    }
    let strides = try attributes.integers("strides")
    let dilations = try attributes.integers("dilations")
    let unit = [sizes, strides].map { [$0.first, $0.last] } + [dilations.map(Optional.some)]
    guard
      [sizes, strides].allSatisfy({ $0.count == 4 && $0.allSatisfy((1...maxLength).contains) }),
      unit.joined().allSatisfy({ $0 == 1 })
    else {
      throw ModelError(
        .runtime,
        .unsupported("windows of the sizes \(sizes), strides \(strides), dilations \(dilations)"))
    }
    func window(_ axis: Int) -> ImageWindow {
      ImageWindow(
        size: sizes[axis], stride: strides[axis],
        isPadded: padding == "SAME")
    }
    return (window(1), window(2))
  }

  /// Returns the number of positions of the window on an axis.
  func positionCount(onAxisOf length: Int) -> Int {
    isPadded ? (length + stride - 1) / stride : max(0, (length - size + stride) / stride)
  }

  /// Returns the index of the first element that the window covers at a position; it can be outside the axis.
  func start(ofPosition position: Int, onAxisOf length: Int) -> Int {
    guard isPadded else { return position * stride }
    let missing = max(0, (positionCount(onAxisOf: length) - 1) * stride + size - length)
    return position * stride - missing / 2
  }

  /// Returns the offsets in the window whose elements are on the axis.
  func offsets(atStart start: Int, onAxisOf length: Int) -> Range<Int> {
    let first = max(0, -start)
    return first..<max(first, min(size, length - start))
  }
}
