package import TensorIOBundle
package import TensorIOCore
package import TensorIOImage

/// Image: an image that the model computes from an image.
package struct ImageOutputTask: ModelTask {
  package static let format = TaskFormat(
    "style", "image",
    requiredOutputs: [
      TaskFormat.OutputRequirement("an output of the type \"image\"") { outputs in
        outputs.contains(where: \.isImage)
      }
    ],
    interface: TaskInterface("image").with {
      $0.outputExpression = "image"
      $0.replaces = { _ in false }
      $0.labeledOutput = { outputs in
        outputs.first { $0.isImage && $0.role == .image } ?? outputs.first(where: \.isImage)
      }
    }
  ) {
    size
  }

  private static let size = TaskSetting.size(default: ImageOutputOptions().size)

  /// The size of the decoded image.
  package var options: ImageOutputOptions
  /// The name of the output that is the image.
  package let output: String

  package init(_ model: ModelInfo) throws(ModelError) {
    options = ImageOutputOptions(size: model[Self.size])
    let images = model.outputs.filter { if case .image = $0.kind { true } else { false } }
    guard let layer = images.first(where: { $0.role == .image }) ?? images.first else {
      throw ModelError(
        .bundle, .unmetRequirement("the task image requires an output of type image"),
        file: model.bundle.path)
    }
    output = layer.name
  }

  package func result(of output: ModelOutput) throws(ModelError) -> ImageBuffer {
    let image: ImageBuffer = try output.value(of: self.output)
    guard options.size == .original,
      let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    else { return image }
    do throws(ImageError) {
      return try image.undoingFit(of: geometry)
    } catch {
      throw ModelError(.output, .image(error), layer: self.output)
    }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    .value(key: self.output, .image(try result(of: output)), replacing: self.output)
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
