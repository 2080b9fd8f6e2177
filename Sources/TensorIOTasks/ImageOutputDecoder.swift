public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage

/// Decodes the image that a model computes from an image, such as in style transfer.
///
/// ```swift
/// var decoder = try ImageOutputDecoder(model)
/// decoder.size = .original
/// try decoder.decode(model.run(photo)).write(to: "painted.png")
/// ```
public struct ImageOutputDecoder: Sendable {
  /// The size of the decoded image.
  public enum Size: String, Sendable, Hashable, CaseIterable {
    /// The size of the model's output.
    case model
    /// The size of the caller's image: the bars of a letterbox are removed, and a cropped region is
    /// resized to its original size.
    case original
  }

  /// The size of the decoded image; by default, the setting of the bundle's task or else the
  /// model's.
  public var size: Size
  /// The name of the output that is the image.
  public let output: String

  /// Creates a decoder for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    size = model.bundle.description.task?.enumValue("size") ?? .model
    let images = model.outputs.filter { if case .image = $0.kind { true } else { false } }
    guard let layer = images.first(where: { $0.role == .image }) ?? images.first else {
      throw ModelError(
        .bundle, .unsupported("an image task without an output of type image"),
        file: model.bundle.path)
    }
    output = layer.name
  }

  /// Returns the decoded image.
  public func decode(_ output: ModelOutput) throws(ModelError) -> ImageBuffer {
    let image: ImageBuffer = try output.value(of: self.output)
    guard size == .original,
      let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    else { return image }
    do throws(ImageError) {
      return try image.undoingFit(of: geometry)
    } catch {
      throw ModelError(.output, .image(error), layer: self.output)
    }
  }
}

extension ImageBuffer {
  /// Returns the image with the fit of the model's input undone.
  fileprivate func undoingFit(of geometry: ImageGeometry) throws(ImageError) -> ImageBuffer {
    let frame = (x: Double(geometry.modelWidth), y: Double(geometry.modelHeight))
    let corners = [
      geometry.modelToImage.apply(0, 0), geometry.modelToImage.apply(frame.x, frame.y),
    ]
    let visible = BoundingBox(
      xmin: corners[0].x, ymin: corners[0].y, xmax: corners[1].x, ymax: corners[1].y
    ).intersection(
      BoundingBox(
        xmin: 0, ymin: 0, xmax: Double(geometry.imageWidth), ymax: Double(geometry.imageHeight))
    )
    let low = geometry.imageToModel.apply(visible.xmin, visible.ymin)
    let high = geometry.imageToModel.apply(visible.xmax, visible.ymax)
    let scale = (x: Double(width) / frame.x, y: Double(height) / frame.y)
    let left = Int(clamping: (low.x * scale.x).rounded())
    let top = Int(clamping: (low.y * scale.y).rounded())
    let part = try cropped(
      to: PixelRegion(
        x: left, y: top, width: max(1, Int(clamping: (high.x * scale.x).rounded()) - left),
        height: max(1, Int(clamping: (high.y * scale.y).rounded()) - top)))
    let preparation = ImagePreparation(
      width: max(1, Int(clamping: visible.width.rounded())),
      height: max(1, Int(clamping: visible.height.rounded())), fit: .stretch, filter: .bicubic)
    return try preparation(part, as: format).image
  }
}
