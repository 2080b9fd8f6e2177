import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The names of the outputs of a detector, by what they are.
struct DetectionRoles: Sendable {
  let boxes: String
  let scores: String
  let classes: String?
  let count: String?
  let keypoints: String?

  var names: [String] { [boxes, scores, classes, count, keypoints].compactMap(\.self) }

  init(_ model: Model) throws(ModelError) {
    let outputs = model.outputs
    guard let boxes = outputs.outputName(for: .boxes), let scores = outputs.outputName(for: .scores) else {
      throw ModelError(
        .bundle, .unsupported("detection without outputs that have the roles boxes and scores"),
        file: model.bundle.path)
    }
    (self.boxes, self.scores) = (boxes, scores)
    classes = outputs.outputName(for: .classes)
    count = outputs.outputName(for: .count)
    keypoints = outputs.outputName(for: .keypoints)
  }
}

/// The numbers of a detector's outputs, row by row, however many of them make sense.
struct DetectionTensors {
  let scores: [Float]
  /// How many rows there are.
  let count: Int
  private let boxes: [Float]
  private let classes: [Float]?
  private let points: [Float]
  private let pointsPerRow: Int
  private var structuralInconsistencies: [Detections.Inconsistency] = []

  init(_ output: ModelOutput, _ roles: DetectionRoles) throws(ModelError) {
    boxes = try output.value(of: roles.boxes)
    scores = try output.value(of: roles.scores)
    classes = try roles.classes.map { (name) throws(ModelError) in try output.value(of: name) }
    points =
      try roles.keypoints.map { (name) throws(ModelError) in try output.value(of: name) } ?? []
    let lengths = [boxes.count / 4, scores.count] + (classes.map { [$0.count] } ?? [])
    let held = lengths.min() ?? 0
    pointsPerRow = boxes.count < 4 ? 0 : points.count / (boxes.count / 4)
    if Set(lengths).count > 1 { structuralInconsistencies.append(.rowCountsDiffer(lengths)) }
    let told = try roles.count.map { (name) throws(ModelError) in
      try output.value(of: name, as: Double.self)
    }
    count = told.map { $0.isNaN ? held : Int(clamping: max(0, min($0, Double(held)))) } ?? held
    if let told, !(0...Double(held)).contains(told) {
      structuralInconsistencies.append(.countOutOfRange(reported: told, available: held))
    }
  }

  var inconsistencies: [Detections.Inconsistency] {
    let broken = (0..<count).count { row in
      classIndex(of: row) == nil || scores[row].isNaN || !corners(of: row).allSatisfy(\.isFinite)
    }
    return structuralInconsistencies + (broken > 0 ? [.nonFiniteValues(broken)] : [])
  }

  /// The class of a row; `nil` for what is no number.
  func classIndex(of row: Int) -> Int? {
    guard let classes else { return 0 }
    return Int(exactly: classes[row].rounded())
  }

  func corners(of row: Int) -> ArraySlice<Float> { boxes[row * 4..<(row + 1) * 4] }

  func points(of row: Int) -> ArraySlice<Float> {
    points[row * pointsPerRow..<(row + 1) * pointsPerRow]
  }
}

/// How places in a model's picture are found in the caller's.
struct ImageCoordinateMap: Sendable {
  /// The size of the model's picture.
  private var size = (width: 1.0, height: 1.0)
  /// The way back to the caller's picture.
  private var modelToImage = AffineMap.identity
  /// What the caller's picture shows; `nil` where nobody knows it.
  private(set) var bounds: BoundingBox?

  /// The frame of a model's first picture.
  init(_ inputs: [Layer]) {
    for layer in inputs {
      guard case .image(let image) = layer.kind else { continue }
      size = (Double(image.width), Double(image.height))
      bounds = BoundingBox(xmin: 0, ymin: 0, xmax: size.width, ymax: size.height)
      return
    }
  }

  /// The frame of a run, whose first picture was fitted so.
  func fitted(by geometries: [ImageGeometry?]) -> ImageCoordinateMap {
    guard let geometry = geometries.lazy.compactMap(\.self).first else { return self }
    var frame = self
    frame.size = (Double(geometry.modelWidth), Double(geometry.modelHeight))
    frame.modelToImage = geometry.modelToImage
    frame.bounds = BoundingBox(
      xmin: 0, ymin: 0, xmax: Double(geometry.imageWidth), ymax: Double(geometry.imageHeight))
    return frame
  }

  /// Where four numbers of a model's put a box.
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
    let low = map(edges[0], edges[1], options)
    let high = map(edges[2], edges[3], options)
    return BoundingBox(xmin: low.x, ymin: low.y, xmax: high.x, ymax: high.y)
  }

  /// Where two numbers of a model's put a point; they are in the order of the box's corners.
  func point(
    _ first: Float, _ second: Float, _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    options.boxOrder == .yxyx
      ? map(Double(second), Double(first), options)
      : map(Double(first), Double(second), options)
  }

  private func map(
    _ x: Double, _ y: Double, _ options: DetectionOptions
  ) -> (x: Double, y: Double) {
    switch options.coordinates {
    case .normalized: modelToImage.apply(x * size.width, y * size.height)
    case .pixels: modelToImage.apply(x, y)
    }
  }
}
