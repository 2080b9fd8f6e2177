import TensorIOBundle
import TensorIOCore

/// Reads poses from a model's outputs, in one of several formats.
struct PoseReader {
  /// The poses of an output, and the unit of their coordinates.
  struct Reading {
    var poses: [RawPose]
    var coordinates: DetectionOptions.Coordinates
    var inconsistencies: [Poses.Inconsistency] = []
  }

  /// The maximum number of poses that are decoded from heat maps.
  private static let maxDecodedPoses = 1000

  let roles: PoseRoles
  let options: PoseOptions
  /// The size of the model's input image.
  let size: (width: Double, height: Double)

  /// Reads the poses of a run.
  func read(_ output: ModelOutput) throws(ModelError) -> Reading {
    if let name = roles.heatmap, [nil, .heatmap].contains(options.format) {
      return try heatmap(output, try PoseTensor(output, name))
    }
    guard let name = roles.keypoints else {
      throw missing("keypoints", for: options.format ?? .points)
    }
    let tensor = try PoseTensor(output, name)
    switch options.format ?? guessedFormat(of: tensor) {
    case .movenet: return try movenet(tensor)
    case .movenetMulti: return try movenetMulti(tensor)
    case .decoded: return try decoded(output, tensor)
    case .points: return try points(output, tensor)
    case .blazepose: return try blazepose(output, tensor)
    case .yolov8: return try yolov8(try HeadTensor(output, name))
    case .yolov10: return try yolov10(try HeadTensor(output, name))
    case .heatmap: throw missing("heatmap", for: .heatmap)
    }
  }

  private func missing(_ role: String, for format: PoseOptions.Format) -> ModelError {
    ModelError(
      .output,
      .unmetRequirement(
        "the pose format \(format.rawValue, as: "format") requires an output with the role \(role, as: "role")"
      ))
  }

  /// Returns the format of keypoints whose format is not set.
  private func guessedFormat(of tensor: PoseTensor) -> PoseOptions.Format {
    let columns = tensor.shape.last ?? 0
    if roles.keypointScores != nil, columns == 2 { return .decoded }
    if columns == 3, tensor.rowLength == COCOKeypoints.names.count {
      return .movenet
    }
    return columns == 3 * keypointCount + 5 && columns > 5 ? .movenetMulti : .points
  }

  /// The number of keypoints that the bundle names, or that of COCO.
  var keypointCount: Int { options.keypoints?.count ?? COCOKeypoints.names.count }
}

extension PoseReader {
  private func movenet(_ tensor: PoseTensor) throws(ModelError) -> Reading {
    let count = tensor.rowLength
    guard tensor.shape.last == 3, count > 0 else {
      throw tensor.wrongShape(expected: "the shape [keypoints, 3] of y, x and score")
    }
    let poses = stride(from: 0, to: tensor.values.count, by: 3 * count).map { start in
      pose(tensor.values[start..<start + 3 * count])
    }
    return Reading(poses: poses, coordinates: .normalized)
  }

  /// Returns the pose in rows of y, x and score.
  private func pose(_ values: ArraySlice<Float>) -> RawPose {
    let rows = stride(from: values.startIndex, to: values.endIndex, by: 3)
    return RawPose(
      points: rows.map { (x: Double(values[$0 + 1]), y: Double(values[$0])) },
      scores: rows.map { values[$0 + 2] })
  }

  private func movenetMulti(_ tensor: PoseTensor) throws(ModelError) -> Reading {
    guard let columns = tensor.shape.last, columns >= 8, (columns - 5) % 3 == 0 else {
      throw tensor.wrongShape(
        expected: "rows of three numbers per keypoint, four edges and a score")
    }
    let poses = stride(from: 0, to: tensor.values.count, by: columns).map { start in
      let end = start + columns
      var pose = pose(tensor.values[start..<end - 5])
      let edges = tensor.values[end - 5..<end - 1].map(Double.init)
      pose.edges = [edges[1], edges[0], edges[3], edges[2]]
      pose.score = tensor.values[end - 1]
      return pose
    }
    return Reading(poses: poses, coordinates: .normalized)
  }

