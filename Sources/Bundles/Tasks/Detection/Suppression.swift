/// Non-maximum suppression: which of several overlapping boxes are kept.
struct Suppression {
  /// Which boxes suppress which others.
  let kind: DetectionOptions.Suppression
  /// The maximum intersection over union of boxes that are kept; `nil` to keep all.
  let limit: Double?

  /// Calls a closure with each kept box, as the positions of the boxes that are combined in it, the
  /// kept one first, until it returns `false`.
  ///
  /// - Parameters:
  ///   - boxes: The boxes, in descending order of score.
  ///   - classes: The class of each box.
  ///   - body: Receives the positions of a kept box and of those it absorbs.
  func forEachKept<Box: SuppressibleBox>(
    _ boxes: [Box], classes: [Int], _ body: (ArraySlice<Int>) -> Bool
  ) {
    guard let limit else {
      for position in boxes.indices where !body([position]) { return }
      return
    }
    if kind == .weighted { return forEachCluster(boxes, classes, limit, body) }
    var kept: [Int: [Box]] = [:]
    for position in boxes.indices {
      let group = kind == .classAgnostic ? 0 : classes[position]
      let box = boxes[position]
      guard kept[group]?.contains(where: { $0.intersectionOverUnion(box) > limit }) != true else {
        continue
      }
      kept[group, default: []].append(box)
      if !body([position]) { return }
    }
  }

  private func forEachCluster<Box: SuppressibleBox>(
    _ boxes: [Box], _ classes: [Int], _ limit: Double, _ body: (ArraySlice<Int>) -> Bool
  ) {
    var remaining = Array(boxes.indices)
    while let best = remaining.first {
      var cluster = [best]
      remaining = remaining.dropFirst().filter { position in
        let isAbsorbed =
          classes[position] == classes[best]
          && boxes[position].intersectionOverUnion(boxes[best]) > limit
        if isAbsorbed { cluster.append(position) }
        return !isAbsorbed
      }
      if !body(cluster[...]) { return }
    }
  }
}

extension Detection {
  /// Returns the first of several detections with the mean of their boxes and keypoints, weighted
  /// by score.
  static func merged(_ detections: [Detection]) -> Detection? {
    guard var merged = detections.first, detections.count > 1 else { return detections.first }
    let total = detections.reduce(0) { $0 + Double($1.score) }
    guard total > 0 else { return merged }
    func mean(_ value: (Detection) -> Double) -> Double {
      detections.reduce(0) { $0 + value($1) * Double($1.score) } / total
    }
    merged.box = BoundingBox(
      xmin: mean(\.box.xmin), ymin: mean(\.box.ymin), xmax: mean(\.box.xmax), ymax: mean(\.box.ymax)
    )
    for index in merged.keypoints.indices {
      merged.keypoints[index].x = mean { $0.keypoints[index].x }
      merged.keypoints[index].y = mean { $0.keypoints[index].y }
    }
    return merged
  }
}
