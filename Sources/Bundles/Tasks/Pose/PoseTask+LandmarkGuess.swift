import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension PoseTask {
  /// The points of MediaPipe's face mesh, without and with irises.
  private static let faceMeshCounts = [468, 478]
  /// The numbers of the points of a hand: x, y and depth of each.
  private static let handLength = 3 * MediaPipeSkeleton.hand.names.count
  /// The points of a body, with those that have no name, and the numbers of each.
  private static let (bodyPointCount, bodyColumns) = (39, 5)
  /// The numbers of the contours of an eye and its brow, and of the iris.
  private static let (eyeLength, irisLength) = (3 * 71, 3 * 5)

  /// Recognizes MediaPipe's landmarks of faces, hands, bodies and irises by the numbers of their points.
  static func landmarks(_ outputs: [Candidate]) -> TaskGuess? {
    faceMesh(outputs) ?? hand(outputs) ?? body(outputs) ?? iris(outputs)
  }

  private static func faceMesh(_ outputs: [Candidate]) -> TaskGuess? {
    guard
      let points = outputs.first(where: { output in
        faceMeshCounts.contains { output.elementCount == 3 * $0 }
      }), outputs.allSatisfy({ $0.index == points.index || $0.elementCount == 1 })
    else { return nil }
    return guess(
      .points, [points.index: .keypoints],
      "the \(points.elementCount / 3) points of a face mesh", label: "face", .landmarks)
  }

  /// The points in the image, whether there is a hand, which of the two it is, and points in meters.
  private static func hand(_ outputs: [Candidate]) -> TaskGuess? {
    let points = outputs.filter { $0.elementCount == handLength }
    let others = outputs.filter { $0.elementCount == 1 }
    guard let first = points.first, let score = others.first,
      points.count + others.count == outputs.count, points.count <= 2, others.count == 2
    else { return nil }
    return guess(
      .points, [first.index: .keypoints, score.index: .scores], "the 21 points of a hand",
      label: "hand", .landmarks
    ).naming(.hand)
  }

  /// The points in the image, whether there is a person, a mask, heat maps, and points in meters.
  private static func body(_ outputs: [Candidate]) -> TaskGuess? {
    guard let points = outputs.first(where: { $0.elementCount == bodyColumns * bodyPointCount })
    else { return nil }
    var roles = [points.index: OutputRole.keypoints]
    for output in outputs where output.index != points.index {
      switch output.lengths {
      case _ where output.elementCount == 1: roles[output.index] = .scores
      case _ where output.elementCount == 3 * bodyPointCount: break
      case _ where output.lengths.count == 3 && output.lengths[2] == 1: roles[output.index] = .mask
      case _ where output.lengths.count == 3 && output.lengths[2] == bodyPointCount:
        roles[output.index] = .heatmap
      default: return nil
      }
    }
    guard Set(roles.values).count == roles.count else { return nil }
    return guess(.blazepose, roles, "the 33 points of a body", .landmarks).naming(.body)
  }

  private static func iris(_ outputs: [Candidate]) -> TaskGuess? {
    guard outputs.count == 2, let iris = outputs.first(where: { $0.elementCount == irisLength }),
      outputs.contains(where: { $0.elementCount == eyeLength })
    else { return nil }
    return guess(
      .points, [iris.index: .keypoints], "the 5 points of an iris", label: "iris", .landmarks)
  }
}

extension TaskGuess {
  /// Returns the guess with the names and lines of a skeleton.
  fileprivate func naming(_ skeleton: MediaPipeSkeleton) -> TaskGuess {
    var guess = self
    // The description of a list of plain names is JSON.
    guess.settings["keypoints"] = .strings(skeleton.names)
    guess.settings["limbs"] = .array(skeleton.limbs.map(JSONValue.strings))
    return guess
  }
}

extension TaskGuess.ImagePreparation {
  /// The regions of MediaPipe's landmark models.
  fileprivate static let landmarks = TaskGuess.ImagePreparation(
    fit: .letterbox, filter: .linear, normalize: .normalizing(to: .zeroToOne))
}
