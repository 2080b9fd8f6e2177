import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The pixels of each detected object, in descending order of score.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(bundleAt: "yolo-seg.tiobundle")
  /// for object in try model.run(ImageBuffer(contentsOf: "street.jpg")).instanceMasks {
  ///   print(object.detection.label, object.pixelCount)
  /// }
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `prototypes`, or the shapes of
  ///   the outputs contradict each other.
  public var instanceMasks: [InstanceMask] {
    get throws(ModelError) { try decoded(by: InstanceMaskDecoder.self) }
  }
}
