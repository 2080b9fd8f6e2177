import TensorIOBundle
import TensorIOTasks

/// Reads a result part by part for a response, and counts it as a run of its model.
struct SequenceReader<Part: Sendable, Whole: Sendable>: Sendable {
  let sequence: ResultSequence<Part, Whole>
  private let served: ServedModel
  private let context: RequestContext
  private let start = ContinuousClock.now

  /// Prepares the reading, which ends when the request is canceled.
  init(_ sequence: ResultSequence<Part, Whole>, _ served: ServedModel, _ context: RequestContext) {
    (self.sequence, self.served, self.context) = (sequence, served, context)
    context.onCancel { sequence.cancel() }
  }

  /// Calls `body` with each part that was not read yet.
  func forEach(
    _ body: @Sendable (Part) async throws(ClientError) -> Void
  ) async throws(ClientError) {
    do throws(ClientError) {
      while let part = try next() { try await body(part) }
    } catch {
      sequence.cancel()
      throw error
    }
    finish()
  }

  /// Returns the next part; `nil` after the last one.
  func next() throws(ClientError) -> Part? {
    do throws(ModelError) {
      return try served.step { () throws(ModelError) in try sequence.next() }
    } catch {
      served.count(start.duration(to: .now), error)
      throw error.stage == .input
        ? ClientError(.badRequest, error.code, error.message) : ClientError(error)
    }
  }

  /// Counts the result, all of which was read.
  func finish() { served.count(start.duration(to: .now), nil) }
}
