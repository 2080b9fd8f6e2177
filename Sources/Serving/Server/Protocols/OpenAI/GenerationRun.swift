import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOGeneration

/// Generates the texts of a request, and counts them.
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
  }

  /// The text for the first prompt, until it is read: a text without references releases its sequence.
  private let prepared = Mutex<PooledGeneration?>(nil)

  /// Prepares the text for the first prompt, so that its errors have a status.
  func prepare() async throws(ClientError) {
    let generation = try await begin(0)
    prepared.withLock { $0 = generation }
  }

  /// Releases the sequence of a text that is not read.
  func discard() { prepared.withLock { $0 = nil } }

  /// Returns the text for a prompt, and waits for a sequence of the model.
  private func generation(_ index: Int) async throws(ClientError) -> PooledGeneration {
    let first = prepared.withLock { prepared in
      defer { prepared = nil }
      return prepared
    }
    if let first { return first }
    return try await begin(index)
  }

  private func begin(_ index: Int) async throws(ClientError) -> PooledGeneration {
    do throws(ModelError) {
      let generation = try await pool.generate(
        request.prompts[index], request.options(for: served.model))
      guard !context.isCanceled else { throw ModelError(.run, .cancelled) }
      return generation
    } catch {
      let member = request.form == .chat ? "messages" : "prompt"
      // The message is about the values of the client.
      throw error.stage == .input
        ? ClientError(.badRequest, error.code, error.message).of(member) : ClientError(error)
    }
  }

  /// Calls `body` with the pieces of the text for a prompt, and lets other requests run after each.
  func read(
    _ index: Int, _ body: (GeneratedPiece) async throws(ClientError) -> Void
  ) async throws(ClientError) -> GeneratedText {
    let pooled = try await generation(index)
    try await read(pooled.generation, body)
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
      return try served.step(generation)
    } catch {
      served.count(start.duration(to: .now), error)
      throw ClientError(error)
    }
  }
}
