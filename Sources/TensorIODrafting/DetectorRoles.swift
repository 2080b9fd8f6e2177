import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT

/// Which outputs of a detector are the boxes, the classes, the scores and the count.
struct DetectorRoles: Sendable {
  private var roles: [Int: OutputRole] = [:]
  private(set) var source = DraftedValue.Source.tensors
  /// Why somebody should check the roles.
  private(set) var reviewNote: String?

  var isDetection: Bool { index(of: .boxes) != nil && index(of: .scores) != nil }

  func role(of index: Int) -> OutputRole? { roles[index] }

  func index(of role: OutputRole) -> Int? { roles.first { $0.value == role }?.key }

  /// The roles that the exporter's metadata gives, or those that shapes and names allow; none for
  /// a model that is no detector.
  init(_ material: DraftSources) {
    if let export = material.exportMetadata, !export.roles.isEmpty {
      let names = material.signature.outputs.map(\.name)
      for (tensor, role) in export.roles {
        if let index = names.firstIndex(of: tensor) { roles[index] = role }
      }
      source = .exporter
      if isDetection { return }
      roles = [:]
    }
    source = .tensors
    inferRoles(from: material)
  }

  // MARK: By shape and name

  private mutating func inferRoles(from material: DraftSources) {
    let outputs = material.signature.outputs
    let boxes = outputs.indices.filter { Self.boxCount(outputs[$0]) != nil }
    guard boxes.count == 1, let count = Self.boxCount(outputs[boxes[0]]) else { return }
    let rows = outputs.indices.filter { Self.nonBatchAxes(outputs[$0]) == [count] }
    guard rows.count == 2 else { return }
    roles[boxes[0]] = .boxes
    if let number = outputs.indices.first(where: { outputs[$0].shape.elementCount == 1 }) {
      roles[number] = .count
    }
    let texts = rows.map { index in
      [outputs[index].name, material.metadata(forOutput: index)?.name ?? ""].joined(separator: " ")
        .lowercased()
    }
    let classes = Self.classesIndex(byName: texts) ?? classesIndexByOrder(rows, boxes: boxes[0], outputs)
    roles[rows[classes]] = .classes
    roles[rows[1 - classes]] = .scores
  }

  /// How many boxes a tensor holds, if its rows are of four numbers.
  private static func boxCount(_ tensor: TensorInfo) -> Int? {
    let lengths = tensor.shape.dimensions
    guard lengths.count == 3, lengths[2] == 4, let count = lengths[1], count > 1,
      tensor.elementType.isFloatingPoint
    else { return nil }
    return count
  }

  /// The lengths behind the batch.
  private static func nonBatchAxes(_ tensor: TensorInfo) -> [Int?] {
    Array(tensor.shape.dimensions.dropFirst())
  }

  /// Which of two names speaks of classes.
  private static func classesIndex(byName names: [String]) -> Int? {
    let (scores, classes) = (["score", "confidence", "probab"], ["class", "categor", "label"])
    let areScores = names.map { name in scores.contains { name.contains($0) } }
    let areClasses = names.map { name in classes.contains { name.contains($0) } }
    if areScores[0] != areScores[1] { return areScores[0] ? 1 : 0 }
    if areClasses[0] != areClasses[1] { return areClasses[0] ? 0 : 1 }
    return nil
  }

  /// The operator for detection gives boxes, classes, scores and count, in this order and under
  /// names that are numbered in it; converters that reorder begin with the scores.
  private mutating func classesIndexByOrder(
    _ rows: [Int], boxes: Int, _ outputs: [TensorInfo]
  ) -> Int {
    let isOperator = ([boxes] + rows).allSatisfy { outputs[$0].name.contains(Self.operatorName) }
    if isOperator, rows.map({ outputs[$0].name.suffix(2) }) == [":1", ":2"] { return 0 }
    source = .heuristic
    reviewNote = "classes and scores look alike, and only their order tells them apart"
    return boxes < rows[0] ? 0 : 1
  }

  private static let operatorName = "TFLite_Detection_PostProcess"
}
