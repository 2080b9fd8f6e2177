import TensorIOBundle
import TensorIOCore

/// The outputs of a detector that hold the boxes, classes, scores and count.
struct DetectorRoles: Sendable {
  private var roles: [Int: OutputRole] = [:]
  private(set) var source = DraftedValue.Source.tensors
  /// The reason to review the roles, if any.
  private(set) var reviewNote: String?

  var isDetection: Bool { index(of: .boxes) != nil && index(of: .scores) != nil }

  func role(of index: Int) -> OutputRole? { roles[index] }

  func index(of role: OutputRole) -> Int? { roles.first { $0.value == role }?.key }

  /// Takes the roles from the exporter's metadata, or else infers them from shapes and names.
  ///
  /// A model that is not a detector has no roles.
  init(_ sources: DraftSources) {
    if let export = sources.exportMetadata, !export.roles.isEmpty {
      let names = sources.signature.outputs.map(\.name)
      for (tensor, role) in export.roles {
        if let index = names.firstIndex(of: tensor) { roles[index] = role }
      }
      source = .exporter
      if isDetection { return }
      roles = [:]
    }
    source = .tensors
    inferRoles(from: sources)
  }

  // MARK: Inference from shapes and names

  private mutating func inferRoles(from sources: DraftSources) {
    let outputs = sources.signature.outputs
    let boxes = outputs.indices.filter { Self.boxCount(outputs[$0]) != nil }
    guard boxes.count == 1, let count = Self.boxCount(outputs[boxes[0]]) else { return }
    let rows = outputs.indices.filter { Self.nonBatchAxes(outputs[$0]) == [count] }
    guard rows.count == 2 else { return }
    roles[boxes[0]] = .boxes
    if let countIndex = outputs.indices.first(where: { outputs[$0].shape.elementCount == 1 }) {
      roles[countIndex] = .count
    }
    let texts = rows.map { index in
      [
        outputs[index].name, outputs[index].signatureKey ?? "",
        sources.metadata(forOutput: index)?.name ?? "",
      ].joined(separator: " ").lowercased()
    }
    let classes =
      classesIndexByName(texts) ?? classesIndexByOrder(rows, boxes: boxes[0], outputs)
    roles[rows[classes]] = .classes
    roles[rows[1 - classes]] = .scores
  }

  /// The number of boxes in a tensor whose rows have four numbers, else `nil`.
  private static func boxCount(_ tensor: TensorInfo) -> Int? {
    let lengths = tensor.shape.dimensions
    guard lengths.count == 3, lengths[2] == 4, let count = lengths[1], count > 1,
      tensor.elementType.isFloatingPoint
    else { return nil }
    return count
  }

  /// The dimensions after the batch dimension.
  private static func nonBatchAxes(_ tensor: TensorInfo) -> [Int?] {
    Array(tensor.shape.dimensions.dropFirst())
  }

  /// The index of the name that refers to classes, if exactly one of the two does.
  private static func classesIndex(byName names: [String]) -> Int? {
    let (scores, classes) = (["score", "confidence", "probab"], ["class", "categor", "label"])
    let areScores = names.map { name in scores.contains { name.contains($0) } }
    let areClasses = names.map { name in classes.contains { name.contains($0) } }
    if areScores[0] != areScores[1] { return areScores[0] ? 1 : 0 }
    if areClasses[0] != areClasses[1] { return areClasses[0] ? 0 : 1 }
    return nil
  }

  // Exporters also give such names to outputs of other kinds, such as scores of all classes.
  private mutating func classesIndexByName(_ names: [String]) -> Int? {
    guard let index = Self.classesIndex(byName: names) else { return nil }
    source = .heuristic
    reviewNote = "classes and scores have the same shape; distinguished by their names"
    return index
  }

  // TFLite_Detection_PostProcess returns boxes, classes, scores and count, in this order and with
  // numbered names. Converters that reorder its outputs put the scores first.
  private mutating func classesIndexByOrder(
    _ rows: [Int], boxes: Int, _ outputs: [TensorInfo]
  ) -> Int {
    let isOperator = ([boxes] + rows).allSatisfy { outputs[$0].name.contains(Self.operatorName) }
    if isOperator, rows.map({ outputs[$0].name.suffix(2) }) == [":1", ":2"] { return 0 }
    source = .heuristic
    reviewNote = "classes and scores have the same shape; distinguished by their order"
    return boxes < rows[0] ? 0 : 1
  }

  private static let operatorName = "TFLite_Detection_PostProcess"
}