  private func decoded(
    _ output: ModelOutput, _ tensor: PoseTensor
  ) throws(ModelError) -> Reading {
    let count = tensor.rowLength
    guard tensor.shape.last == 2, count > 0 else {
      throw tensor.wrongShape(expected: "the shape [poses, keypoints, 2] of y and x")
    }
    let available = tensor.values.count / (2 * count)
    let scores = try roles.keypointScores.map { (name) throws(ModelError) -> [Float] in
      try numbers(output, name, available * count, "one score per keypoint")
    }
    let poseScores = try roles.scores.map { (name) throws(ModelError) -> [Float] in
      try numbers(output, name, available, "one score per pose")
    }
    var reading = Reading(poses: [], coordinates: .pixels)
    var rows = available
    if let name = roles.count {
      let reported: Double = try output.value(of: name)
      if !(0...Double(available)).contains(reported) {
        reading.inconsistencies.append(
          .countOutOfRange(reported: reported, available: available))
      }
      rows = reported.isNaN ? available : Int(clamping: max(0, min(reported, Double(available))))
    }
    reading.poses = (0..<rows).map { row in
      let keypoints = row * count..<(row + 1) * count
      return RawPose(
        points: keypoints.map {
          (x: Double(tensor.values[2 * $0 + 1]), y: Double(tensor.values[2 * $0]))
        },
        scores: scores.map { Array($0[keypoints]) } ?? Array(repeating: 1, count: count),
        score: poseScores.map { $0[row] })
    }
    return reading
  }

  private func points(
    _ output: ModelOutput, _ tensor: PoseTensor
  ) throws(ModelError) -> Reading {
    let columns = try columnCount(ofPoints: tensor)
    let count = tensor.values.count / columns
    let scores = try roles.keypointScores.map { (name) throws(ModelError) -> [Float] in
      try numbers(output, name, count, "one score per point")
    }
    let pose = RawPose(
      points: (0..<count).map {
        (x: Double(tensor.values[columns * $0]), y: Double(tensor.values[columns * $0 + 1]))
      },
      scores: scores ?? Array(repeating: 1, count: count), score: try objectScore(output))
    return Reading(poses: [pose], coordinates: .pixels)
  }

  /// Returns the score of the only object; `nil` if the model has none.
  private func objectScore(_ output: ModelOutput) throws(ModelError) -> Float? {
    guard let name = roles.scores else { return nil }
    return try numbers(output, name, 1, "the score of the object")[0]
  }

  private func blazepose(
    _ output: ModelOutput, _ tensor: PoseTensor
  ) throws(ModelError) -> Reading {
    let columns = 5
    guard !tensor.values.isEmpty, tensor.values.count.isMultiple(of: columns) else {
      throw tensor.wrongShape(expected: "five numbers per point")
    }
    let rows = stride(from: 0, to: tensor.values.count, by: columns)
      .prefix(options.keypoints?.count ?? .max)
    let pose = RawPose(
      points: rows.map { (x: Double(tensor.values[$0]), y: Double(tensor.values[$0 + 1])) },
      scores: rows.map { sigmoid(tensor.values[$0 + 3]) }, score: try objectScore(output))
    return Reading(poses: [pose], coordinates: .pixels)
  }

  /// Returns the number of numbers of a point, 2 or 3.
  ///
  /// The shape of flat lists does not tell it; the number of names does, otherwise 3 is assumed if
  /// the length is divisible by it.
  private func columnCount(ofPoints tensor: PoseTensor) throws(ModelError) -> Int {
    let count = tensor.values.count
    if tensor.shape.count > 1, let last = tensor.shape.last, [2, 3].contains(last) { return last }
    if let names = options.keypoints?.count, names > 0, [2 * names, 3 * names].contains(count) {
      return count / names
    }
    if count > 0, count.isMultiple(of: 3) { return 3 }
    guard count > 0, count.isMultiple(of: 2) else {
      throw tensor.wrongShape(expected: "two or three numbers per point")
    }
    return 2
  }

