import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOText

/// Writes a text token by token.
final class GenerationLoop: Sendable {
  private struct State {
    var sampler: Sampler
    var written: WrittenText
    /// The text that a search has found; its tokens are then written one by one.
    var found: BeamSearch.Found?
    var text = ""
    var end: GeneratedText.End?
    var promptTokenCount: Int
    var reusedTokenCount = 0
    /// The number of the text in its sequence, once it has begun.
    var turn = 0
    var start: ContinuousClock.Instant?
    var firstToken: ContinuousClock.Instant?
    var lastToken: ContinuousClock.Instant?
  }

  private let state: Mutex<State>
  private let cancelled = Atomic(false)
  private let ended = Atomic(false)
  private let sequence: TokenSequence
  private let prompt: [Int32]
  /// Runs the encoder of the model; `nil` if it has none.
  private let encode: (@Sendable () throws(ModelError) -> PromptEncoder.Result)?
  private let endTokens: Set<Int32>
  /// The maximum number of tokens of the text.
  private let maxTokens: Int
  /// The number of most probable tokens that pieces have; `nil` if they have no probabilities.
  private let logProbabilityCount: Int?

  /// Prepares a text; nothing runs yet.
  ///
  /// - Throws: A ``ModelError`` if the prompt does not fit in the model's context, its caches take too much memory, or an
  ///   option is out of range.
  init(
    _ generator: TextGenerator, _ tokens: PromptTokens, _ options: GenerationOptions,
    _ sequence: TokenSequence
  ) throws(ModelError) {
    let prompt = tokens.ids
    let settings = generator.settings
    let context = generator.context(of: sequence)
    guard !prompt.isEmpty else {
      throw ModelError(
        .input, .invalidValue("the prompt is empty; the model needs at least one token"))
    }
    // A text has at least one token.
    if let context, prompt.count >= context {
      throw ModelError(
        .input, .contextExceeded(tokenCount: prompt.count, context: context))
    }
    logProbabilityCount = options.logProbabilities
    let limit = max(1, options.maxTokens ?? settings.maxTokens)
    maxTokens = context.map { min(limit, $0 - prompt.count) } ?? limit
    let sampling = options.sampling ?? settings.sampling
    try sequence.requireMemory(
      for: prompt.count + maxTokens, sequenceCount: sampling.beams,
      maxByteCount: options.maxCacheBytes)
    (self.prompt, self.sequence, endTokens) = (prompt, sequence, settings.endTokens)
    encode =
      if let encoder = generator.encoder, let input = tokens.encoded {
        { () throws(ModelError) in try encoder.encode(input) }
      } else {
        nil
      }
    let sampler = try ModelError.rethrowing { () throws(SamplingError) in
      try generator.sampler(sampling, for: sequence)
    }
    state = Mutex(
      State(
        sampler: sampler,
        written: WrittenText(
          generator.tokenizer, stop: settings.stop + options.stop,
          try options.constraint.map(generator.constraints.text)),
        promptTokenCount: prompt.count))
  }

  /// Ends the text; one that has ended or is canceled may have been followed by another, which goes on.
  func cancel() {
    let isFirst = !cancelled.exchange(true, ordering: .sequentiallyConsistent)
    if isFirst, !ended.load(ordering: .sequentiallyConsistent) { sequence.cancel() }
  }

