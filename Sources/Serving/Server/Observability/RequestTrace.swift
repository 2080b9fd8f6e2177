import TensorIOCore

/// What happened during a traced request.
package struct RequestTrace: Sendable {
  /// A run of a model.
  package struct Run: Sendable {
    /// The name and version of the model.
    package let model: String
    package let version: String
    /// The durations of its stages.
    let timings: Timings
    /// The end of the last stage, in nanoseconds since 1970.
    let end: Int
  }

  /// The trace to which the request belongs.
  package let context: TraceContext
  /// The start of the request, in nanoseconds since 1970.
  let start: Int
  /// The runs of models, in the order in which they ended.
  package var runs: [Run] = []

  /// Creates the trace of a request that has been received.
  init(_ context: TraceContext, start: Int) { (self.context, self.start) = (context, start) }
}
