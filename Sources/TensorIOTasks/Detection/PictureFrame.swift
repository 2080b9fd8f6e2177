internal import TensorIOCore
internal import TensorIOImage

/// How places in a model's picture are found in the caller's.
struct PictureFrame: Sendable {
  /// The size of the model's picture.
  private var size = (width: 1.0, height: 1.0)
  /// The way back to the caller's picture.
  private var map = AffineMap.identity
  /// What the caller's picture shows; `nil` where nobody knows it.
  private(set) var bounds: Box?

  /// The frame of a model's first picture.
  init(_ inputs: [Layer]) {
    for layer in inputs {
      guard case .image(let image) = layer.kind else { continue }
      size = (Double(image.width), Double(image.height))
      bounds = Box(xmin: 0, ymin: 0, xmax: size.width, ymax: size.height)
      return
    }
  }

  /// The frame of a run, whose first picture was fitted so.
  func fitted(by geometries: [ImageGeometry?]) -> PictureFrame {
    guard let geometry = geometries.lazy.compactMap(\.self).first else { return self }
    var frame = self
    frame.size = (Double(geometry.modelWidth), Double(geometry.modelHeight))
    frame.map = geometry.modelToPicture
    frame.bounds = Box(
      xmin: 0, ymin: 0, xmax: Double(geometry.pictureWidth), ymax: Double(geometry.pictureHeight))
    return frame
  }

  /// Where four numbers of a model's put a box.
  func box(_ corners: ArraySlice<Float>, _ options: DetectionOptions) -> Box {
    let numbers = corners.map(Double.init)
    let edges =
      switch options.boxOrder {
      case .yxyx: [numbers[1], numbers[0], numbers[3], numbers[2]]
      case .xyxy: numbers
      case .cxcywh:
        [
          numbers[0] - numbers[2] / 2, numbers[1] - numbers[3] / 2,
          numbers[0] + numbers[2] / 2, numbers[1] + numbers[3] / 2,
        ]
      }
    let low = place(edges[0], edges[1], options)
    let high = place(edges[2], edges[3], options)
    return Box(xmin: low.x, ymin: low.y, xmax: high.x, ymax: high.y)
  }

  /// Where two numbers of a model's put a point; they are in the order of the box's corners.
  func point(
    _ first: Float, _ second: Float, _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    options.boxOrder == .yxyx
      ? place(Double(second), Double(first), options)
      : place(Double(first), Double(second), options)
  }

  private func place(
    _ x: Double, _ y: Double, _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    switch options.coordinates {
    case .normalized: map.apply(x * size.width, y * size.height)
    case .pixels: map.apply(x, y)
    }
  }
}
