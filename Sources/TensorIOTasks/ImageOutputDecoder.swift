public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage

/// Reads the picture that a model made of a picture, as after a style transfer.
///
///     var reader = try ImageOutputDecoder(model)
///     reader.size = .original
///     try reader.read(model.run(photo)).write(to: "painted.png")
public struct ImageOutputDecoder: Sendable {
  /// How large the picture is.
  public enum Size: String, Sendable, Hashable, CaseIterable {
    /// As it comes out of the model.
    case model
    /// As the caller's picture: the bars of a letterbox are cut off, and what a crop has left of
    /// the picture is brought back to its size there.
    case original
  }

  /// How large the picture is; by default what the bundle's task says, or else as the model has it.
  public var size: Size
  /// The output that is the picture.
  public let output: String

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    size = model.bundle.description.task?.enumValue("size") ?? .model
    let pictures = model.outputs.filter { if case .image = $0.kind { true } else { false } }
    guard let layer = pictures.first(where: { $0.role == .image }) ?? pictures.first else {
      throw ModelError(
        .bundle, .unsupported("a picture without an output of the type image"),
        file: model.bundle.path)
    }
    output = layer.name
  }

  /// The picture.
  public func decode(_ output: ModelOutput) throws(ModelError) -> ImageBuffer {
    let picture: ImageBuffer = try output.value(of: self.output)
    guard size == .original, let geometry = output.imageGeometries.lazy.compactMap(\.self).first else {
      return picture
    }
    do throws(ImageError) {
      return try picture.undoingFit(of: geometry)
    } catch {
      throw ModelError(.output, .image(error), layer: self.output)
    }
  }
}

extension ImageBuffer {
  /// The picture with the fit undone that its model's input went through.
  fileprivate func undoingFit(of geometry: ImageGeometry) throws(ImageError) -> ImageBuffer {
    let frame = (x: Double(geometry.modelWidth), y: Double(geometry.modelHeight))
    let corners = [
      geometry.modelToImage.apply(0, 0), geometry.modelToImage.apply(frame.x, frame.y),
    ]
    let shown = BoundingBox(
      xmin: corners[0].x, ymin: corners[0].y, xmax: corners[1].x, ymax: corners[1].y
    ).intersection(
      BoundingBox(
        xmin: 0, ymin: 0, xmax: Double(geometry.imageWidth), ymax: Double(geometry.imageHeight))
    )
    let low = geometry.imageToModel.apply(shown.xmin, shown.ymin)
    let high = geometry.imageToModel.apply(shown.xmax, shown.ymax)
    let scale = (x: Double(width) / frame.x, y: Double(height) / frame.y)
    let left = Int(clamping: (low.x * scale.x).rounded())
    let top = Int(clamping: (low.y * scale.y).rounded())
    let part = try cropped(
      to: PixelRegion(
        x: left, y: top, width: max(1, Int(clamping: (high.x * scale.x).rounded()) - left),
        height: max(1, Int(clamping: (high.y * scale.y).rounded()) - top)))
    let preparation = ImagePreparation(
      width: max(1, Int(clamping: shown.width.rounded())),
      height: max(1, Int(clamping: shown.height.rounded())), fit: .stretch, filter: .bicubic)
    return try preparation(part, as: format).image
  }
}
