/// The keypoints of people in the COCO dataset.
package enum COCOKeypoints {
  /// The names, in order.
  package static let names = [
    "nose", "left eye", "right eye", "left ear", "right ear", "left shoulder", "right shoulder",
    "left elbow", "right elbow", "left wrist", "right wrist", "left hip", "right hip", "left knee",
    "right knee", "left ankle", "right ankle",
  ]

  /// The lines of a skeleton.
  static let limbs = [
    (0, 1), (0, 2), (1, 3), (2, 4), (0, 5), (0, 6), (5, 6), (5, 7), (7, 9), (6, 8), (8, 10),
    (5, 11), (6, 12), (11, 12), (11, 13), (13, 15), (12, 14), (14, 16),
  ].map { Pose.Limb(from: names[$0.0], to: names[$0.1]) }

  /// The standard deviations of the positions that people mark, relative to the size of the person.
  package static let sigmas = [
    0.026, 0.025, 0.025, 0.035, 0.035, 0.079, 0.079, 0.072, 0.072, 0.062, 0.062, 0.107, 0.107,
    0.087, 0.087, 0.089, 0.089,
  ]
}
