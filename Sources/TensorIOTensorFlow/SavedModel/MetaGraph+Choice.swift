internal import TensorIOCore

extension SavedModelFile {
  /// The graph for a mode: the one with the mode's tag, or the only one there is.
  func graph(for mode: ModelMode) throws(ModelError) -> (facts: MetaGraph, graph: WireMessage) {
    // As TensorFlow chooses, to whom tags are a set: it loads what is reviewed.
    let tagged = graphs.first { Set($0.facts.tags) == [mode.tag] }
    if let found = tagged ?? graphs.first(where: { $0.facts.tags.contains(mode.tag) }) {
      return found
    }
    guard graphs.count == 1 else { throw ModelError(.runtime, noGraph(for: mode)) }
    return graphs[0]
  }

  private func noGraph(for mode: ModelMode) -> ModelError.Reason {
    guard !graphs.isEmpty else {
      return .modelRefused(problem: "its saved_model.pb holds no graph")
    }
    let tags = graphs.map { "'\($0.facts.tags.joined(separator: ", "))'" }.joined(separator: "; ")
    return .modelRefused(
      problem: "no graph has the tag '\(mode.tag)' of the mode '\(mode.rawValue)'; tags are \(tags)"
    )
  }
}

extension ModelMode {
  /// The tag that TensorFlow gives the graphs of a mode.
  var tag: String {
    switch self {
    case .predict: "serve"
    case .train: "train"
    case .evaluate: "eval"
    }
  }

  /// The names of the signatures in which a layer's key is looked for first.
  var signatureNames: [String] {
    switch self {
    case .predict: ["serving_default", "predict"]
    case .train: ["train", "serving_default"]
    case .evaluate: ["eval", "serving_default"]
    }
  }
}

extension MetaGraph {
  /// The signatures, those of a mode first.
  func signatures(for mode: ModelMode) -> [Signature] {
    let first = mode.signatureNames.compactMap { name in signatures.first { $0.name == name } }
    return first + signatures.filter { !first.contains($0) }
  }
}
