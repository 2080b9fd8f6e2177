import TensorIOSystem
package import TensorIOText

/// Chooses the next token of a sequence from the scores of a model.
///
/// A sampler belongs to one sequence: it holds the state of the random numbers, of which each chosen token takes one
/// unless the temperature is 0. Its memory is allocated once and depends on the size of the vocabulary.
///
/// Scores are computed in double precision, and the draw is the first token, in order of ids, at which the running sum of
/// exp(score − highest score) exceeds the random number times their total. The sum does not depend on the order of
/// scores, the number of threads or the C library, so that a seed leads to the same tokens on every machine.
package struct Sampler: Sendable {
  /// The settings.
  package let options: SamplingOptions
  /// The number of scores of a step.
  package let scoreCount: Int
  /// The tokens that end the output, which ``SamplingOptions/minNewTokens`` bans.
  package let endTokens: [Int32]
  /// The number of tokens that can be chosen.
  private let tokenCount: Int
  private var random: SplitMix64

  private var adjustments: ScoreAdjustments
  /// The scores with negative infinity for the tokens that are banned or adjusted.
  private var row: [Float] = []
  /// The highest scores of the blocks of ``ScoreRow``, also in double precision.
  private var maxima: [Float] = []
  private var wideMaxima: [Double] = []
  private var candidates = TokenCandidates()
  private var selection = ScoreSelection()

  /// Creates a sampler.
  ///
  /// - Parameters:
  ///   - options: The settings.
  ///   - scoreCount: The number of scores that the model returns, which may be padded.
  ///   - tokenCount: The number of tokens of the vocabulary. Tokens without a score, and scores without a token, are
  ///     never chosen.
  ///   - endTokens: The tokens that end the output.
  ///   - stream: The number of the sequence among those with the same seed.
  /// - Throws: ``SamplingError`` if an option is out of range.
  package init(
    _ options: SamplingOptions, scoreCount: Int, tokenCount: Int, endTokens: [Int32] = [],
    stream: UInt64 = 0
  ) throws(SamplingError) {
    if let problem = options.problem {
      throw .invalidOption(name: problem.name, requirement: problem.requirement)
    }
    self.options = options
    (self.scoreCount, self.endTokens) = (scoreCount, endTokens)
    self.tokenCount = min(scoreCount, tokenCount)
    random = SplitMix64(seed: options.seed, stream: stream)
    adjustments = ScoreAdjustments(tokenCount: min(scoreCount, tokenCount))
  }

  /// Returns the next token.
  ///
  /// - Parameters:
  ///   - scores: The scores of the last position, one for each token.
  ///   - prompt: The tokens of the prompt.
  ///   - output: The tokens that have been chosen so far.
  ///   - mask: The tokens that may be chosen; `nil` for all.
  /// - Returns: The token.
  /// - Throws: ``SamplingError`` if a score is NaN or infinity, or if no token can be chosen.
  package mutating func next(
    _ scores: Span<Float>, prompt: [Int32], output: [Int32], mask: TokenMask? = nil
  ) throws(SamplingError) -> Int32 {
    try prepare(scores, prompt: prompt, output: output, mask: mask)
    // Without changes, the scores themselves are searched and nothing is copied.
    let isPlain = adjustments.isEmpty && mask == nil
    let usable = scores.extracting(0..<tokenCount)
    return isPlain ? try choose(from: usable) : try chooseFromRow()
  }

  /// Returns the tokens that can be chosen with their scores after all penalties and filters.
  mutating func candidates(
    _ scores: Span<Float>, prompt: [Int32], output: [Int32], mask: TokenMask? = nil
  ) throws(SamplingError) -> (ids: [Int32], scores: [Double]) {
    try prepare(scores, prompt: prompt, output: output, mask: mask)
    let row = row
    try filter(adjustments.isEmpty && mask == nil ? scores.extracting(0..<tokenCount) : row.span)
    return (candidates.ids, candidates.scores)
  }

  private mutating func chooseFromRow() throws(SamplingError) -> Int32 {
    var row: [Float] = []
    swap(&row, &self.row)
    defer { swap(&row, &self.row) }
    return try choose(from: row.span)
  }

  private mutating func choose(from scores: Span<Float>) throws(SamplingError) -> Int32 {
    guard options.temperature > 0 else { return try best(of: scores) }
    try filter(scores)
    return candidates.draw(random.nextUnit())
  }
}

