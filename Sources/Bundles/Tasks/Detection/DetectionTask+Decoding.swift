package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

extension DetectionTask {
  /// Returns the detections in a model's outputs.
  package func result(of output: ModelOutput) throws(ModelError) -> Detections {
    let map = coordinateMap.fitted(by: output.imageGeometries)
    if let passed = output.passedResult as? Detections {
      return selected(Array(zip(passed.rows, passed.all)), map, passed.inconsistencies)
    }
    if let head { return try decode(output, head, map) }
    let tensors = try DetectionTensors(output, roles)
    let all = (0..<tensors.count).compactMap { row in
      detection(row, of: tensors, map).map { (row: row, detection: $0) }
    }
    return selected(all, map, tensors.inconsistencies)
  }

  /// Returns the detections that the options accept and that no other one suppresses.
  private func selected(
    _ all: [(row: Int, detection: Detection)], _ map: ImageCoordinateMap,
    _ inconsistencies: [Detections.Inconsistency]
  ) -> Detections {
    let sorted = all.filter { options.accepts($0.detection) }.sorted(byScoreOf: \.detection)
    let classes = sorted.map(\.detection.index)
    let oriented = sorted.compactMap { OrientedBox($0.detection.corners) }
    let visible =
      oriented.count == sorted.count
      ? selected(boxes: oriented, classes: classes, map) { sorted[$0] }
      : selected(boxes: sorted.map(\.detection.box), classes: classes, map) { sorted[$0] }
    return Detections(visible, inconsistencies)
  }

  /// Returns the detections of a raw head.
  private func decode(
    _ output: ModelOutput, _ head: any DetectionHead, _ map: ImageCoordinateMap
  ) throws(ModelError) -> Detections {
    let tensors = try HeadTensors(
      output, boxes: roles.boxes, scores: roles.scores, offsets: roles.offsets)
    let candidates = try head.candidates(in: tensors, threshold: options.minimumScore)
    let all = candidates.all
    var positions = Array(all.indices)
    if options.filter != LabelFilter() {
      positions.removeAll { !options.filter.allows(label(of: all[$0].index)) }
    }
    positions.sort { left, right in
      let (one, other) = (all[left].score, all[right].score)
      return one == other ? left < right : one > other
    }
    positions = Array(positions.prefix(Self.maxCandidates))
    let classes = positions.map { all[$0].index }
    let oriented = positions.compactMap { orientedBox(of: all[$0], map) }
    if !positions.isEmpty, oriented.count == positions.count {
      let visible = selected(boxes: oriented, classes: classes, map) {
        (all[positions[$0]].row, detection(all[positions[$0]], oriented[$0], map))
      }
      return Detections(visible, candidates)
    }
    let visible = selected(boxes: positions.map { all[$0].box }, classes: classes, map) {
      let (candidate, points) = (all[positions[$0]], candidates.points(at: positions[$0]))
      return (
        candidate.row,
        Detection(
          label: label(of: candidate.index), index: candidate.index, score: candidate.score,
          box: map.box(candidate.box, options), keypoints: keypoints(points, map, order: .xyxy))
      )
    }
    return Detections(visible, candidates)
  }

  /// Returns the rotated box of an object in pixels of the model; `nil` for an upright box.
  private func orientedBox(
    of candidate: DetectionCandidates.Candidate, _ map: ImageCoordinateMap
  ) -> OrientedBox? {
    guard let angle = candidate.angle else { return nil }
    guard options.coordinates == .normalized else {
      return OrientedBox(candidate.box, angle: angle)
    }
    // An angle is one of pixels, whose sides are equal.
    let (width, height) = (Double(map.size.width), Double(map.size.height))
    let box = candidate.box
    return OrientedBox(
      BoundingBox(
        xmin: box.xmin * width, ymin: box.ymin * height, xmax: box.xmax * width,
        ymax: box.ymax * height), angle: angle)
  }

