package import TensorIOBundle
import TensorIOJSON

/// What the folder of a model states about models of every task.
extension HubFolder {
  /// What the model computes, in the names of Transformers, such as `SequenceClassification`; `nil` for a model without a
  /// head, and if the folder does not say it.
  package var head: String? {
    architecture?.components(after: "For")
  }

  /// The class of the model, such as `BertForSequenceClassification`.
  package var architecture: String? { self[.config, "architectures"]?.elements?.first?.string }

  /// The names of the classes, in order; `nil` if there are none, or placeholders such as `LABEL_0`.
  package var labels: [String]? {
    if let names = (timm?["label_names"] ?? self[.config, "label_names"])?.elements {
      let labels = names.compactMap(\.string)
      return !labels.isEmpty && labels.count == names.count ? labels : nil
    }
    guard let members = self[.config, "id2label"]?.members, !members.isEmpty else { return nil }
    var labels = [String?](repeating: nil, count: members.count)
    for member in members {
      guard let index = Int(member.key), labels.indices.contains(index),
        let label = member.value.string
      else { return nil }
      labels[index] = label.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
    let named = labels.compactMap(\.self)
    let isNamed = named.enumerated().contains { $1 != "LABEL_\($0)" }
    return named.count == labels.count && isNamed ? named : nil
  }

  /// The number of classes; `nil` if the folder does not say it.
  package var labelCount: Int? {
    self[.config, "id2label"]?.members?.count
      ?? (self[.config, "num_labels"] ?? self[.config, "num_classes"] ?? timm?["num_classes"])?.int
  }

  /// The maximum number of tokens of a text; `nil` if the folder does not say it.
  package var tokenLimit: Int? {
    var places = self[.config, "max_position_embeddings"]?.int
    let isShifted = self[.config, "model_type"]?.string.map(Self.shiftedTypes.contains) ?? false
    if isShifted, let count = places {
      // Their first place is the one after that of padding.
      let padding = self[.config, "pad_token_id"]?.int ?? 1
      places = (0..<count).contains(padding) ? count - 1 - padding : nil
    }
    return [
      self[.sentences, "max_seq_length"]?.int, self[.tokenizer, "model_max_length"]?.int, places,
    ].compactMap(\.self).filter { (1..<Self.unknownLength).contains($0) }.min()
  }

  /// The types of models whose places begin after the number of padding.
  private static let shiftedTypes: Set = [
    "roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer", "xmod",
    "data2vec-text", "roberta-prelayernorm",
  ]
  /// Tokenizers of unknown lengths state this or a higher one.
  package static let unknownLength = 1_000_000_000
}

extension String {
  /// Returns what follows the last occurrence of a word; `nil` if there is none.
  fileprivate func components(after word: String) -> String? {
    var rest = self[...]
    var found: Substring?
    while !rest.isEmpty {
      if rest.hasPrefix(word) { found = rest.dropFirst(word.count) }
      rest = rest.dropFirst()
    }
    return found.flatMap { $0.isEmpty ? nil : String($0) }
  }
}

extension TaskGuess.Evidence {
  /// Returns the output with a name that exporters give, or the only one that is no state.
  func anyOutput(named name: String) -> (index: Int, layer: Layer)? {
    let outputs = outputs
    return outputs.first { $0.layer.name == name } ?? (outputs.count == 1 ? outputs[0] : nil)
  }

  /// Returns such an output of numbers.
  func output(named name: String) -> (index: Int, layer: NumericLayer)? {
    guard let found = anyOutput(named: name), case .array(let layer) = found.layer.kind else {
      return nil
    }
    return (found.index, layer)
  }

  /// The name of scores without a function in most models.
  static let logitsName = "logits"
}
