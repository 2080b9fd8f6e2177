import TensorIOBundle
import TensorIOJSON

extension EmbeddingTask {
  /// Recognizes encoders of sentences and images by the folder that they were published in.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard let hub = evidence.hub, evidence.description.caches.isEmpty,
      hub[.modules] != nil || hub.head == nil || hub.head == "MaskedLM",
      let output = Output(evidence, hub)
    else { return nil }
    var guess = TaskGuess(
      format.names[0], roles: [output.index: .embedding],
      confidence: output.reviewNote == nil ? .certain : .likely, reviewNote: output.reviewNote)
    guess.areSettingsStated = true
    if output.isOfTokens {
      guess.addPooling(of: hub)
      guess.addMissingSteps(of: hub)
    } else if let width = hub.vectorLength, output.length == nil {
      guess.shapes[output.index] = TensorShape([nil, width])
    }
    guard evidence.description.inputs.contains(where: \.isText) else { return guess }
    guess.addComparison(of: hub)
    return guess
  }

  /// The output that is an embedding, or from which one is made.
  private struct Output {
    let index: Int
    /// Whether there is a vector for each token.
    let isOfTokens: Bool
    /// The length of the vector; `nil` if the model does not say it.
    let length: Int?
    private(set) var reviewNote: String?

    init?(_ evidence: TaskGuess.Evidence, _ hub: HubFolder) {
      let layers = evidence.outputs.compactMap { output -> (index: Int, layer: NumericLayer)? in
        guard case .array(let layer) = output.layer.kind,
          layer.elementType?.isFloatingPoint ?? true
        else { return nil }
        return (output.index, layer)
      }
      let named = { (name: String) in
        layers.first { evidence.description.outputs[$0.index].name == name }
      }
      let takesText = evidence.description.inputs.contains(where: \.isText)
      let vectors = layers.filter { $0.layer.shape.dimensions.count == 2 }
      let states = layers.filter { $0.layer.shape.dimensions.count == 3 }
      var note: String?
      var found = ["sentence_embedding", "text_embeds", "image_embeds"].lazy.compactMap(named).first
      if found == nil, takesText {
        found = ["token_embeddings", "last_hidden_state"].lazy.compactMap(named).first
        // Exports with names of their own have the vector of the whole text beside those of the tokens. The output
        // pooler_output was trained for another purpose.
        let width = hub.vectorLength
        let wholes = vectors.filter {
          width != nil && $0.layer.shape.dimensions[1] == width
            && evidence.description.outputs[$0.index].name != "pooler_output"
        }
        if found == nil, let whole = wholes.last {
          (found, note) = (
            whole, "the only vector as long as those of the folder; its name does not say it"
          )
        }
        found = found ?? (states.count == 1 ? states[0] : nil)
      } else if found == nil {
        found = named("pooler_output")
        note = "most models of images are compared by this output"
      }
      guard let found, !layers.isEmpty else { return nil }
      index = found.index
      isOfTokens = found.layer.shape.dimensions.count == 3
      length = found.layer.shape.dimensions.last.flatMap(\.self)
      reviewNote = note
    }
  }
}

extension HubFolder {
  /// The length of the vectors.
  fileprivate var vectorLength: Int? {
    (self[.pooling, "word_embedding_dimension"] ?? self[.pooling, "embedding_dimension"]
      ?? self[.config, "projection_dim"] ?? self[.config, "hidden_size"] ?? self[.config, "dim"])?
      .int
  }

  /// The steps that an encoder of sentences consists of, such as `Pooling`.
  fileprivate var steps: [String]? {
    self[.modules]?.elements?.compactMap { step in
      step["type"]?.string?.split(separator: ".").last.map(String.init)
    }
  }

  /// The names of the ways in which vectors of tokens become one.
  fileprivate var poolings: [String] {
    if let stated = self[.pooling, "pooling_mode"] {
      return (stated.elements ?? [stated]).compactMap(\.string)
    }
    let prefix = "pooling_mode_"
    return self[.pooling]?.members?.compactMap { member in
      guard member.value.bool == true, member.key.hasPrefix(prefix) else { return nil }
      return String(member.key.dropFirst(prefix.count))
    } ?? []
  }
}

extension TaskGuess {
  fileprivate mutating func addPooling(of hub: HubFolder) {
    let key = TokenPooling.setting.key
    let poolings = hub.poolings
    guard !poolings.isEmpty else {
      settings[key] = .string(TokenPooling.mean.rawValue)
      omissions.append(
        (
          key, TokenPooling.mean.rawValue,
          "the folder does not say how the vectors of tokens become one; most encoders of sentences use the mean, some cls"
        ))
      return
    }
    // The vectors of another pooling would be wrong: without one, the draft is an error that names the key.
    guard poolings.count == 1, let pooling = TokenPooling(hubName: poolings[0]) else { return }
    settings[key] = .string(pooling.rawValue)
  }

  /// Names steps after the model that a bundle does not have.
  fileprivate mutating func addMissingSteps(of hub: HubFolder) {
    for step in hub.steps ?? [] where !["Transformer", "Pooling", "Normalize"].contains(step) {
      omissions.append(
        ("modules", step, "the bundle does not have this step, and returns other vectors"))
    }
  }

  /// Adds how vectors are normalized and compared, and what has to be done to the texts.
  fileprivate mutating func addComparison(of hub: HubFolder) {
    let normalizes = hub.steps?.contains("Normalize") ?? true
    if !normalizes { settings[EmbeddingTask.normalizes.key] = false }
    let metric = hub[.similarity, "similarity_fn_name"]?.string ?? "cosine"
    let key = EmbeddingTask.metric.key
    switch metric {
    // The product of vectors of unit length is the cosine.
    case "cosine": settings[key] = .string(DistanceMetric.cosine.rawValue)
    case "dot" where normalizes: settings[key] = .string(DistanceMetric.cosine.rawValue)
    case "euclidean": settings[key] = .string(DistanceMetric.euclidean.rawValue)
    default:
      settings[key] = .string(DistanceMetric.cosine.rawValue)
      omissions.append((key, metric, "a bundle has no such distance; cosine takes its place"))
    }
    for prompt in hub[.similarity, "prompts"]?.members ?? [] {
      guard let text = prompt.value.string, !text.isEmpty else { continue }
      omissions.append(
        (
          "prompts/\(prompt.key)", JSONValue.string(text).text,
          "the model expects this before its texts; the bundle does not add it"
        ))
    }
    if hub[.sentences, "do_lower_case"]?.bool == true {
      omissions.append(
        ("do_lower_case", "true", "texts are to be converted to lower case before they are passed"))
    }
  }
}

extension TokenPooling {
  /// The pooling with a name of Sentence Transformers; `nil` if there is none.
  ///
  /// - Parameter name: The value of `pooling_mode`, or what follows `pooling_mode_` in older files.
  fileprivate init?(hubName name: String) {
    switch name {
    case "mean", "mean_tokens": self = .mean
    case "cls", "cls_token": self = .first
    case "max", "max_tokens": self = .max
    case "lasttoken", "last": self = .last
    default: return nil
    }
  }
}
