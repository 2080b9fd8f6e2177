import TensorIOBundle
import TensorIOCore
import TensorIOJSON

extension Poses: PassedResult {
  static func declaration(
    for model: ModelInfo
  ) throws(ModelError) -> (outputs: [Layer], task: TaskDescription) {
    var task = TaskDescription(type: PoseTask.format.names[0])
    if let own = model.task, PoseTask.format.names.contains(own.type) { task = own }
    // Clients of tensors read these settings.
    task.settings.merge(["format": "decoded", "coordinates": "pixels"]) { $1 }
    return (
      outputs([
        (.keypoints, [1, nil, nil, 2]), (.keypointScores, [1, nil, nil]), (.scores, [1, nil]),
      ]), task
    )
  }

  /// Returns the values of an output; keypoints that are missing are not numbers.
  func numbers(of role: OutputRole, for task: TaskDescription) -> Numbers {
    guard role != .scores else { return Numbers(.floats(all.map(\.score)), shape: [1, count]) }
    let rows = all.map { $0.keypoints(named: task.strings("keypoints")) }
    let length = Swift.max(1, rows.lazy.map(\.count).max() ?? 1)
    let keypoints: [Pose.Keypoint?] = rows.flatMap { row in
      (0..<length).map { $0 < row.count ? row[$0] : nil }
    }
    guard role == .keypoints else {
      return Numbers(.floats(keypoints.map { $0?.score ?? .nan }), shape: [1, count, length])
    }
    let points = keypoints.flatMap { [$0?.y ?? .nan, $0?.x ?? .nan] }
    return Numbers(.floats(points.map(Float.init)), shape: [1, count, length, 2])
  }
}
