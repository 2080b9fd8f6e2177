public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The poses, in pixels of the caller's image and in descending order of score.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "movenet.tiobundle")
  /// for pose in try model.run(ImageBuffer(contentsOf: "squat.jpg")).poses {
  ///   for keypoint in pose.keypoints { print(keypoint.name, keypoint.x, keypoint.y, keypoint.score) }
  /// }
  /// ```
  ///
  /// Outputs are identified by their `role`. The bundle's task determines their format, the names of
  /// the keypoints and the poses that are returned.
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `keypoints` or `heatmap`, or
  ///   the shapes of the outputs do not fit the format.
  public var poses: Poses {
    get throws(ModelError) { try result(of: PoseTask.self) }
  }

  /// Returns the poses, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "movenet.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "squat.jpg"))
  /// let best = try output.poses { $0.top = 1 }.first
  /// ```
  ///
  /// - Parameter adjust: Changes the options of the bundle's task.
  /// - Returns: The poses, in descending order of score.
  /// - Throws: A ``ModelError`` if the model has no output with the role `keypoints` or `heatmap`, or
  ///   the shapes of the outputs do not fit the format.
  public func poses(_ adjust: (inout PoseOptions) -> Void) throws(ModelError) -> Poses {
    try result(of: PoseTask.self) { adjust(&$0.options) }
  }
}
