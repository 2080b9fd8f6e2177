import TensorIOJSON

/// Rules that involve more than one part of a description.
extension DescriptionParser {
  typealias Rule = @Sendable (inout DescriptionParser, ModelDescription, ObjectFields) -> Void

  static let rules: [Rule] = [
    { parser, _, root in parser.checkNames(in: ["inputs", "placeholders"], of: root) },
    { parser, _, root in parser.checkNames(in: ["outputs"], of: root) },
    { parser, _, root in parser.checkNamesOfModes(root) },
    { parser, description, root in parser.checkTrainingOperations(description, root) },
    { parser, description, root in parser.checkExampleNames(description.defaultMode, root) },
    { parser, description, root in parser.checkTask(description, root) },
    { parser, _, root in parser.checkTextSources(root) },
    { parser, description, root in parser.checkCalibrations(description, root) },
  ]

  /// Checks that the names of layers in some lists differ.
  ///
  /// Names are compared as strings, not as bytes, because applications use them as dictionary keys.
  private mutating func checkNames(in keys: [String], of root: ObjectFields) {
    checkNames(of: keys.compactMap { root[$0] }, alongside: [])
  }

  /// Checks the layers of modes, together with those that a mode inherits.
  private mutating func checkNamesOfModes(_ root: ObjectFields) {
    for mode in ["train", "eval"].compactMap({ root[$0] }) {
      let keys = ["inputs", "placeholders"]
      checkNames(
        of: keys.compactMap { mode[$0] },
        alongside: keys.filter { mode[$0] == nil }.compactMap { root[$0] })
      checkNames(of: [mode["outputs"]].compactMap(\.self), alongside: [])
    }
  }

  private mutating func checkNames(of lists: [JSONNode], alongside others: [JSONNode]) {
    var seen: [String: JSONNode] = [:]
    for (node, name) in others.flatMap(\.layerNames) { seen[name] = seen[name] ?? node }
    for (node, name) in lists.flatMap(\.layerNames) where !log.isFull {
      if let first = seen[name] {
        log.error(
          .duplicateName, at: node, expected: "a unique name", "duplicate layer name",
          suggestion: "the name is first used at \(first.position)")
      } else {
        seen[name] = node
      }
    }
  }

  /// Checks that examples name existing layers of the mode in which they are run.
  private mutating func checkExampleNames(_ mode: ModelMode, _ root: ObjectFields) {
    let inputs = names(in: ["inputs", "placeholders"], of: mode, root)
    let outputs = names(in: ["outputs"], of: mode, root)
    for example in root["examples"]?.elements.map(Array.init) ?? [] {
      checkNames(in: example["input"], against: inputs, .unknownInput)
      checkNames(in: example["output"], against: outputs, .unknownOutput)
    }
  }

  private mutating func checkNames(
    in named: JSONNode?, against names: [String]?, _ code: DiagnosticCode
  ) {
    guard let names else { return }
    for member in named?.members.map(Array.init) ?? [] where !log.isFull {
      guard !names.contains(member.name) else { continue }
      let match = Spelling.closestMatch(to: member.name, among: names)
      log.error(
        code, at: member.key, expected: "the name of a layer",
        "unknown layer \(member.key.excerpt)",
        suggestion: match.map { "did you mean \"\($0)\"?" })
    }
  }

  /// Returns the names of all layers in some lists, or `nil` if a list is invalid, to avoid
  /// follow-up errors.
  private func names(
    in keys: [String], of mode: ModelMode, _ root: ObjectFields
  ) -> [String]? {
    let lists = keys.compactMap { root[mode.rawValue]?[$0] ?? root[$0] }
    let names = lists.flatMap(\.layerNames).map(\.name)
    let isComplete =
      lists.allSatisfy { $0.kind == .array } && names.count == lists.reduce(0) { $0 + $1.count }
    return isComplete && lists.first?.count != 0 && !names.isEmpty ? names : nil
  }

  /// Checks that calibrated outputs have scores that belong to labels or to detections.
  private mutating func checkCalibrations(_ description: ModelDescription, _ root: ObjectFields) {
    // Avoids follow-up errors if the task or the outputs are invalid.
    guard !log.hasErrors else { return }
    let isDecodedDetector =
      description.task?.type == "detection" && description.task?.settings["head"] == nil
    for group in [root.node, root["train"], root["eval"]].compactMap({ $0?["outputs"] }) {
      for layer in group.elements.map(Array.init) ?? [] where !log.isFull {
        guard let node = layer["calibration"], LayerType(of: layer) == .array else { continue }
        let role = layer["role"]?.string
        let isScores = role == OutputRole.scores.rawValue
        let isLabeled = layer["labels"] != nil && (role == nil || isScores)
        guard !isLabeled, !(isScores && isDecodedDetector) else { continue }
        log.error(
          .misplacedCalibration, at: node, expected: "scores of labels",
          "this output has no scores to calibrate",
          suggestion: "calibrate an output with labels, or the scores of a detector without a head")
      }
    }
  }

  private mutating func checkTrainingOperations(
    _ description: ModelDescription, _ root: ObjectFields
  ) {
    guard description.modes.contains(.train), root["train"] == nil else { return }
    log.missingKey(
      "train", in: root.node, severity: .warning, .trainWithoutOperations, expected: "an object",
      "the model has the mode train but no training operators",
      suggestion: "add \"train\": {\"ops\": [\"…\"]}")
  }
}

extension JSONNode {
  /// The names of the layers in a list, with their nodes.
  fileprivate var layerNames: [(node: JSONNode, name: String)] {
    (elements.map(Array.init) ?? []).compactMap { layer in
      guard let node = layer["name"], let name = node.string else { return nil }
      return (node, name)
    }
  }
}
