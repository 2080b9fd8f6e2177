import TensorIOJSON

/// The rules that look at more than one place.
extension DescriptionParser {
  typealias Rule = @Sendable (inout DescriptionParser, ModelDescription, ObjectFields) -> Void

  static let rules: [Rule] = [
    { reading, _, root in reading.checkNames(in: ["inputs", "placeholders"], of: root) },
    { reading, _, root in reading.checkNames(in: ["outputs"], of: root) },
    { reading, _, root in reading.checkNamesOfModes(root) },
    { reading, description, root in reading.checkTrainingOperations(description, root) },
    { reading, description, root in reading.checkTrainingBackend(description, root) },
    { reading, description, root in reading.checkExampleNames(description.defaultMode, root) },
    { reading, description, root in reading.checkTask(description, root) },
  ]

  /// Layers that an application speaks of in one breath have different names.
  ///
  /// Names are equal when they look alike: an application looks them up in dictionaries.
  private mutating func checkNames(in keys: [String], of root: ObjectFields) {
    checkNames(of: keys.compactMap { root[$0] }, alongside: [])
  }

  /// A mode's own layers stand beside those that it has in common with the whole model.
  private mutating func checkNamesOfModes(_ root: ObjectFields) {
    for mode in ["train", "eval"].compactMap({ root[$0] }) {
      let given = ["inputs", "placeholders"]
      checkNames(
        of: given.compactMap { mode[$0] },
        alongside: given.filter { mode[$0] == nil }.compactMap { root[$0] })
      checkNames(of: [mode["outputs"]].compactMap(\.self), alongside: [])
    }
  }

  private mutating func checkNames(of lists: [JSONNode], alongside others: [JSONNode]) {
    var seen: [String: JSONNode] = [:]
    for (node, name) in others.flatMap(\.layerNames) { seen[name] = seen[name] ?? node }
    for (node, name) in lists.flatMap(\.layerNames) where !log.isFull {
      if let first = seen[name] {
        log.error(
          .duplicateName, at: node, expected: "a name of its own",
          "The layer has the name of another.",
          suggestion: "the first of the name is at \(first.position)")
      } else {
        seen[name] = node
      }
    }
  }

  /// An example speaks of the layers that there are in the mode in which it is run.
  private mutating func checkExampleNames(_ mode: ModelMode, _ root: ObjectFields) {
    let given = names(in: ["inputs", "placeholders"], of: mode, root)
    let results = names(in: ["outputs"], of: mode, root)
    for example in root["examples"]?.elements.map(Array.init) ?? [] {
      checkNames(in: example["input"], against: given, .unknownInput)
      checkNames(in: example["output"], against: results, .unknownOutput)
    }
  }

  private mutating func checkNames(
    in named: JSONNode?, against names: [String]?, _ code: DiagnosticCode
  ) {
    guard let names else { return }
    for member in named?.members.map(Array.init) ?? [] where !log.isFull {
      guard !names.contains(member.name) else { continue }
      let nearest = Spelling.closestMatch(to: member.name, among: names)
      log.error(
        code, at: member.key, expected: "the name of a layer",
        "No such layer has the name \(member.key.excerpt).",
        suggestion: nearest.map { "did you mean \"\($0)\"?" })
    }
  }

  /// The names of all layers of some lists; `nil` when not all are known, so that a fault in a list
  /// is told and not what follows from it.
  private func names(
    in keys: [String], of mode: ModelMode, _ root: ObjectFields
  ) -> [String]? {
    let lists = keys.compactMap { root[mode.rawValue]?[$0] ?? root[$0] }
    let names = lists.flatMap(\.layerNames).map(\.name)
    let isWhole =
      lists.allSatisfy { $0.kind == .array } && names.count == lists.reduce(0) { $0 + $1.count }
    return isWhole && lists.first?.count != 0 && !names.isEmpty ? names : nil
  }

  private mutating func checkTrainingOperations(_ description: ModelDescription, _ root: ObjectFields) {
    guard description.modes.contains(.train), root["train"] == nil else { return }
    log.missingKey(
      "train", in: root.node, severity: .warning, .trainWithoutOperations, expected: "an object",
      "The model lists the mode train and no operators to train it with.",
      suggestion: "add \"train\": {\"ops\": [\"…\"]}")
  }

  private mutating func checkTrainingBackend(_ description: ModelDescription, _ root: ObjectFields) {
    guard description.backend == .tflite, description.modes.contains(.train),
      let mode = root["model"]?["modes"]?.elements?.first(where: { $0.string == "train" })
    else { return }
    log.warning(
      .trainOnTFLite, at: mode, "TensorFlow Lite models cannot be trained.",
      suggestion: "the model can be used for predictions")
  }
}

extension JSONNode {
  /// The names of the layers of a list, and where they stand.
  fileprivate var layerNames: [(node: JSONNode, name: String)] {
    (elements.map(Array.init) ?? []).compactMap { layer in
      guard let node = layer["name"], let name = node.string else { return nil }
      return (node, name)
    }
  }
}
