/// How a server runs a model.
package struct ServingOptions: Sendable, Equatable {
  /// The maximum number of inputs in one invocation, for models with a free batch dimension.
  package var maxBatchSize: Int
  /// The maximum number of items in one request; `nil` for the limit of all models.
  package var maxItemCount: Int?
  /// For how long a run waits for others that may be merged with it.
  package var batchDelay: Duration

  /// Creates options.
  package init(maxBatchSize: Int = defaultMaxBatchSize, batchDelay: Duration = .zero) {
    (self.maxBatchSize, self.batchDelay) = (maxBatchSize, batchDelay)
  }

  /// The default of ``maxBatchSize``.
  package static let defaultMaxBatchSize = 32
}
