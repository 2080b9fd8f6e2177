public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The detected objects, in pixels of the caller's image and in descending order of score.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "detector.tiobundle")
  /// for detection in try model.run(ImageBuffer(contentsOf: "street.jpg")).detections {
  ///   print(detection.label, detection.score, detection.box)
  /// }
  /// ```
  ///
  /// Outputs are identified by their `role`. The bundle's task determines their format and which
  /// detections are returned.
  ///
  /// - Throws: A ``ModelError`` if the model has no outputs with the roles `boxes` and `scores`, or
  ///   their shapes contradict each other.
  public var detections: Detections {
    get throws(ModelError) { try result(of: DetectionTask.self) }
  }

  /// Returns the detected objects, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "detector.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "street.jpg"))
  /// let people = try output.detections {
  ///   $0.minimumScore = 0.8
  ///   $0.filter.allow = ["person"]
  /// }
  /// ```
  ///
  /// - Parameter adjust: Changes the options of the bundle's task.
  /// - Returns: The detected objects, in descending order of score.
  /// - Throws: A ``ModelError`` if the model has no outputs with the roles `boxes` and `scores`, or
  ///   their shapes contradict each other.
  public func detections(
    _ adjust: (inout DetectionOptions) -> Void
  ) throws(ModelError) -> Detections {
    try result(of: DetectionTask.self) { adjust(&$0.options) }
  }
}
