package import TensorIOBundle
package import TensorIOCore

/// Decodes detections from a detector's outputs, in pixels of the caller's image.
///
/// Outputs are identified by their `role`. The bundle's task determines their format and the
/// detections to return; change ``options`` to override it.
package struct DetectionDecoder: TaskDecoder {
  /// The format of the outputs and the detections to return.
  package var options: DetectionOptions
  /// The names of the outputs that are decoded.
  package var outputs: [String] { roles.names }
  private let roles: DetectionRoles
  private let labels: [String]
  private let coordinateMap: ImageCoordinateMap

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    options = DetectionOptions(source.task)
    roles = try DetectionRoles(source)
    labels = try source.classLabels()
    coordinateMap = ImageCoordinateMap(source.inputs)
  }

  /// Returns the detections in a model's outputs.
  package func decode(_ output: ModelOutput) throws(ModelError) -> Detections {
    let tensors = try DetectionTensors(output, roles)
    let map = coordinateMap.fitted(by: output.imageGeometries)
    let all = (0..<tensors.count).compactMap { row in
      detection(row, of: tensors, map).map { (row: row, detection: $0) }
    }
    var selected = all.filter { options.accepts($0.detection) }.sorted(byScoreOf: \.detection)
    if let limit = options.iouThreshold {
      selected = selected.nonMaximumSuppressed(above: limit, of: \.detection)
    }
    let visible = selected.compactMap { row, detection in
      detection.clipped(to: map).map { (row: row, detection: $0) }
    }
    return Detections(Array(visible.prefix(max(0, options.top ?? .max))), tensors.inconsistencies)
  }

  private func detection(
    _ row: Int, of tensors: DetectionTensors, _ map: ImageCoordinateMap
  ) -> Detection? {
    guard let index = tensors.classIndex(of: row), !tensors.scores[row].isNaN else { return nil }
    let box = map.box(tensors.corners(of: row), options)
    guard box.isFinite else { return nil }
    return Detection(
      label: label(of: index), index: index, score: tensors.scores[row], box: box,
      keypoints: keypoints(tensors.points(of: row), map))
  }

  private func label(of index: Int) -> String {
    if roles.classes == nil, let label = options.label { return label }
    guard labels.indices.contains(index), !labels[index].isEmpty else { return String(index) }
    return labels[index]
  }

  private func keypoints(_ numbers: ArraySlice<Float>, _ map: ImageCoordinateMap) -> [Keypoint] {
    stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).enumerated().map {
      index, position in
      let point = map.point(numbers[position], numbers[position + 1], options)
      let names = options.keypoints
      let name = index < names.count ? names[index] : String(index)
      return Keypoint(name: name, x: point.x, y: point.y)
    }
  }
}

extension DetectionOptions {
  /// Returns whether a detection has an allowed label and a sufficient score.
  fileprivate func accepts(_ detection: Detection) -> Bool {
    filter.allows(detection.label) && detection.score >= threshold
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

  /// Returns the elements without those that overlap a preceding one of the same class too much.
  func nonMaximumSuppressed(
    above limit: Double, of detection: (Element) -> Detection
  ) -> [Element] {
    var kept: [Int: [Detection]] = [:]
    return filter { element in
      let detection = detection(element)
      let preceding = kept[detection.index] ?? []
      let isKept = preceding.allSatisfy { $0.box.intersectionOverUnion(detection.box) <= limit }
      if isKept { kept[detection.index, default: []].append(detection) }
      return isKept
    }
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
