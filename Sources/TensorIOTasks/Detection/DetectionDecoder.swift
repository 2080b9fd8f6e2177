public import TensorIOBundle
public import TensorIOCore

/// Reads what a detector has found, in the coordinates of the caller's picture.
///
///     let reader = try DetectionDecoder(model)
///     for detection in try reader.read(model.run(picture)) {
///       print(detection.label, detection.score, detection.box)
///     }
///
/// Which output is what, its `role` tells; how they are written, and which detections are wanted,
/// the bundle's task, unless ``options`` are changed.
public struct DetectionDecoder: Sendable {
  /// Which detections are wanted.
  public var options: DetectionOptions
  /// The names of the outputs that are read.
  public var outputs: [String] { roles.names }
  private let roles: DetectionRoles
  private let labels: [String]
  private let coordinateMap: ImageCoordinateMap

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    options = DetectionOptions(model.bundle.description.task)
    roles = try DetectionRoles(model)
    let classes = model.outputs.first { $0.role == .classes }
    labels =
      try classes.map { (layer) throws(ModelError) in
        try model.bundle.labels(for: layer)
      } ?? []
    coordinateMap = ImageCoordinateMap(model.inputs)
  }

  /// What the model has found.
  public func decode(_ output: ModelOutput) throws(ModelError) -> Detections {
    let tensors = try DetectionTensors(output, roles)
    let frame = coordinateMap.fitted(by: output.imageGeometries)
    let found = (0..<tensors.count).compactMap { row in
      detection(row, of: tensors, frame).map { (row: row, detection: $0) }
    }
    let wanted = found.filter { options.accepts($0.detection) }.sorted(byScoreOf: \.detection)
    let kept = options.iouThreshold.map { wanted.nonMaximumSuppressed(above: $0, of: \.detection) } ?? wanted
    let seen = kept.compactMap { row, detection in
      detection.clipped(to: frame).map { (row: row, detection: $0) }
    }
    return Detections(Array(seen.prefix(max(0, options.top ?? .max))), tensors.inconsistencies)
  }

  private func detection(
    _ row: Int, of tensors: DetectionTensors, _ frame: ImageCoordinateMap
  ) -> Detection? {
    guard let index = tensors.classIndex(of: row), !tensors.scores[row].isNaN else { return nil }
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

  private func keypoints(_ numbers: ArraySlice<Float>, _ frame: ImageCoordinateMap) -> [Keypoint] {
    stride(from: numbers.startIndex, to: numbers.endIndex - 1, by: 2).enumerated().map {
      number, place in
      let point = frame.point(numbers[place], numbers[place + 1], options)
      let names = options.keypoints
      let name = number < names.count ? names[number] : String(number)
      return Keypoint(name: name, x: point.x, y: point.y)
    }
  }
}

extension DetectionOptions {
  /// Whether a detection is one of a label that is wanted, and sure enough.
  fileprivate func accepts(_ detection: Detection) -> Bool {
    filter.allows(detection.label) && detection.score >= threshold
  }
}

extension Array {
  /// Surest first; equal scores stay in order.
  func sorted(byScoreOf detection: (Element) -> Detection) -> [Element] {
    enumerated().sorted { left, right in
      let (one, other) = (detection(left.element).score, detection(right.element).score)
      return one == other ? left.offset < right.offset : one > other
    }.map(\.element)
  }

  /// Those that have not too much in common with a surer one of their class.
  func nonMaximumSuppressed(above limit: Double, of detection: (Element) -> Detection) -> [Element] {
    var kept: [Int: [Detection]] = [:]
    return filter { element in
      let detection = detection(element)
      let surer = kept[detection.index] ?? []
      let isNew = surer.allSatisfy { $0.box.intersectionOverUnion(detection.box) <= limit }
      if isNew { kept[detection.index, default: []].append(detection) }
      return isNew
    }
  }
}

extension Detection {
  /// The part of it that the picture shows; `nil` where that is none.
  fileprivate func clipped(to frame: ImageCoordinateMap) -> Detection? {
    guard let bounds = frame.bounds else { return self }
    var clipped = self
    clipped.box = box.intersection(bounds)
    return clipped.box.area > 0 ? clipped : nil
  }
}

/// Which detections are wanted of a model, and how its outputs are written.
public struct DetectionOptions: Sendable, Hashable {
  /// What the corners of boxes are counted in.
  public enum Coordinates: String, Sendable, Hashable, CaseIterable {
    /// Shares of the model's picture: 0 to 1.
    case normalized
    /// Pixels of the model's picture.
    case pixels
  }

  /// In which order four numbers are a box.
  public enum BoxOrder: String, Sendable, Hashable, CaseIterable {
    /// Top, left, bottom, right.
    case yxyx
    /// Left, top, right, bottom.
    case xyxy
    /// The centre's x and y, the width, the height.
    case cxcywh
  }

  /// The score that a detection has at least.
  public var threshold: Float
  /// How many there are at most; `nil` is as many as there are.
  public var top: Int?
  /// How much two boxes of one class may have in common before the less sure one is dropped;
  /// `nil` drops none.
  public var iouThreshold: Double?
  /// Which labels may be among them.
  public var filter: LabelFilter
  /// What the corners of boxes are counted in.
  public var coordinates: Coordinates
  /// In which order four numbers are a box.
  public var boxOrder: BoxOrder
  /// What is found by a model that tells no classes apart.
  public var label: String?
  /// The names of the points that come with every box.
  public var keypoints: [String]

  /// The score below which detections are noise, unless somebody says otherwise.
  public static let defaultThreshold: Float = 0.25

  /// What a bundle's task says, and the usual for what it leaves out.
  public init(_ task: ModelTask? = nil) {
    let task = task ?? ModelTask(type: "detection")
    threshold = task.float("threshold") ?? Self.defaultThreshold
    top = task.int("top")
    iouThreshold = task.float("iou").map(Double.init)
    filter = task.labelFilter
    coordinates = task.enumValue("coordinates") ?? .normalized
    boxOrder = task.enumValue("box_order") ?? .yxyx
    label = task.string("label")
    keypoints = task.strings("keypoints") ?? []
  }
}
