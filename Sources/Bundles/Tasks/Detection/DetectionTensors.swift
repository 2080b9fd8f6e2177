import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The names of a detector's outputs, by role.
struct DetectionRoles: Sendable {
  let boxes: String
  /// `nil` for a raw head with scores in the same output as the boxes.
  let scores: String?
  let classes: String?
  let count: String?
  let keypoints: String?
  let prototypes: String?
  let offsets: String?

  var names: [String] {
    [boxes, scores, classes, count, keypoints, prototypes, offsets].compactMap(\.self)
  }

  init(_ source: ModelInfo) throws(ModelError) {
    let outputs = source.outputs
    let head = DetectionHeads.head(of: source.task)
    let scores = outputs.outputName(for: .scores)
    let hasScoresOutput = head?.hasScoresOutput ?? true
    guard let boxes = outputs.outputName(for: .boxes), scores != nil || !hasScoresOutput else {
      let roles = hasScoresOutput ? "outputs with the roles boxes and scores" : "the role boxes"
      throw ModelError(
        .bundle, .unmetRequirement("the task detection requires \(roles, as: "roles")"),
        file: source.bundle.path)
    }
    (self.boxes, self.scores) = (boxes, hasScoresOutput ? scores : nil)
    classes = outputs.outputName(for: .classes)
    count = outputs.outputName(for: .count)
    keypoints = outputs.outputName(for: .keypoints)
    prototypes = outputs.outputName(for: .prototypes)
    offsets = outputs.outputName(for: .offsets)
  }
}

/// The values of a detector's outputs by row, which may be inconsistent.
struct DetectionTensors {
  let scores: [Float]
  /// The number of rows.
  let count: Int
  private let boxes: [Float]
  private let classes: [Float]?
  private let points: [Float]
  private let pointsPerRow: Int
  private var structuralInconsistencies: [Detections.Inconsistency] = []

  init(_ output: ModelOutput, _ roles: DetectionRoles) throws(ModelError) {
    boxes = try output.value(of: roles.boxes)
    scores = try output.value(of: roles.scores ?? roles.boxes)
    classes = try roles.classes.map { (name) throws(ModelError) in try output.value(of: name) }
    points =
      try roles.keypoints.map { (name) throws(ModelError) in try output.value(of: name) } ?? []
    let lengths = [boxes.count / 4, scores.count] + (classes.map { [$0.count] } ?? [])
    let available = lengths.min() ?? 0
    pointsPerRow = boxes.count < 4 ? 0 : points.count / (boxes.count / 4)
    if Set(lengths).count > 1 { structuralInconsistencies.append(.rowCountsDiffer(lengths)) }
    let reported = try roles.count.map { (name) throws(ModelError) in
      try output.value(of: name, as: Double.self)
    }
    count =
      reported.map { $0.isNaN ? available : Int(clamping: max(0, min($0, Double(available)))) }
      ?? available
    if let reported, !(0...Double(available)).contains(reported) {
      structuralInconsistencies.append(.countOutOfRange(reported: reported, available: available))
    }
  }

  var inconsistencies: [Detections.Inconsistency] {
    let nonfiniteCount = (0..<count).count { row in
      classIndex(of: row) == nil || scores[row].isNaN || !corners(of: row).allSatisfy(\.isFinite)
    }
    return structuralInconsistencies
      + (nonfiniteCount > 0 ? [.nonFiniteValues(nonfiniteCount)] : [])
  }

  /// Returns the class of a row; `nil` if it is not a finite number.
  func classIndex(of row: Int) -> Int? {
    guard let classes else { return 0 }
    return Int(exactly: classes[row].rounded())
  }

  func corners(of row: Int) -> ArraySlice<Float> { boxes[row * 4..<(row + 1) * 4] }

  func points(of row: Int) -> ArraySlice<Float> {
    points[row * pointsPerRow..<(row + 1) * pointsPerRow]
  }
}

/// The map from a model's output coordinates to the caller's image.
struct ImageCoordinateMap: Sendable {
  /// The size of the model's input image.
  private(set) var size = (width: 1.0, height: 1.0)
  /// The map from the model's input to the caller's image.
  private var modelToImage = AffineMap.identity
  /// The bounds of the caller's image; `nil` if they are unknown.
  private(set) var bounds: BoundingBox?

  /// Creates the map for a model's first image input.
  init(_ inputs: [Layer]) {
    for layer in inputs {
      guard case .image(let image) = layer.kind else { continue }
      size = (Double(image.width), Double(image.height))
      bounds = BoundingBox(xmin: 0, ymin: 0, xmax: size.width, ymax: size.height)
      return
    }
  }

  /// Returns the map for a run with the given geometry of its first image.
  func fitted(by geometries: [ImageGeometry?]) -> ImageCoordinateMap {
    guard let geometry = geometries.lazy.compactMap(\.self).first else { return self }
    var map = self
    map.size = (Double(geometry.modelWidth), Double(geometry.modelHeight))
    map.modelToImage = geometry.modelToImage
    map.bounds = BoundingBox(
      xmin: 0, ymin: 0, xmax: Double(geometry.imageWidth), ymax: Double(geometry.imageHeight))
    return map
  }

  /// Converts the four numbers of a box.
  func box(_ corners: ArraySlice<Float>, _ options: DetectionOptions) -> BoundingBox {
    let numbers = corners.map(Double.init)
    let edges =
      switch options.boxOrder {
      case .yxyx: [numbers[1], numbers[0], numbers[3], numbers[2]]
      case .xyxy: numbers
      case .cxcywh:
        [
          numbers[0] - numbers[2] / 2, numbers[1] - numbers[3] / 2,
          numbers[0] + numbers[2] / 2, numbers[1] + numbers[3] / 2,
        ]
      }
    return box(
      BoundingBox(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3]), options)
  }

  /// Converts a box.
  func box(_ box: BoundingBox, _ options: DetectionOptions) -> BoundingBox {
    let low = map(box.xmin, box.ymin, options)
    let high = map(box.xmax, box.ymax, options)
    return BoundingBox(xmin: low.x, ymin: low.y, xmax: high.x, ymax: high.y)
  }

  /// Converts the two numbers of a point, which have the order of a box's corners.
  func point(
    _ first: Float, _ second: Float, _ order: DetectionOptions.BoxOrder,
    _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    order == .yxyx
      ? map(Double(second), Double(first), options)
      : map(Double(first), Double(second), options)
  }

  private func map(
    _ x: Double, _ y: Double, _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    point(x: x, y: y, in: options.coordinates)
  }

  /// Converts the coordinates of a point.
  func point(
    x: Double, y: Double, in coordinates: DetectionOptions.Coordinates
  ) -> (x: Double, y: Double) {
    switch coordinates {
    case .normalized: modelToImage.apply(x * size.width, y * size.height)
    case .pixels: modelToImage.apply(x, y)
    }
  }
}
