public import TensorIOBundle
public import TensorIOImage

extension Segmentation {
  /// Returns an image with the pixels of some classes, and transparent elsewhere.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "portrait.tiobundle")
  /// let image = try ImageBuffer(contentsOf: "ada.jpg")
  /// let segmentation = try model.run(image).segmentation
  /// try segmentation.cutOut(["person"], from: image).write(to: "ada.png")
  /// ```
  ///
  /// - Parameters:
  ///   - labels: The labels of the classes; `nil` for all ``regions``.
  ///   - image: The image that was segmented. If it has another size than the result, each pixel has
  ///     the class of the nearest pixel of the result.
  /// - Returns: An image of the size of `image` with the format ``PixelFormat/rgba``.
  /// - Throws: A ``ModelError`` if no class has one of the labels, or the result has no pixels.
  public func cutOut(
    _ labels: [String]? = nil, from image: ImageBuffer
  ) throws(ModelError) -> ImageBuffer {
    var selected: Set<Int> = labels == nil ? Set(regions.map(\.index)) : []
    for label in labels ?? [] {
      guard let index = classIndex(of: label) else {
        throw ModelError(.output, .invalidValue("no class has the label '\(label, as: "label")'"))
      }
      selected.insert(index)
    }
    guard width > 0, height > 0 else {
      throw ModelError(.output, .invalidValue("the segmentation has no pixels"))
    }
    let colors = image.converted(to: .rgb).pixels
    var pixels = [UInt8](repeating: 0, count: image.width * image.height * 4)
    for y in 0..<image.height {
      let row = y * height / image.height * width
      for x in 0..<image.width {
        guard selected.contains(Int(classes[row + x * width / image.width])) else { continue }
        let (source, target) = (3 * (y * image.width + x), 4 * (y * image.width + x))
        for channel in 0..<3 { pixels[target + channel] = colors[source + channel] }
        pixels[target + 3] = .max
      }
    }
    do throws(ImageError) {
      return try ImageBuffer(
        width: image.width, height: image.height, format: .rgba, pixels: pixels)
    } catch {
      throw ModelError(.output, .image(error))
    }
  }
}