// The scores of a step.
extension Sampler {
  /// Checks the scores and applies everything that changes those of single tokens.
  private mutating func prepare(
    _ scores: Span<Float>, prompt: [Int32], output: [Int32], mask: TokenMask?
  ) throws(SamplingError) {
    guard scores.count == scoreCount else {
      throw .wrongScoreCount(scores.count, expected: scoreCount)
    }
    let usable = scores.extracting(0..<tokenCount)
    guard ScoreRow.writeMaxima(of: usable, to: &maxima) else { throw Self.invalidScore(usable) }
    adjustments.apply(
      options, to: usable, prompt: prompt, output: output, endTokens: endTokens)
    guard !adjustments.isEmpty || mask != nil else { return }
    ScoreRow.copy(usable, to: &row)
    if let mask {
      ScoreRow.mask(&row, with: mask.words)
      adjustments.keep { mask.contains($0) }
    }
    for id in adjustments.ids { row[Int(id)] = -.infinity }
    let adjusted = row
    _ = ScoreRow.writeMaxima(of: adjusted.span, to: &maxima)
  }

  /// Returns the error of the first score that is NaN or infinity.
  static func invalidScore(_ scores: Span<Float>) -> SamplingError {
    var index = 0
    while index < scores.count - 1, scores[index] < .infinity { index += 1 }
    return .nonfiniteScore(token: Int32(truncatingIfNeeded: index))
  }

  /// Returns the token with the highest score, the lowest id among equals.
  private func best(of scores: Span<Float>) throws(SamplingError) -> Int32 {
    let highest = maxima.max() ?? -.infinity
    var best = (id: Int32.max, score: -Double.infinity)
    if highest > -.infinity, let block = maxima.firstIndex(of: highest) {
      var index = block * ScoreRow.blockLength
      while scores[index] != highest { index += 1 }
      best = (Int32(truncatingIfNeeded: index), Double(highest))
    }
    for (id, score) in zip(adjustments.ids, adjustments.scores)
    where score > best.score || score == best.score && id < best.id {
      best = (id, score)
    }
    guard best.score > -.infinity else { throw .noTokenAllowed }
    return best.id
  }

  /// Fills the candidates with the tokens that the filters leave.
  private mutating func filter(_ scores: Span<Float>) throws(SamplingError) {
    let k = options.topK
    let threshold = k > 0 ? leastMaximum(among: k) : -.infinity
    candidates.fill(scores, above: threshold, maxima: maxima, adjustments)
    guard !candidates.isEmpty else { throw .noTokenAllowed }
    candidates.divide(by: options.temperature)
    if k > 0 { candidates.keepHighest(k, &selection) }
    candidates.weigh()
    if options.topP < 1 { candidates.keepMostProbable(options.topP, &selection) }
    if options.minP > 0 { candidates.keep(fromPartOfHighest: options.minP) }
    if options.typicalP < 1 { candidates.keepTypical(options.typicalP, &selection) }
    if options.epsilonCutoff > 0 { candidates.keep(fromProbability: options.epsilonCutoff) }
    if options.etaCutoff > 0 { candidates.keep(aboveEta: options.etaCutoff) }
  }

  /// Returns a score that at least `count` tokens reach: the one of that rank among the maxima of the blocks.
  private mutating func leastMaximum(among count: Int) -> Float {
    guard count < maxima.count else { return -.infinity }
    wideMaxima.removeAll(keepingCapacity: true)
    for maximum in maxima { wideMaxima.append(Double(maximum)) }
    let boundary = selection.boundary(
      of: wideMaxima, weights: nil, mass: Double(maxima.count - count))
    var least = Float.infinity
    for maximum in maxima where ScoreSelection.key(of: Double(maximum)) >= boundary.key {
      least = min(least, maximum)
    }
    return least
  }
}

