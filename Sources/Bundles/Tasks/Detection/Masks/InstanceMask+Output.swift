import TensorIOBundle
import TensorIOCore
import TensorIOImage

extension InstanceMask: ResultRecord {
  /// The location and the pixels.
  public static let members = [
    Member("x", \.left), Member("y", \.top), Member("width", \.width),
    Member("height", \.height), Member("pixels", \.pixelCount), Member("png") { try? $0.image },
  ]
}

extension InstanceMask {
  /// Returns the mask as an element of an overlay; `nil` if the region is empty.
  func element(in color: PixelColor) -> Overlay.Element? {
    guard width > 0, height > 0 else { return nil }
    let region = BoundingBox(
      xmin: Double(left), ymin: Double(top), xmax: Double(left + width),
      ymax: Double(top + height))
    return .mask(
      Overlay.Mask(
        region: region, width: width, indices: pixels.map { $0 ? 1 : 0 }, palette: [nil, color]))
  }
}

extension [InstanceMask] {
  /// Returns an image whose pixels that belong to no object are transparent; `nil` if there are no masks.
  func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? {
    guard !isEmpty else { return nil }
    let width = image.width
    var classes = [UInt16](repeating: 0, count: width * image.height)
    for mask in self {
      for y in mask.top..<Swift.min(mask.top + mask.height, image.height) {
        for x in mask.left..<Swift.min(mask.left + mask.width, width)
        where mask.contains(x: x, y: y) {
          classes[y * width + x] = 1
        }
      }
    }
    return try Segmentation(width: width, classes: classes, labels: [], background: ["0"])
      .cutOut(from: image)
  }
}
