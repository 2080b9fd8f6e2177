public import TensorIOCore

/// The training of a backbone on the classes of a ``Teacher``, in which ``Teacher/refine(_:)`` results.
///
/// The results are those of the examples that were held out of the training, with a classifier that was fitted to the
/// others. The epoch was chosen by them, so they are slightly optimistic.
public struct BackboneRefinement: Sendable, Hashable {
  /// The number of epochs that were trained.
  public let epochCount: Int
  /// The epoch whose weights the backbone has, counted from 1; 0 for the weights that it had before.
  public let bestEpoch: Int
  /// The number of examples that were trained.
  public let trainedCount: Int
  /// The results before the training.
  public let before: Teacher.Metrics
  /// The results of the best epoch.
  public let after: Teacher.Metrics

  /// Settings of a refinement.
  public struct Options: Sendable, Equatable {
    /// The maximum number of epochs.
    public var maxEpochs: Int
    /// The number of epochs without a lower loss of held-out examples after which the training ends.
    public var patience: Int
    /// The number of examples of a step; a model with a fixed number determines it.
    public var batchSize: Int
    /// The random changes of images and sounds, which are others in each epoch.
    public var augmentations: Set<Augmentation>
    /// The values of placeholders, such as a learning rate.
    public var placeholders: Placeholders
    /// The seed of the order of the examples and of the augmentations.
    public var seed: UInt64

    /// Creates options.
    public init(
      maxEpochs: Int = 20, patience: Int = 3, batchSize: Int = 16,
      augmentations: Set<Augmentation> = Augmentation.standard, placeholders: Placeholders = [:],
      seed: UInt64 = 0
    ) {
      (self.maxEpochs, self.patience, self.batchSize) = (maxEpochs, patience, batchSize)
      (self.augmentations, self.placeholders, self.seed) = (augmentations, placeholders, seed)
    }
  }
}
