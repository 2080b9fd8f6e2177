import TensorIOImage

/// A pose as it leaves the library: with its label and color, the number of its object, and its mask.
package struct PoseRecord: ResultRecord {
  let id: Int?
  let label: String
  let color: PixelColor
  let pose: Pose
  let mask: InstanceMask?

  package static let members = [
    Member("id", \.id), Member("label", \.label), Member("score", \.pose.score),
    Member("color", \.color.hexadecimal), Member("box", \.pose.box),
    Member("keypoints", \.pose.keypoints), Member("mask", \.mask),
  ]
}

extension Pose.Keypoint: ResultRecord {
  /// The name, the position, rounded to hundredths of a pixel, and the score.
  public static let members = [
    Member("name", \.name), Member("x", \.x.roundedToHundredths),
    Member("y", \.y.roundedToHundredths), Member("score", \.score),
  ]
}
