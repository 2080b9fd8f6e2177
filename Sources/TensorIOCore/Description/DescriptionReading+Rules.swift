/// The rules that look at more than one place.
extension DescriptionReading {
  typealias Rule = @Sendable (inout DescriptionReading, ModelDescription, Fields) -> Void

  static let rules: [Rule] = [
    { reading, _, root in reading.checkNames(in: ["inputs", "placeholders"], of: root) },
    { reading, _, root in reading.checkNames(in: ["outputs"], of: root) },
    { reading, description, root in reading.checkTrainingOperations(description, root) },
    { reading, description, root in reading.checkTrainingBackend(description, root) },
    { reading, _, root in reading.checkExampleNames(root) },
  ]

  /// Layers that an application speaks of in one breath have different names.
  ///
  /// Names are equal when they look alike: an application looks them up in dictionaries.
  private mutating func checkNames(in keys: [String], of root: Fields) {
    var seen: [String: JSONNode] = [:]
    for layer in keys.flatMap({ root[$0]?.elements.map(Array.init) ?? [] }) where !log.isFull {
      guard let node = layer["name"], let name = node.string else { continue }
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

  /// An example speaks of the layers that there are.
  private mutating func checkExampleNames(_ root: Fields) {
    let given = names(in: ["inputs", "placeholders"], of: root)
    let results = names(in: ["outputs"], of: root)
    for example in root["examples"]?.elements.map(Array.init) ?? [] {
      checkNames(in: example["input"], against: given, .unknownInput)
      checkNames(in: example["output"], against: results, .unknownOutput)
    }
  }

  private mutating func checkNames(
    in named: JSONNode?, against names: [String]?, _ code: ProblemCode
  ) {
    guard let names else { return }
    for member in named?.members.map(Array.init) ?? [] where !log.isFull {
      guard !names.contains(member.name) else { continue }
      let nearest = Spelling.nearest(to: member.name, among: names)
      log.error(
        code, at: member.key, expected: "the name of a layer",
        "No such layer has the name \(member.key.quotation).",
        suggestion: nearest.map { "did you mean \"\($0)\"?" })
    }
  }

  /// The names of all layers of some lists; `nil` when not all are known, so that a fault in a list
  /// is told and not what follows from it.
  private func names(in keys: [String], of root: Fields) -> [String]? {
    let lists = keys.compactMap { root[$0] }
    let layers = lists.flatMap { $0.elements.map(Array.init) ?? [] }
    let names = layers.compactMap { $0["name"]?.string }
    let isWhole = lists.allSatisfy { $0.kind == .array } && names.count == layers.count
    return isWhole && !names.isEmpty ? names : nil
  }

  private mutating func checkTrainingOperations(_ description: ModelDescription, _ root: Fields) {
    guard description.modes.contains(.train), root["train"] == nil else { return }
    log.missing(
      "train", in: root.node, severity: .warning, .trainWithoutOperations, expected: "an object",
      "The model lists the mode train and no operators to train it with.",
      suggestion: "add \"train\": {\"ops\": [\"…\"]}")
  }

  private mutating func checkTrainingBackend(_ description: ModelDescription, _ root: Fields) {
    guard description.backend == .tflite, description.modes.contains(.train),
      let mode = root["model"]?["modes"]?.elements?.first(where: { $0.string == "train" })
    else { return }
    log.warning(
      .trainOnTFLite, at: mode, "TensorFlow Lite models cannot be trained.",
      suggestion: "the model can be used for predictions")
  }
}