  /// Whether the text has ended.
  var isEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }

  private var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

  /// Writes the next token; `nil` after the last one.
  func next() throws(ModelError) -> GeneratedPiece? {
    try state.withLock { (state) throws(ModelError) -> GeneratedPiece? in
      guard state.end == nil else { return nil }
      defer { if state.end != nil { ended.store(true, ordering: .sequentiallyConsistent) } }
      do throws(ModelError) {
        guard !isCancelled else { throw ModelError(.run, .cancelled) }
        return try step(&state)
      } catch {
        state.end = .cancelled
        // A step that was ended early fails with an error of the runtime.
        throw isCancelled ? ModelError(.run, .cancelled) : error
      }
    }
  }

  private func step(_ state: inout State) throws(ModelError) -> GeneratedPiece? {
    if state.start == nil {
      try begin(&state)
    } else if state.found == nil, let last = state.written.tokens.last {
      try sequence.append([last], turn: state.turn)
    }
    guard let (id, logProbabilities) = try choose(&state), !endTokens.contains(id) else {
      return finish(&state, .stop, nil)
    }
    let text = try state.written.append(id)
    let piece = GeneratedPiece(text: text, id: id, logProbabilities: logProbabilities)
    if state.written.isWhole { return finish(&state, .stop, piece) }
    if state.written.tokens.count >= maxTokens { return finish(&state, .length, piece) }
    state.text += text
    return piece
  }

  /// Makes the caches hold the prompt, and searches the text if several are followed.
  private func begin(_ state: inout State) throws(ModelError) {
    state.start = .now
    let encoded = try encode?()
    if let count = encoded?.tokenCount { state.promptTokenCount = count }
    (state.reusedTokenCount, state.turn) = try sequence.begin(
      with: prompt, after: encoded?.values
    ) { isCancelled }
    if state.sampler.options.beams > 1 { try search(&state) }
  }

  /// Searches the most probable text, whose tokens are then written.
  private func search(_ state: inout State) throws(ModelError) {
    state.firstToken = .now
    var sampler = state.sampler
    var search = BeamSearch(
      for: state.written, in: sequence, turn: state.turn, sampler.options, endTokens: endTokens,
      maxTokens: maxTokens)
    var (list, lister) = (BeamSearch.Listing?.none, state.sampler)
    if let count = logProbabilityCount {
      list = { (id, scores) throws(ModelError) in
        try ModelError.rethrowing { () throws(SamplingError) in
          try lister.logProbabilities(of: id, top: count, in: scores)
        }
      }
    }
    state.found = try search.best(isCancelled: { isCancelled }, listing: list) {
      (text, scores, count) throws(ModelError) in
      let mask = try text.mask()
      let output = text.tokens
      return try ModelError.rethrowing { () throws(SamplingError) in
        try sampler.mostProbable(count, in: scores, prompt: prompt, output: output, mask: mask)
      }
    }
  }

  /// Returns the next token; `nil` after the last one of a text that a search has found.
  private func choose(
    _ state: inout State
  ) throws(ModelError) -> (id: Int32, logProbabilities: TokenLogProbabilities?)? {
    defer {
      state.lastToken = .now
      if state.firstToken == nil { state.firstToken = state.lastToken }
    }
    let count = state.written.tokens.count
    if let found = state.found {
      guard count < found.tokens.count else { return nil }
      return (found.tokens[count], count < found.listed.count ? found.listed[count] : nil)
    }
    var chosen: Int32 = 0
    var logProbabilities: TokenLogProbabilities?
    let mask = try state.written.mask()
    let output = state.written.tokens
    try sequence.readScores(turn: state.turn) { (scores) throws(ModelError) in
      chosen = try ModelError.rethrowing { () throws(SamplingError) in
        try state.sampler.next(scores, prompt: prompt, output: output, mask: mask)
      }
      guard let logProbabilityCount else { return }
      logProbabilities = try ModelError.rethrowing { () throws(SamplingError) in
        try state.sampler.logProbabilities(of: chosen, top: logProbabilityCount, in: scores)
      }
    }
    return (chosen, logProbabilities)
  }

  /// Ends the text, and returns the last piece with what was held back; `nil` if there is none.
  private func finish(
    _ state: inout State, _ end: GeneratedText.End, _ piece: GeneratedPiece?
  ) -> GeneratedPiece? {
    let text = (piece?.text ?? "") + state.written.finish()
    state.text += text
    state.end = end
    guard piece != nil || !text.isEmpty else { return nil }
    return GeneratedPiece(text: text, id: piece?.id, logProbabilities: piece?.logProbabilities)
  }

  /// The text so far.
  var result: GeneratedText {
    state.withLock { state in
      let start = state.start ?? .now
      let first = state.firstToken ?? start
      return GeneratedText(
        text: state.text, end: state.end ?? .cancelled, tokens: state.written.tokens,
        promptTokenCount: state.promptTokenCount, reusedTokenCount: state.reusedTokenCount,
        promptDuration: start.duration(to: first),
        duration: first.duration(to: state.lastToken ?? first))
    }
  }
}