// Logarithms of probabilities.
extension Sampler {
  /// Returns the logarithms of the probability of a token and of the most probable ones.
  ///
  /// They are those of the model's scores, before penalties, filters and temperature, as in OpenAI's interface.
  ///
  /// - Parameters:
  ///   - token: The token that was chosen.
  ///   - count: The number of most probable tokens, at most 20.
  ///   - scores: The scores of the last position.
  /// - Returns: The logarithms.
  /// - Throws: ``SamplingError`` if a score is NaN or infinity.
  package mutating func logProbabilities(
    of token: Int32, top count: Int, in scores: Span<Float>
  ) throws(SamplingError) -> TokenLogProbabilities {
    let logTotal = try logTotal(of: scores)
    guard token >= 0, token < tokenCount else { throw .noTokenAllowed }
    let usable = scores.extracting(0..<tokenCount)
    let ranked = ranked(usable, min(max(count, 0), 20), nil)
    func entry(_ id: Int32, _ score: Double) -> TokenLogProbabilities.Entry {
      TokenLogProbabilities.Entry(id: id, logProbability: score - logTotal)
    }
    return TokenLogProbabilities(
      token: entry(token, Double(usable[Int(token)])), top: ranked.map(entry))
  }

  /// Returns the tokens with the highest logarithms of their probability, highest first.
  ///
  /// Penalties and bans change the logarithms, as in the beam search of `transformers`.
  ///
  /// - Parameters:
  ///   - count: The maximum number of tokens.
  ///   - scores: The scores of the last position.
  ///   - prompt: The tokens of the prompt.
  ///   - output: The tokens that have been chosen so far.
  ///   - mask: The tokens that may be chosen; `nil` for all.
  /// - Returns: The tokens with their logarithms; none if all are banned.
  /// - Throws: ``SamplingError`` if a score is NaN or infinity.
  mutating func mostProbable(
    _ count: Int, in scores: Span<Float>, prompt: [Int32], output: [Int32], mask: TokenMask?
  ) throws(SamplingError) -> [(id: Int32, logProbability: Double)] {
    let logTotal = try logTotal(of: scores)
    var logarithms: [Float] = []
    logarithms.reserveCapacity(scores.count)
    for index in scores.indices { logarithms.append(Float(Double(scores[index]) - logTotal)) }
    try prepare(logarithms.span, prompt: prompt, output: output, mask: mask)
    guard !adjustments.isEmpty || mask != nil else {
      return ranked(logarithms.span.extracting(0..<tokenCount), count, nil)
    }
    let row = row
    return ranked(row.span, count, adjustments)
  }

  /// Checks the scores, and returns the logarithm of the sum of their exponentials.
  private mutating func logTotal(of scores: Span<Float>) throws(SamplingError) -> Double {
    guard scores.count == scoreCount else {
      throw .wrongScoreCount(scores.count, expected: scoreCount)
    }
    let usable = scores.extracting(0..<tokenCount)
    guard ScoreRow.writeMaxima(of: usable, to: &maxima) else { throw Self.invalidScore(usable) }
    let highest = Double(maxima.max() ?? -.infinity)
    guard highest > -.infinity else { throw .noTokenAllowed }
    candidates.fill(usable, above: -.infinity, maxima: maxima, nil)
    candidates.weigh()
    return highest + Exponential.log(candidates.total)
  }

  /// Returns the tokens with the highest scores, highest first, the lowest id first among equals.
  private mutating func ranked(
    _ scores: Span<Float>, _ count: Int, _ adjustments: ScoreAdjustments?
  ) -> [(id: Int32, logProbability: Double)] {
    guard count > 0 else { return [] }
    candidates.fill(scores, above: leastMaximum(among: count), maxima: maxima, adjustments)
    candidates.keepHighest(count, &selection)
    let ranked = zip(candidates.ids, candidates.scores).sorted { first, second in
      first.1 > second.1 || first.1 == second.1 && first.0 < second.0
    }
    return ranked.prefix(count).map { (id: $0.0, logProbability: $0.1) }
  }
}
