import Synchronization
package import TensorIOBundle

/// A session of a model whose runtime keeps values from run to run.
///
/// Runs of one stream follow one another; the sessions of other streams and of `Model.run` are not
/// affected.
package final class ModelStream: Sendable {
  private let model: Model
  private let pipeline: InferencePipeline
  private let session: Mutex<any Session>

  /// Creates a stream with the initial state; returns `nil` for a model without state in the
  /// runtime.
  package init?(_ model: Model) throws(ModelError) {
    guard let pipeline = model.pipeline, pipeline.sessions.hasState else { return nil }
    self.model = model
    self.pipeline = pipeline
    session = Mutex(try pipeline.makeSession())
  }

  /// Runs the model on the next input, and records timings.
  package func run(
    _ input: ModelInput, _ placeholders: Placeholders, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    var stopwatch = Stopwatch.running()
    defer { timings = stopwatch.timings }
    return try session.withLock { (session) throws(ModelError) in
      try pipeline.run(input, placeholders, in: session, &stopwatch)
    }.from(model.info)
  }
}
