import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOGeneration

/// Generates the texts of a request one after another, and counts them.
///
/// The texts of one prompt follow each other, so that the prompt is read once.
final class GenerationRun: Sendable {
  private let served: ServedModel
  private let pool: SequencePool
  private let request: GenerationRequest
  private let context: RequestContext

  init(
    _ served: ServedModel, _ pool: SequencePool, _ request: GenerationRequest,
    _ context: RequestContext
  ) {
    (self.served, self.pool) = (served, pool)
    (self.request, self.context) = (request, context)
    start = .now - (context.task?.queueDuration ?? .zero)
  }

  /// The number of texts.
  var count: Int { request.prompts.count * request.textCount }

  /// When the request arrived.
  private let start: ContinuousClock.Instant

  /// The first text, until it is read: a text without references releases its sequence.
  private let prepared = Mutex<(PooledGeneration, at: ContinuousClock.Instant)?>(nil)

  /// Prepares the first text, so that its errors have a status.
  func prepare() async throws(ClientError) {
    let generation = try await begin(0)
    prepared.withLock { $0 = (generation, .now) }
  }

  /// Releases the sequence of a text that is not read.
  func discard() { prepared.withLock { $0 = nil } }

  /// Returns a text and when it had a sequence of the model, and waits for one.
  private func generation(
    _ index: Int
  ) async throws(ClientError) -> (PooledGeneration, at: ContinuousClock.Instant) {
    let first = prepared.withLock { prepared in
      defer { prepared = nil }
      return prepared
    }
    if let first { return first }
    return (try await begin(index), .now)
  }

  private func begin(_ index: Int) async throws(ClientError) -> PooledGeneration {
    do throws(ModelError) {
      let (prompt, text) = index.quotientAndRemainder(dividingBy: request.textCount)
      let generation = try await pool.generate(
        request.prompts[prompt], request.options(for: served.model, text: text))
      guard !context.isCanceled else { throw ModelError(.run, .cancelled) }
      return generation
    } catch {
      let member =
        switch request.form {
        case .chat: "messages"
        case .completions: "prompt"
        case .responses: "input"
        }
      // The message is about the values of the client.
      throw error.stage == .input
        ? ClientError(.badRequest, error.code, error.message).of(member) : ClientError(error)
    }
  }

  /// Calls `body` with the pieces of a text, and lets other requests run after each.
  func read(
    _ index: Int, _ body: (GeneratedPiece) async throws(ClientError) -> Void
  ) async throws(ClientError) -> GeneratedText {
    // The first text is prepared already.
    let arrival = index == 0 ? self.start : .now
    let (pooled, begin) = try await generation(index)
    var times = GenerationCounts.Times()
    times.queue = arrival.duration(to: begin)
    defer {
      times.total = arrival.duration(to: .now)
      served.statistics.recordText(pooled.generation.partialResult, times)
    }
    try await read(pooled.generation) { (piece) async throws(ClientError) in
      if times.firstToken == nil { times.firstToken = arrival.duration(to: .now) }
      try await body(piece)
    }
    return pooled.generation.partialResult
  }

  private func read(
    _ generation: TextGeneration, _ body: (GeneratedPiece) async throws(ClientError) -> Void
  ) async throws(ClientError) {
    context.onCancel { generation.cancel() }
    let start = ContinuousClock.now
    do throws(ClientError) {
      while let piece = try step(generation, since: start) {
        try await body(piece)
        try await context.yield()
      }
    } catch {
      // A client that has left, or an error of the model, which is counted already.
      if !generation.isEnded {
        served.count(start.duration(to: .now), ModelError(.run, .cancelled))
      }
      generation.cancel()
      throw error
    }
    served.count(start.duration(to: .now), nil)
  }

  private func step(
    _ generation: TextGeneration, since start: ContinuousClock.Instant
  ) throws(ClientError) -> GeneratedPiece? {
    do throws(ModelError) {
      return try served.step { () throws(ModelError) in try generation.next() }
    } catch {
      served.count(start.duration(to: .now), error)
      throw ClientError(error)
    }
  }
}
