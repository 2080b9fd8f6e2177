public import TensorIOBundle
public import TensorIOCore
public import TensorIOImage

extension ModelOutput {
  /// The image that the model computed, such as in style transfer.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "style.tiobundle")
  /// let painted = try model.run(ImageBuffer(contentsOf: "photo.jpg")).image
  /// try painted.write(to: "painted.png")
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output of the type `image`.
  public var image: ImageBuffer {
    get throws(ModelError) { try result(of: ImageOutputTask.self) }
  }

  /// Returns the image that the model computed, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "style.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "photo.jpg"))
  /// let painted = try output.image { $0.size = .original }
  /// ```
  ///
  /// - Parameter adjust: Changes the options of the bundle's task.
  /// - Returns: The image.
  /// - Throws: A ``ModelError`` if the model has no output of the type `image`.
  public func image(
    _ adjust: (inout ImageOutputOptions) -> Void
  ) throws(ModelError) -> ImageBuffer {
    try result(of: ImageOutputTask.self) { adjust(&$0.options) }
  }
}
