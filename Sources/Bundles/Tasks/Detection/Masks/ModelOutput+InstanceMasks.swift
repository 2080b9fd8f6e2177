import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The pixels of each detected object, or of each person of a pose model, in descending order of score.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "yolo-seg.tiobundle")
  /// for object in try model.run(ImageBuffer(contentsOf: "street.jpg")).instanceMasks {
  ///   print(object.detection.label, object.pixelCount)
  /// }
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `prototypes`, or those of a pose
  ///   model with masks, or the shapes of the outputs contradict each other.
  public var instanceMasks: [InstanceMask] {
    get throws(ModelError) {
      guard let source else {
        throw ModelError(.output, .unsupported("decoding an output that no model returned"))
      }
      return try ResultReader(source, .outlines).masks().read(self)
    }
  }
}
