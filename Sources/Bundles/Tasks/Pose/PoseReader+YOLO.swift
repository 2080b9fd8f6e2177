import TensorIOBundle
import TensorIOCore

extension PoseReader {
  /// The maximum number of poses that are kept.
  private static let maxPoses = 300
  /// The numbers of a keypoint: x, y and a score, or without a score.
  private static let keypointLengths = [3, 2]

  /// Reads the poses of YOLO v8 and v11: `[1, 4 + classes + n · keypoints, N]`, or transposed.
  func yolov8(_ tensor: HeadTensor) throws(ModelError) -> Reading {
    let (rows, columns) = try tensor.matrix(
      "[1, 4 + classes + n · keypoints, N]", head: PoseOptions.Format.yolov8.rawValue,
      minColumns: 1)
    guard let (length, classCount) = layout(rows, columns) else {
      throw tensor.mismatch(
        "the pose format yolov8 needs four numbers, a score per class, and two or three numbers for "
          + "each of \(keypointCount) keypoints")
    }
    let matrix = try YOLOv8Matrix(
      tensor, labelCount: classCount, prototypeCount: length * keypointCount,
      head: PoseOptions.Format.yolov8.rawValue)
    var reading = Reading(poses: [], coordinates: .pixels)
    var found: [(pose: RawPose, box: BoundingBox, score: Float, index: Int)] = []
    var nonFiniteCount = 0
    for row in 0..<matrix.boxCount {
      var (score, index) = (-Float.infinity, 0)
      for (position, column) in matrix.scores.enumerated() where matrix[row, column] > score {
        (score, index) = (matrix[row, column], position)
      }
      guard score >= options.minimumScore else {
        if matrix.scores.contains(where: { matrix[row, $0].isNaN }) { nonFiniteCount += 1 }
        continue
      }
      let box = BoundingBox(
        matrix[row, 0], matrix[row, 1], matrix[row, 2], matrix[row, 3], order: .cxcywh)
      guard box.isFinite, score.isFinite else {
        nonFiniteCount += 1
        continue
      }
      let first = matrix.weights.lowerBound
      let pose = pose(length, score, box) { matrix[row, first + $0] }
      found.append((pose, box, score, index))
    }
    let order = found.indices.sorted {
      found[$0].score == found[$1].score ? $0 < $1 : found[$0].score > found[$1].score
    }
    let suppression = Suppression(kind: .perClass, limit: options.iouThreshold)
    suppression.forEachKept(
      order.map { found[$0].box }, classes: order.map { found[$0].index }
    ) { kept in
      if let position = kept.first { reading.poses.append(found[order[position]].pose) }
      return reading.poses.count < Self.maxPoses
    }
    if nonFiniteCount > 0 { reading.inconsistencies.append(.nonFinitePoses(nonFiniteCount)) }
    return reading
  }

  /// Reads the poses of YOLO v26: `[1, N, 6 + n · keypoints]`.
  func yolov10(_ tensor: HeadTensor) throws(ModelError) -> Reading {
    let (rows, columns) = try tensor.matrix(
      "[1, N, 6 + n · keypoints]", head: PoseOptions.Format.yolov10.rawValue, minColumns: 6)
    guard let length = Self.keypointLengths.first(where: { columns == 6 + $0 * keypointCount })
    else {
      throw tensor.mismatch(
        "the pose format yolov10 needs six numbers, and two or three for each of \(keypointCount) "
          + "keypoints")
    }
    let poses = (0..<rows).compactMap { row -> RawPose? in
      let values = tensor.values[row * columns..<(row + 1) * columns]
      let first = values.startIndex
      // A score that is not a number is reported.
      guard !(values[first + 4] < options.minimumScore) else { return nil }
      let box = BoundingBox(
        values[first], values[first + 1], values[first + 2], values[first + 3], order: .xyxy)
      return pose(length, values[first + 4], box) { values[first + 6 + $0] }
    }
    return Reading(poses: poses, coordinates: .pixels)
  }

  /// Returns the number of numbers of a keypoint, and of classes, of a matrix with a box per row or column.
  ///
  /// Models of poses usually have one class; with several, the shorter axis is that of the numbers.
  private func layout(_ rows: Int, _ columns: Int) -> (length: Int, classCount: Int)? {
    for length in Self.keypointLengths {
      let count = 5 + length * keypointCount
      if rows == count || columns == count { return (length, 1) }
    }
    let numbers = min(rows, columns)
    return Self.keypointLengths.lazy.map { ($0, numbers - 4 - $0 * keypointCount) }
      .first { $0.1 > 0 }
  }

  /// Returns a pose with the numbers of its keypoints, which `number` returns by position.
  private func pose(
    _ length: Int, _ score: Float, _ box: BoundingBox, _ number: (Int) -> Float
  ) -> RawPose {
    RawPose(
      points: (0..<keypointCount).map {
        (x: Double(number(length * $0)), y: Double(number(length * $0 + 1)))
      },
      scores: (0..<keypointCount).map { length == 3 ? number(3 * $0 + 2) : 1 }, score: score,
      edges: [box.xmin, box.ymin, box.xmax, box.ymax])
  }
}
