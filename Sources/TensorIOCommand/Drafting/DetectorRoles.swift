internal import TensorIOCore
internal import TensorIOLiteRT

/// Which outputs of a detector are the boxes, the classes, the scores and the count.
struct DetectorRoles: Sendable {
  private var roles: [Int: OutputRole] = [:]
  private(set) var source = DraftFinding.Source.tensors
  /// Why somebody should check the roles.
  private(set) var doubt: String?

  var isDetection: Bool { index(of: .boxes) != nil && index(of: .scores) != nil }

  func role(of index: Int) -> OutputRole? { roles[index] }

  func index(of role: OutputRole) -> Int? { roles.first { $0.value == role }?.key }

  /// The roles that the exporter's metadata gives, or those that shapes and names allow; none for
  /// a model that is no detector.
  init(_ material: DraftMaterial) {
    if let export = material.export, !export.roles.isEmpty {
      let names = material.signature.outputs.map(\.name)
      for (tensor, role) in export.roles {
        if let index = names.firstIndex(of: tensor) { roles[index] = role }
      }
      source = .export
      if isDetection { return }
      roles = [:]
    }
    source = .tensors
    assign(by: material)
  }

  // MARK: By shape and name

  private mutating func assign(by material: DraftMaterial) {
    let outputs = material.signature.outputs
    let boxes = outputs.indices.filter { Self.boxCount(outputs[$0]) != nil }
    guard boxes.count == 1, let count = Self.boxCount(outputs[boxes[0]]) else { return }
    let rows = outputs.indices.filter { Self.lengths(outputs[$0]) == [count] }
    guard rows.count == 2 else { return }
    roles[boxes[0]] = .boxes
    if let number = outputs.indices.first(where: { outputs[$0].shape.elementCount == 1 }) {
      roles[number] = .count
    }
    let texts = rows.map { index in
      [outputs[index].name, material.said(ofOutput: index)?.name ?? ""].joined(separator: " ")
        .lowercased()
    }
    let classes = Self.classes(texts) ?? classesByOrder(rows, behind: boxes[0], outputs)
    roles[rows[classes]] = .classes
    roles[rows[1 - classes]] = .scores
  }

  /// How many boxes a tensor holds, if its rows are of four numbers.
  private static func boxCount(_ tensor: TensorInfo) -> Int? {
    let lengths = tensor.shape.axes
    guard lengths.count == 3, lengths[2] == 4, let count = lengths[1], count > 1,
      tensor.elementType.isFloatingPoint
    else { return nil }
    return count
  }

  /// The lengths behind the batch.
  private static func lengths(_ tensor: TensorInfo) -> [Int?] {
    Array(tensor.shape.axes.dropFirst())
  }

  /// Which of two names speaks of classes.
  private static func classes(_ names: [String]) -> Int? {
    let (scores, classes) = (["score", "confidence", "probab"], ["class", "categor", "label"])
    let areScores = names.map { name in scores.contains { name.contains($0) } }
    let areClasses = names.map { name in classes.contains { name.contains($0) } }
    if areScores[0] != areScores[1] { return areScores[0] ? 1 : 0 }
    if areClasses[0] != areClasses[1] { return areClasses[0] ? 0 : 1 }
    return nil
  }

  /// The operator for detection gives boxes, classes, scores and count, in this order and under
  /// names that are numbered in it; converters that reorder begin with the scores.
  private mutating func classesByOrder(
    _ rows: [Int], behind boxes: Int, _ outputs: [TensorInfo]
  ) -> Int {
    let isOperator = ([boxes] + rows).allSatisfy { outputs[$0].name.contains(Self.operatorName) }
    if isOperator, rows.map({ outputs[$0].name.suffix(2) }) == [":1", ":2"] { return 0 }
    source = .guess
    doubt = "classes and scores look alike, and only their order tells them apart"
    return boxes < rows[0] ? 0 : 1
  }

  private static let operatorName = "TFLite_Detection_PostProcess"
}
