public import TensorIOCore

/// Reads what a detector has found, in the coordinates of the caller's picture.
///
///     let reader = try DetectionReader(model)
///     for detection in try reader.read(model.run(picture)) {
///       print(detection.label, detection.score, detection.box)
///     }
///
/// Which output is what, its `role` tells; how they are written, and which detections are wanted,
/// the bundle's task, unless ``options`` are changed.
public struct DetectionReader: Sendable {
  /// Which detections are wanted.
  public var options: DetectionOptions
  /// The names of the outputs that are read.
  public var outputs: [String] { roles.names }
  private let roles: DetectionRoles
  private let labels: [String]
  private let frame: PictureFrame

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    options = DetectionOptions(model.bundle.description.task)
    roles = try DetectionRoles(model)
    let classes = model.outputs.first { $0.role == .classes }
    labels =
      try classes.map { (layer) throws(ModelError) in
        try model.bundle.labels(for: layer)
      } ?? []
    frame = PictureFrame(model.inputs)
  }

  /// What the model has found.
  public func read(_ output: ModelOutput) throws(ModelError) -> Detections {
    let tensors = try DetectionTensors(output, roles)
    let frame = frame.fitted(by: output.geometries)
    let found = (0..<tensors.count).compactMap { row in detection(row, of: tensors, frame) }
    let wanted = found.filter { options.filter.admits($0.label) && $0.score >= options.threshold }
      .sortedByScore
    let kept = options.iou.map { wanted.suppressed(above: $0) } ?? wanted
    let seen = kept.compactMap { $0.clipped(to: frame) }
    return Detections(Array(seen.prefix(max(0, options.top ?? .max))), tensors.findings)
  }

  private func detection(
    _ row: Int, of tensors: DetectionTensors, _ frame: PictureFrame
  ) -> Detection? {
    guard let index = tensors.index(of: row), !tensors.scores[row].isNaN else { return nil }
    let box = frame.box(tensors.corners(of: row), options)
    guard box.isFinite else { return nil }
    return Detection(
      label: label(of: index), index: index, score: tensors.scores[row], box: box,
      keypoints: keypoints(tensors.points(of: row), frame))
  }

  private func label(of index: Int) -> String {
    if roles.classes == nil, let label = options.label { return label }
    guard labels.indices.contains(index), !labels[index].isEmpty else { return String(index) }
    return labels[index]
  }

  private func keypoints(_ numbers: ArraySlice<Float>, _ frame: PictureFrame) -> [Keypoint] {
    stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).enumerated().map {
      number, place in
      let point = frame.point(numbers[place], numbers[place + 1], options)
      let names = options.keypoints
      let name = number < names.count ? names[number] : String(number)
      return Keypoint(name: name, x: point.x, y: point.y)
    }
  }
}

extension [Detection] {
  /// Surest first; equal scores stay in order.
  var sortedByScore: [Detection] {
    enumerated().sorted { left, right in
      left.element.score == right.element.score
        ? left.offset < right.offset : left.element.score > right.element.score
    }.map(\.element)
  }

  /// Those that have not too much in common with a surer one of their class.
  func suppressed(above limit: Double) -> [Detection] {
    var kept: [Int: [Detection]] = [:]
    return filter { detection in
      let surer = kept[detection.index] ?? []
      let isNew = surer.allSatisfy { $0.box.intersectionOverUnion(detection.box) <= limit }
      if isNew { kept[detection.index, default: []].append(detection) }
      return isNew
    }
  }
}

extension Detection {
  /// The part of it that the picture shows; `nil` where that is none.
  fileprivate func clipped(to frame: PictureFrame) -> Detection? {
    guard let bounds = frame.bounds else { return self }
    var clipped = self
    clipped.box = box.intersection(bounds)
    return clipped.box.area > 0 ? clipped : nil
  }
}