  private func detection(
    _ candidate: DetectionCandidates.Candidate, _ box: OrientedBox, _ map: ImageCoordinateMap
  ) -> Detection {
    var options = options
    options.coordinates = .pixels
    let corners = box.corners.map { corner in
      let point = map.point(Float(corner.x), Float(corner.y), .xyxy, options)
      return AffineMap.Point(x: point.x, y: point.y)
    }
    var detection = Detection(
      label: label(of: candidate.index), index: candidate.index, score: candidate.score,
      box: BoundingBox(around: corners))
    detection.corners = corners
    return detection
  }

  /// The maximum number of objects of a raw head that are compared with each other.
  private static let maxCandidates = 30_000

  /// Returns the detections that remain after suppression, clipped to the image.
  private func selected<Box: SuppressibleBox>(
    boxes: [Box], classes: [Int], _ map: ImageCoordinateMap,
    _ detection: (Int) -> (row: Int, detection: Detection)
  ) -> [(row: Int, detection: Detection)] {
    let limit = max(0, options.top ?? .max)
    var visible: [(row: Int, detection: Detection)] = []
    let suppression = Suppression(kind: options.suppression, limit: options.iouThreshold)
    guard limit > 0 else { return [] }
    suppression.forEachKept(boxes, classes: classes) { members in
      let members = members.map(detection)
      if let row = members.first?.row,
        let kept = Detection.merged(members.map(\.detection))?.clipped(to: map)
      {
        visible.append((row, kept))
      }
      return visible.count < limit
    }
    return visible
  }

  private func detection(
    _ row: Int, of tensors: DetectionTensors, _ map: ImageCoordinateMap
  ) -> Detection? {
    guard let index = tensors.classIndex(of: row), !tensors.scores[row].isNaN else { return nil }
    let box = map.box(tensors.corners(of: row), options)
    guard box.isFinite else { return nil }
    let score = tensors.scores[row]
    return Detection(
      label: label(of: index), index: index,
      score: calibration?.calibrated(score, at: index) ?? score, box: box,
      keypoints: keypoints(tensors.points(of: row), map, order: options.boxOrder))
  }

  private func label(of index: Int) -> String {
    if roles.classes == nil, let label = options.label { return label }
    guard labels.indices.contains(index), !labels[index].isEmpty else { return String(index) }
    return labels[index]
  }

  private func keypoints(
    _ numbers: ArraySlice<Float>, _ map: ImageCoordinateMap, order: DetectionOptions.BoxOrder
  ) -> [Keypoint] {
    stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).enumerated().map {
      index, position in
      let point = map.point(numbers[position], numbers[position + 1], order, options)
      let names = options.keypoints
      let name = index < names.count ? names[index] : String(index)
      return Keypoint(name: name, x: point.x, y: point.y)
    }
  }
}

extension Detections {
  /// Creates the detections of a raw head.
  fileprivate init(
    _ rows: [(row: Int, detection: Detection)], _ candidates: DetectionCandidates
  ) {
    let count = candidates.nonfiniteCount
    self.init(rows, count > 0 ? [.nonFiniteValues(count)] : [])
  }
}

extension DetectionOptions {
  /// Returns whether a detection has an allowed label and a sufficient score.
  fileprivate func accepts(_ detection: Detection) -> Bool {
    filter.allows(detection.label) && detection.score >= minimumScore
  }
}

extension Array {
  /// Returns the elements in descending order of score; equal scores keep their order.
  func sorted(byScoreOf detection: (Element) -> Detection) -> [Element] {
    enumerated().sorted { left, right in
      let (one, other) = (detection(left.element).score, detection(right.element).score)
      return one == other ? left.offset < right.offset : one > other
    }.map(\.element)
  }
}

extension Detection {
  /// Returns the detection with its box clipped to the image; `nil` if the box is outside.
  fileprivate func clipped(to map: ImageCoordinateMap) -> Detection? {
    guard let bounds = map.bounds else { return self }
    var clipped = self
    clipped.box = box.intersection(bounds)
    return clipped.box.area > 0 ? clipped : nil
  }
}
