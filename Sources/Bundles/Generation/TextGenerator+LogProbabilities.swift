package import TensorIOBundle
import TensorIOText

extension TextGenerator {
  /// Returns the logarithms of the probabilities of texts after a prompt, without the template of the model.
  ///
  /// A text that does not fit in the context is divided into windows that overlap by half: each token is scored once, after at
  /// least half a context of others, unless fewer are before it.
  ///
  /// - Parameters:
  ///   - texts: The texts, each of which follows the prompt.
  ///   - prompt: The text before them, which may be empty.
  ///   - maxCacheBytes: The maximum size of the caches in bytes.
  /// - Returns: The logarithms for each text.
  /// - Throws: A ``ModelError`` if a text has no token that follows another one, or the model fails.
  package func logProbabilities(
    of texts: [String], after prompt: String, maxCacheBytes: Int
  ) throws(ModelError) -> [TextLogProbabilities] {
    guard encoder == nil else {
      throw ModelError(
        .run, .unsupported("probabilities of texts with a model that has an encoder"))
    }
    // The texts use one sequence, whose caches hold the prompt.
    let sequence = try makeSequence()
    var sampler = try ModelError.rethrowing { () throws(SamplingError) in
      try self.sampler(SamplingOptions(), for: sequence)
    }
    var results: [TextLogProbabilities] = []
    for text in texts {
      results.append(
        try logProbabilities(of: text, after: prompt, maxCacheBytes, sequence, &sampler))
    }
    return results
  }

  private func logProbabilities(
    of text: String, after prompt: String, _ maxCacheBytes: Int, _ sequence: TokenSequence,
    _ sampler: inout Sampler
  ) throws(ModelError) -> TextLogProbabilities {
    let encoded = try encoded(prompt + text)
    let promptLength = prompt.utf8.count
    // A token of both is part of the text: the prompt is given without what it became together with the text.
    let isOfText = encoded.ids.indices.map { index in
      encoded.sources[index] != nil && encoded.ranges[index].upperBound > promptLength
    }
    let end = isOfText.lastIndex(of: true).map { $0 + 1 } ?? 0
    guard let first = isOfText[..<end].dropFirst().firstIndex(of: true) else {
      throw ModelError(
        .input, .invalidValue("the text has no token that follows another one"))
    }
    let ids = encoded.ids[..<end]
    let length = max(2, min(context(of: sequence) ?? end, end))
    try sequence.requireMemory(for: length, maxByteCount: maxCacheBytes)
    var values: [Double] = []
    var (start, next) = (0, first)
    while next < end {
      let window = ids[start..<min(start + length, end)]
      if next < window.endIndex {
        try sequence.readScores(of: window, from: next - start) {
          (id, scores) throws(ModelError) in
          values.append(
            try ModelError.rethrowing { () throws(SamplingError) in
              try sampler.logProbabilities(of: id, top: 0, in: scores).token.logProbability
            })
        }
        next = window.endIndex
      }
      start += length / 2
    }
    return TextLogProbabilities(
      tokens: Array(ids[first...]), values: values,
      byteCount: (prompt + text).utf8.count
        - max(encoded.ranges[first].lowerBound, promptLength))
  }
}