  /// Returns the numbers of an output, whose count must match.
  private func numbers(
    _ output: ModelOutput, _ name: String, _ count: Int, _ expected: String
  ) throws(ModelError) -> [Float] {
    let tensor = try PoseTensor(output, name)
    guard tensor.values.count == count else {
      throw tensor.wrongShape(expected: "\(expected), \(count) in all")
    }
    return tensor.values
  }
}

extension PoseReader {
  /// Reads poses from heat maps.
  private func heatmap(
    _ output: ModelOutput, _ tensor: PoseTensor
  ) throws(ModelError) -> Reading {
    let grid = try KeypointGrid(tensor)
    let offsets = try roles.offsets.map { (name) throws(ModelError) -> [Float] in
      try numbers(output, name, 2 * tensor.values.count, "two offsets per score")
    }
    guard let offsets, let displacements = try displacements(output, grid) else {
      return Reading(poses: [strongest(grid, tensor.values, offsets)], coordinates: .pixels)
    }
    guard
      let features = PersonLabDecoder.Features(
        height: grid.height, width: grid.width, heatmaps: tensor.values, shortOffsets: offsets,
        midOffsets: displacements)
    else {
      throw tensor.wrongShape(
        expected: "the shape [h, w, \(PersonLabDecoder.keypointCount)] of scores")
    }
    let (strideX, strideY) = grid.strides(in: size)
    var decoder = PersonLabDecoder()
    decoder.stride = Float(strideY)
    decoder.maxPoses = min(options.top ?? decoder.maxPoses, Self.maxDecodedPoses)
    let poses = decoder.poses(in: features).map { pose in
      RawPose(
        points: pose.points.map { (x: Double($0.x) * strideX, y: Double($0.y) * strideY) },
        scores: pose.scores, score: pose.score)
    }
    return Reading(poses: poses, coordinates: .pixels)
  }

  /// Returns the displacements in both directions per cell; `nil` if the model has none.
  private func displacements(
    _ output: ModelOutput, _ grid: KeypointGrid
  ) throws(ModelError) -> [Float]? {
    guard let name = roles.displacements else { return nil }
    let edges = PersonLabDecoder.keypointCount - 1
    guard let backwardName = roles.backwardDisplacements else {
      return try numbers(output, name, 4 * edges * grid.cellCount, "\(4 * edges) numbers per cell")
    }
    let perCell = 2 * edges
    let forward = try numbers(output, name, perCell * grid.cellCount, "\(perCell) numbers per cell")
    let backward = try numbers(
      output, backwardName, perCell * grid.cellCount, "\(perCell) numbers per cell")
    return (0..<grid.cellCount).flatMap { cell in
      let range = cell * perCell..<(cell + 1) * perCell
      return forward[range] + backward[range]
    }
  }

  /// Returns the single pose whose keypoints are in the cells with the highest scores.
  private func strongest(
    _ grid: KeypointGrid, _ scores: [Float], _ offsets: [Float]?
  ) -> RawPose {
    let (strideX, strideY) = grid.strides(in: size)
    var pose = RawPose(points: [], scores: [])
    for keypoint in 0..<grid.keypointCount {
      let cell = grid.strongestCell(of: keypoint, scores)
      let (y, x) = cell.quotientAndRemainder(dividingBy: grid.width)
      let score = scores[grid.index(cell, keypoint)]
      guard let offsets else {
        // Without offsets, the position is the center of the cell.
        pose.points.append(
          (
            x: (Double(x) + 0.5) * size.width / Double(grid.width),
            y: (Double(y) + 0.5) * size.height / Double(grid.height)
          ))
        pose.scores.append(score)
        continue
      }
      let first = cell * 2 * grid.keypointCount + keypoint
      pose.points.append(
        (
          x: Double(x) * strideX + Double(offsets[first + grid.keypointCount]),
          y: Double(y) * strideY + Double(offsets[first])
        ))
      pose.scores.append(sigmoid(score))
    }
    return pose
  }
}
