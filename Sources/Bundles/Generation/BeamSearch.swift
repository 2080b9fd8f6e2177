package import TensorIOBundle
import TensorIOCore

/// A search for the most probable text, which follows several texts at a time, each with caches of its own.
///
/// A single text cannot take a less probable token that leads to a more probable continuation. The score of a text is the sum of
/// the logarithms of the probabilities of its tokens, divided by a power of their number.
package struct BeamSearch {
  /// Which texts that end are results.
  package enum Convention: Sendable {
    /// Those among as many of the most probable texts as are followed; the token that ends a text counts as one of its tokens
    /// (Hugging Face's `transformers`).
    case transformers
    /// All, until there are as many as are followed; the token that ends a text does not count (OpenAI's Whisper).
    case whisper
  }

  /// Ranks the tokens that may follow a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - scores: The scores of the model.
  ///   - count: The maximum number of tokens.
  /// - Returns: The tokens with the logarithms of their probabilities, highest first; none if nothing may follow.
  package typealias Ranking = (
    _ text: inout WrittenText, _ scores: Span<Float>, _ count: Int
  ) throws(ModelError) -> [(id: Int32, logProbability: Double)]

  /// Returns the probabilities that are listed for a token.
  typealias Listing = (
    _ id: Int32, _ scores: Span<Float>
  ) throws(ModelError) -> TokenLogProbabilities

  /// A text that the search has found.
  package struct Found {
    /// The tokens, without the one that ends the text.
    package let tokens: [Int32]
    /// The sum of the logarithms of the probabilities of the tokens, and of the one that ends the text.
    package let logProbability: Double
    /// The probabilities that are listed for each token.
    let listed: [TokenLogProbabilities]
    fileprivate let score: Double
  }

  /// A text that is followed.
  private struct Beam {
    var sequence: TokenSequence
    var text: WrittenText
    var listed: [TokenLogProbabilities] = []
    /// The sum of the logarithms of the probabilities of the tokens.
    var sum = 0.0
  }

  /// A token that may follow one of the texts.
  private struct Continuation {
    let beam: Int
    let id: Int32
    let sum: Double
  }

  private var beams: [Beam]
  /// The best texts that have ended, best first, at most as many as are followed.
  private var found: [Found] = []
  private let options: SamplingOptions
  private let convention: Convention
  private let endTokens: Set<Int32>
  private let maxTokens: Int
  /// The number of the text in its sequence.
  private let turn: Int

  /// Creates a search that begins with one text.
  ///
  /// - Parameters:
  ///   - text: The text, which has no tokens.
  ///   - sequence: The sequence that holds the prompt.
  ///   - turn: The number of the text in the sequence.
  ///   - options: The number of texts that are followed, and what makes one better than another.
  ///   - endTokens: The tokens that end a text.
  ///   - maxTokens: The maximum number of tokens of a text, at least 1.
  ///   - convention: Which texts that end are results.
  package init(
    for text: WrittenText, in sequence: TokenSequence, turn: Int, _ options: SamplingOptions,
    endTokens: Set<Int32>, maxTokens: Int, _ convention: Convention = .transformers
  ) {
    beams = [Beam(sequence: sequence, text: text)]
    (self.turn, self.options, self.convention) = (turn, options, convention)
    (self.endTokens, self.maxTokens) = (endTokens, maxTokens)
  }

  /// Runs the search, and returns the text with the highest score.
  ///
  /// - Parameters:
  ///   - isCancelled: Whether the search has to end before the next step of a text.
  ///   - rank: Ranks the tokens that may follow a text.
  /// - Returns: The text.
  /// - Throws: The error of a closure, or a ``ModelError`` if a step fails or the search is canceled.
  package mutating func best(
    isCancelled: () -> Bool, rank: Ranking
  ) throws(ModelError) -> Found {
    try best(isCancelled: isCancelled, listing: nil, rank: rank)
  }

  /// Runs the search, and lists probabilities of each token unless the function for them is `nil`.
  mutating func best(
    isCancelled: () -> Bool, listing list: Listing?, rank: Ranking
  ) throws(ModelError) -> Found {
    for length in 1...maxTokens {
      let continuations = try ranked(by: rank)
      let followed = try choose(from: continuations, length, list)
      let ends = isOver(highest: continuations.first?.sum, length)
      guard !ends, !followed.isEmpty, length < maxTokens else {
        if !ends { for beam in followed { keep(beam, length) } }
        break
      }
      beams = followed
      for beam in beams {
        guard !isCancelled() else { throw ModelError(.run, .cancelled) }
        try beam.sequence.append([beam.text.tokens[length - 1]], turn: turn)
      }
    }
    guard let best = found.first else {
      throw ModelError(.run, .failed("\(SamplingError.noTokenAllowed)"))
    }
    return best
  }

  /// Returns the tokens that may follow the texts, those of the most probable texts first.
  private mutating func ranked(by rank: Ranking) throws(ModelError) -> [Continuation] {
    // So many that enough of them do not end their text.
    let count = options.beams * max(2, 1 + endTokens.count)
    var ranked: [Continuation] = []
    for index in beams.indices {
      var text = beams[index].text
      let sum = beams[index].sum
      try beams[index].sequence.readScores(turn: turn) { (scores) throws(ModelError) in
        for (id, logProbability) in try rank(&text, scores, count) {
          ranked.append(Continuation(beam: index, id: id, sum: sum + logProbability))
        }
      }
      beams[index].text = text
    }
    ranked.sort { ($1.sum, $0.beam, $0.id) < ($0.sum, $1.beam, $1.id) }
    return Array(ranked.prefix(count))
  }

  /// Returns the texts to follow with their next tokens, which no step has run on, and keeps those that end.
  ///
  /// A text that several tokens follow is divided.
  private mutating func choose(
    from ranked: [Continuation], _ length: Int, _ list: Listing?
  ) throws(ModelError) -> [Beam] {
    var followed: [Beam] = []
    var continued: Set<Int> = []
    for (rank, continuation) in ranked.enumerated() where followed.count < options.beams {
      var beam = beams[continuation.beam]
      beam.sum = continuation.sum
      let isEnd = endTokens.contains(continuation.id)
      if !isEnd {
        _ = try beam.text.append(continuation.id)
        if let list {
          try beam.sequence.readScores(turn: turn) { (scores) throws(ModelError) in
            beam.listed.append(try list(continuation.id, scores))
          }
        }
      }
      if isEnd || beam.text.isWhole {
        if convention == .whisper || rank < options.beams { keep(beam, length) }
        continue
      }
      if !continued.insert(continuation.beam).inserted {
        beam.sequence = try beam.sequence.fork(turn: turn)
      }
      followed.append(beam)
    }
    return followed
  }

  /// Adds a text to those that have been found, unless as many are better.
  private mutating func keep(_ beam: Beam, _ length: Int) {
    if convention == .whisper, found.count == options.beams { return }
    let tokens = beam.text.tokens
    let text = Found(
      tokens: tokens, logProbability: beam.sum, listed: beam.listed,
      score: score(of: beam.sum, convention == .whisper ? tokens.count : length))
    found.insert(text, at: found.firstIndex { $0.score < text.score } ?? found.count)
    if found.count > options.beams { found.removeLast() }
  }

  private func score(of sum: Double, _ length: Int) -> Double {
    sum / Exponential.exp(options.lengthPenalty * Exponential.log(Double(max(1, length))))
  }

  /// Whether no text that is followed can become better than those that have been found.
  private func isOver(highest: Double?, _ length: Int) -> Bool {
    guard found.count >= options.beams, let worst = found.last?.score else { return false }
    return options.stopsEarly || worst >= score(of: highest ?? -.infinity, length)
  }
}
