package import TensorIOBundle
package import TensorIOCore
import TensorIOJSON

/// Embedding: a vector that is near to those of similar inputs.
package struct EmbeddingTask: ModelTask {
  package static let format = TaskFormat(
    "embedding", requiredOutputs: [.role(.embedding)],
    interface: TaskInterface(
      "embedding", .init("embedding", type: "Embedding", "The embedding of the input.")
    ).with { $0.replaces = { $0.role == .embedding } }
  ) {
    metric
    normalizes
    normalizesWindows
    TokenPooling.setting
    Field("threshold", .number, "The maximum distance of a match.").example("1.05")
    Field(
      minDimensionsKey, .count,
      "The least number of first values that are an embedding of their own, to which clients of OpenAI's interface can "
        + "shorten embeddings. Without it, they cannot."
    ).example("64")
    takesTokens
  }

  private static let minDimensionsKey = "min_dimensions"

  static let metric = TaskSetting.choice(
    "metric", default: EmbeddingOptions().metric,
    "The distance of two embeddings: Euclidean, or one minus cosine similarity."
  ).example("\"cosine\"")
  static let normalizes = TaskSetting.flag(
    "normalize", default: EmbeddingOptions().normalizes,
    "Whether embeddings are normalized to unit length."
  ).example("false")

  static let normalizesWindows = TaskSetting.flag(
    "normalize_windows",
    "Whether the embeddings of the windows of a sound are normalized to unit length before their mean."
  )

  static let takesTokens = TaskSetting.flag(
    "accepts_tokens",
    "Whether clients of OpenAI's interface can send token ids in place of texts. They have to be ids of the bundle's "
      + "vocabulary."
  ).example("true")

  /// Returns the least number of first values that are an embedding of their own; `nil` for all.
  static func minDimensions(of task: TaskDescription?) -> Int? {
    task?.settings[minDimensionsKey]?.int
  }

  /// The options for comparing embeddings.
  package var options: EmbeddingOptions
  /// The name of the output that is the embedding.
  package let output: String
  private let pooling: TokenPooling
  private let normalizesWindows: Bool
  private let galleryMatcher: GalleryMatcher?

  package init(_ model: ModelInfo) throws(ModelError) {
    options = EmbeddingOptions(model.task)
    pooling = model[TokenPooling.setting]
    normalizesWindows = model[Self.normalizesWindows]
    output = try model.output(.embedding)
    galleryMatcher = model.attached(GalleryMatcher.self)
  }

  /// Returns the embedding, scaled to unit length unless the bundle disables it.
  package func result(of output: ModelOutput) throws(ModelError) -> Embedding {
    let embedding =
      if normalizesWindows, !output.windows.isEmpty {
        try meanOfWindows(in: output)
      } else {
        Embedding(try pooling == .none ? output.value(of: self.output) : pooledValues(in: output))
      }
    return options.normalizes ? embedding.normalized : embedding
  }

  /// Returns the mean of the directions of all windows of a sound, which does not depend on how loud each is.
  private func meanOfWindows(in output: ModelOutput) throws(ModelError) -> Embedding {
    var sums: [Float] = []
    for window in output.windows {
      let values: [Float] = try ModelOutput(layers: window.layers).value(of: self.output)
      let unit = Embedding(values).normalized.values
      if sums.isEmpty { sums = Array(repeating: 0, count: unit.count) }
      guard unit.count == sums.count else {
        throw ModelError(
          .output, .wrongCount(expected: sums.count, actual: unit.count), layer: self.output)
      }
      for (index, value) in unit.enumerated() { sums[index] += value }
    }
    return Embedding(sums.map { $0 / Float(output.windows.count) })
  }

  /// Returns one vector for all tokens of the text.
  private func pooledValues(in output: ModelOutput) throws(ModelError) -> [Float] {
    guard let text = output.texts.first else {
      throw ModelError(
        .output, .unmetRequirement("\"pooling\" requires an input of type text"), layer: self.output
      )
    }
    let tensor = try output.tensor(self.output)
    let values = try tensor.floats(ofLayer: self.output)
    guard let width = tensor.shape.last, width > 0, values.count == text.count * width else {
      throw ModelError(
        .output, .wrongShape(expected: "[\(text.count),width]", actual: "\(tensor.shape)"),
        layer: self.output)
    }
    return pooling.vector(of: values, width: width, mask: text.mask)
  }

  package var replacedOutputs: Set<String> { [output] }

  package static func forms(for description: ModelDescription) -> [ResultForm] {
    [.pairs, .identities]
  }

  package func reading(as form: ResultForm) -> ResultReading? {
    .embeddings(options) { (output) throws(ModelError) in try result(of: output) }
  }

  package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    let embedding = try result(of: output)
    return .value(
      key: "embedding", .numbers(Numbers(.floats(embedding.values))), replacing: self.output,
      result: try galleryMatcher.map { (matcher) throws(ModelError) in
        RecognitionResult(recognition: try matcher.recognize(embedding))
      })
  }
}

extension TokenPooling {
  /// Returns one vector for the rows of tokens, of which those with a mask of 0 are padding; zeros without tokens.
  fileprivate func vector(of values: [Float], width: Int, mask: [Int32]) -> [Float] {
    let tokens = mask.indices.filter { mask[$0] != 0 }
    guard let first = tokens.first, let last = tokens.last else {
      return [Float](repeating: 0, count: width)
    }
    let row = { (token: Int) in values[token * width..<(token + 1) * width] }
    switch self {
    case .none: return values
    case .first: return Array(row(first))
    case .last: return Array(row(last))
    case .mean:
      var sums = [Float](repeating: 0, count: width)
      for token in tokens {
        for (element, value) in zip(sums.indices, row(token)) { sums[element] += value }
      }
      return sums.map { $0 / Float(tokens.count) }
    case .max:
      return tokens.dropFirst().reduce(into: Array(row(first))) { highest, token in
        for (element, value) in zip(highest.indices, row(token)) {
          highest[element] = Swift.max(highest[element], value)
        }
      }
    }
  }
}
