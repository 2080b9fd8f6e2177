import TensorIOSystem

/// The marked keypoints of an object in an image, to compare poses with.
package struct KeypointAnnotation: Sendable {
  /// The marked keypoints by name.
  package var keypoints: [Pose.Keypoint]
  /// The area of the object in pixels.
  package var area: Double
  /// The bounding box of the object.
  package var box: BoundingBox

  /// Creates an annotation.
  package init(keypoints: [Pose.Keypoint], area: Double, box: BoundingBox) {
    (self.keypoints, self.area, self.box) = (keypoints, area, box)
  }
}

extension Pose {
  /// Returns the object keypoint similarity of COCO: the mean of `exp(-d² / (2 · area · (2σ)²))` over
  /// the marked keypoints, from 0 to 1.
  ///
  /// Of an object without marked keypoints, the distances are those from the box enlarged by its size
  /// in each direction. A keypoint that the pose lacks has the similarity 0.
  ///
  /// - Parameters:
  ///   - annotation: The marked keypoints.
  ///   - names: The names of all keypoints.
  ///   - sigmas: The standard deviation of each keypoint relative to the size of the object.
  /// - Returns: The similarity.
  package func similarity(
    to annotation: KeypointAnnotation, names: [String] = COCOKeypoints.names,
    sigmas: [Double] = COCOKeypoints.sigmas
  ) -> Double {
    let marked = Dictionary(
      annotation.keypoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let found = Dictionary(
      keypoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let (area, box) = (annotation.area + .ulpOfOne, annotation.box)
    let terms = zip(names, sigmas).compactMap { name, sigma -> Double? in
      let target = marked[name]
      guard target != nil || marked.isEmpty else { return nil }
      guard let point = found[name] else { return 0 }
      let (x, y) =
        if let target { (point.x - target.x, point.y - target.y) } else {
          (
            max(0, box.xmin - box.width - point.x, point.x - box.xmax - box.width),
            max(0, box.ymin - box.height - point.y, point.y - box.ymax - box.height)
          )
        }
      return exp(-(x * x + y * y) / (8 * sigma * sigma * area))
    }
    return terms.isEmpty ? 0 : terms.reduce(0, +) / Double(terms.count)
  }
}
