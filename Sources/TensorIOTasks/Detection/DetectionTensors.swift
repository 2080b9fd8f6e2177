internal import TensorIOCore

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
    guard let boxes = outputs.name(of: .boxes), let scores = outputs.name(of: .scores) else {
      throw ModelError(
        .bundle, .unsupported("detection without outputs that have the roles boxes and scores"),
        file: model.bundle.path)
    }
    (self.boxes, self.scores) = (boxes, scores)
    classes = outputs.name(of: .classes)
    count = outputs.name(of: .count)
    keypoints = outputs.name(of: .keypoints)
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
  private var contradictions: [Detections.Finding] = []

  init(_ output: ModelOutput, _ roles: DetectionRoles) throws(ModelError) {
    boxes = try output.value(of: roles.boxes)
    scores = try output.value(of: roles.scores)
    classes = try roles.classes.map { (name) throws(ModelError) in try output.value(of: name) }
    points =
      try roles.keypoints.map { (name) throws(ModelError) in try output.value(of: name) } ?? []
    let lengths = [boxes.count / 4, scores.count] + (classes.map { [$0.count] } ?? [])
    let held = lengths.min() ?? 0
    pointsPerRow = boxes.count < 4 ? 0 : points.count / (boxes.count / 4)
    if Set(lengths).count > 1 { contradictions.append(.rowsDiffer(lengths)) }
    let told = try roles.count.map { (name) throws(ModelError) in
      try output.value(of: name, as: Double.self)
    }
    count = told.map { $0.isNaN ? held : Int(clamping: max(0, min($0, Double(held)))) } ?? held
    if let told, !(0...Double(held)).contains(told) {
      contradictions.append(.countBeyond(told: told, held: held))
    }
  }

  var findings: [Detections.Finding] {
    let broken = (0..<count).count { row in
      index(of: row) == nil || scores[row].isNaN || !corners(of: row).allSatisfy(\.isFinite)
    }
    return contradictions + (broken > 0 ? [.notNumbers(broken)] : [])
  }

  /// The class of a row; `nil` for what is no number.
  func index(of row: Int) -> Int? {
    guard let classes else { return 0 }
    return Int(exactly: classes[row].rounded())
  }

  func corners(of row: Int) -> ArraySlice<Float> { boxes[row * 4..<(row + 1) * 4] }

  func points(of row: Int) -> ArraySlice<Float> {
    points[row * pointsPerRow..<(row + 1) * pointsPerRow]
  }
}
