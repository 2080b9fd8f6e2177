public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The class of each pixel, at the size of the caller's image.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "street.tiobundle")
  /// let segmentation = try model.run(ImageBuffer(contentsOf: "street.jpg")).segmentation
  /// for region in segmentation.regions { print(region.label, region.fraction) }
  /// ```
  ///
  /// Scores are enlarged to the size of the image before the class with the highest score is chosen,
  /// so that outlines are smooth.
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `mask`, or the output does not
  ///   have a class, or a score per class, for each cell of a grid.
  public var segmentation: Segmentation {
    get throws(ModelError) { try result(of: SegmentationTask.self) }
  }

  /// Returns the class of each pixel, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "street.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "street.jpg"))
  /// let segmentation = try output.segmentation { $0.includesConfidences = true }
  /// ```
  ///
  /// - Parameter adjust: Changes the options of the bundle's task.
  /// - Returns: The class of each pixel.
  /// - Throws: A ``ModelError`` if the model has no suitable output.
  public func segmentation(
    _ adjust: (inout SegmentationOptions) -> Void
  ) throws(ModelError) -> Segmentation {
    try result(of: SegmentationTask.self) { adjust(&$0.options) }
  }
}
