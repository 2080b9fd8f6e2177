package import TensorIOBundle

/// The layers of a model with caches, by their positions among the inputs and the outputs of its binding.
package struct StepLayers: Sendable {
  /// The input that takes the tokens.
  package let tokens: Int
  /// The input with 1 for each token that the model may read; `nil` if there is none.
  package let mask: Int?
  /// The input that takes the positions of the tokens; `nil` if there is none.
  package let positions: Int?
  /// The input that says whether there are earlier tokens; `nil` if there is none.
  package let continuation: Int?
  /// The output with a score for each token of the vocabulary.
  package let scores: Int

  /// Finds the layers.
  ///
  /// - Throws: A ``ModelError`` if the description does not say which input takes the tokens and which output has the scores,
  ///   or has other inputs.
  package init(_ use: ModelBinding) throws(ModelError) {
    func input(_ part: TextLayer.Part) -> Int? {
      use.inputs.firstIndex { layer in
        if case .text(let text) = layer.kind { text.part == part } else { false }
      }
    }
    guard let tokens = input(.ids) else {
      throw ModelError(
        .bundle, .unmetRequirement("caches require an input of type text that takes the tokens"))
    }
    guard let scores = use.outputs.firstIndex(where: { $0.role == .nextTokenScores }) else {
      throw Self.withoutScores
    }
    (self.tokens, self.scores) = (tokens, scores)
    (mask, positions) = (input(.mask), input(.positions))
    continuation = input(.continuation)
    let known = [tokens, mask, positions, continuation]
    let others =
      use.inputs.indices.filter { !known.contains($0) }.map { use.inputs[$0] } + use.placeholders
    if let other = others.first {
      throw ModelError(
        .bundle, .unsupported("the input '\(other.name)' of a model with caches"), layer: other.name
      )
    }
  }

  /// The error for a model that does not have an output with a known number of scores.
  package static var withoutScores: ModelError {
    ModelError(
      .bundle,
      .unmetRequirement(
        "caches require an output with the role \(OutputRole.nextTokenScores.name, as: "role") and a known number of scores"
      ))
  }

  /// The error for a model whose caches have a fixed length and that does not take the places of tokens in them.
  package static var withoutPositions: ModelError {
    ModelError(
      .bundle,
      .unmetRequirement("caches of a fixed length require an input with the part 'positions'"))
  }
}
