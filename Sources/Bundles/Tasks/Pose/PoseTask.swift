package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Poses: the keypoints of people, hands, faces or other objects, in pixels of the caller's image.
package struct PoseTask: ModelTask {
  /// The format of the outputs and the poses to return.
  package var options: PoseOptions
  private let roles: PoseRoles
  private let coordinateMap: ImageCoordinateMap
  /// Decodes the masks of people; `nil` for models without them.
  private let maskDecoder: PoseMaskDecoder?
  private let label: String
  /// Whether poses are smoothed in streams.
  private let isSmoothed: Bool
  /// What to follow in a stream, and the minimum score of poses that start objects.
  private var tracking: (request: TrackingRequest, threshold: Float)?

  package init(_ model: ModelInfo) throws(ModelError) {
    options = PoseOptions(model.task)
    roles = try PoseRoles(model)
    coordinateMap = ImageCoordinateMap(model.inputs)
    maskDecoder =
      PoseMaskDecoder.isAvailable(model.outputs) ? try PoseMaskDecoder(model, roles) : nil
    (label, isSmoothed) = (model[Self.label], model[Self.smooths])
    guard let names = options.keypoints, let limbs = options.limbs else { return }
    for name in limbs.flatMap({ [$0.start, $0.end] }) where !names.contains(name) {
      throw ModelError(
        .bundle,
        .invalidValue("a limb ends at '\(name, as: "name")', which is not one of the keypoints"),
        file: model.bundle.path)
    }
  }

  package static var canTrack: Bool { true }

  package mutating func apply(_ options: ResultOptions) {
    self.options.minimumScore = options.minimumScore ?? self.options.minimumScore
    self.options.top = options.top ?? self.options.top
    guard let request = options.tracking else { return }
    // Poses with lower scores continue objects.
    let threshold = self.options.minimumScore
    tracking = (request, threshold)
    self.options.minimumScore = ObjectCounter.minimumScore(for: threshold)
  }

  package var replacedOutputs: Set<String> { Set(roles.names) }

  package static func forms(for description: ModelDescription) -> [ResultForm] {
    [.keypoints] + (PoseMaskDecoder.isAvailable(description.outputs) ? [.outlines] : [])
  }

  package func reading(as form: ResultForm) -> ResultReading? {
    if form == .outlines {
      return .masks(minimumScore: options.minimumScore) { (output) throws(ModelError) in
        try masks(in: output)
      }
    }
    return .poses(names: options.keypoints) { (output) throws(ModelError) in
      try result(of: output).all
    }
  }

  /// Returns the masks of the poses, in their order.
  private func masks(in output: ModelOutput) throws(ModelError) -> [InstanceMask] {
    try maskDecoder?.masks(of: result(of: output), in: output, namedBy: options.keypoints) ?? []
  }

  package func makeSmoother() -> (any ResultSmoother)? {
    guard isSmoothed || tracking != nil else { return nil }
    return PoseResultTracker(
      tracking?.request, threshold: tracking?.threshold ?? self.options.minimumScore,
      isSmoothed: isSmoothed)
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let poses = try result(of: output)
    var result = PoseResult(
      poses: poses, label: label, minimumKeypointScore: options.minimumKeypointScore)
    result.masks = try maskDecoder?.masks(of: poses, in: output, namedBy: options.keypoints) ?? []
    return .result(result, replacing: replacedOutputs)
  }

  /// Returns the poses in a model's outputs.
  package func result(of output: ModelOutput) throws(ModelError) -> Poses {
    if let passed = output.passedResult as? Poses {
      let counts = passed.lazy.map { $0.keypoints(named: options.keypoints).count }
      return selected(passed.all, options.limbs(between: options.names(counts.max() ?? 0)))
    }
    let map = coordinateMap.fitted(by: output.imageGeometries)
    let reading = try PoseReader(roles: roles, options: options, size: map.size).read(output)
    var inconsistencies = reading.inconsistencies
    let coordinates = options.coordinates ?? reading.coordinates
    let names = options.names(reading.poses.first?.points.count ?? 0)
    var missingKeypoints = 0
    let poses = reading.poses.compactMap { raw -> Pose? in
      guard let pose = pose(raw, names, map, coordinates) else { return nil }
      missingKeypoints += raw.points.count - pose.keypoints.count
      return pose
    }
    if poses.count < reading.poses.count {
      inconsistencies.append(.nonFinitePoses(reading.poses.count - poses.count))
    }
    if missingKeypoints > 0 { inconsistencies.append(.nonFiniteKeypoints(missingKeypoints)) }
    return selected(poses, options.limbs(between: names), inconsistencies)
  }

  /// Returns the poses that the options accept.
  private func selected(
    _ poses: [Pose], _ limbs: [Pose.Limb], _ inconsistencies: [Poses.Inconsistency] = []
  ) -> Poses {
    let sorted = poses.filter { $0.score >= options.minimumScore }.enumerated().sorted {
      $0.element.score == $1.element.score
        ? $0.offset < $1.offset : $0.element.score > $1.element.score
    }
    return Poses(
      sorted.prefix(max(0, options.top ?? .max)).map(\.element), limbs: limbs,
      inconsistencies: inconsistencies)
  }

  /// Returns a pose in pixels of the caller's image; `nil` if its score or box is not finite.
  private func pose(
    _ raw: RawPose, _ names: [String], _ map: ImageCoordinateMap,
    _ coordinates: DetectionOptions.Coordinates
  ) -> Pose? {
    let score = raw.effectiveScore
    let box = raw.edges.map { edges in
      let (low, high) = (
        map.point(x: edges[0], y: edges[1], in: coordinates),
        map.point(x: edges[2], y: edges[3], in: coordinates)
      )
      return BoundingBox(xmin: low.x, ymin: low.y, xmax: high.x, ymax: high.y)
    }
    guard score.isFinite, box?.isFinite != false else { return nil }
    let keypoints = raw.points.indices.compactMap { index -> Pose.Keypoint? in
      let point = map.point(x: raw.points[index].x, y: raw.points[index].y, in: coordinates)
      guard point.x.isFinite, point.y.isFinite, raw.scores[index].isFinite else { return nil }
      return Pose.Keypoint(
        name: names[index], x: point.x, y: point.y, score: raw.scores[index])
    }
    return Pose(keypoints: keypoints, score: score, box: box)
  }
}

extension Pose {
  /// Returns the keypoints by index; `nil` for those that are missing.
  ///
  /// - Parameter names: The names of the keypoints; `nil` for those of COCO, or of the indices.
  /// - Returns: The keypoints.
  func keypoints(named names: [String]?) -> [Keypoint?] {
    let isCOCO = keypoints.first.map { COCOKeypoints.names.contains($0.name) } ?? false
    let names = names ?? (isCOCO ? COCOKeypoints.names : [])
    let indices = Dictionary(zip(names, names.indices)) { first, _ in first }
    let found = keypoints.compactMap { keypoint in
      (indices[keypoint.name] ?? Int(keypoint.name)).map { (index: $0, keypoint: keypoint) }
    }
    let count = max(names.count, (found.lazy.map(\.index).max() ?? -1) + 1)
    var keypoints = [Keypoint?](repeating: nil, count: count)
    for (index, keypoint) in found { keypoints[index] = keypoint }
    return keypoints
  }

  /// Returns the positions of the keypoints by index; `nil` for those that are missing.
  func points(named names: [String]?) -> [AffineMap.Point?] {
    keypoints(named: names).map { $0?.point }
  }
}
